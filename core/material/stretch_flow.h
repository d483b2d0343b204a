#pragma once

#include "core/math/decompose.h"
#include "core/material/plastic_law.h"
#include "core/material/stretch_stiffness.h"

/// Flow of the stretches: the law of Remesh10 (3), `multiplicative`.
///
/// F = F_e F_p with det F_p = 1; Pi = F_p^-1 is what the tet keeps, and the elastic law sees F_e = F Pi. A step turns the trial
/// F Pi0 = U S V^T into F_e = U S exp(-D) V^T, with Pi = Pi0 V exp(-D) V^T, where D is diagonal and without trace: in the Hencky
/// strain h = log S, whose derivative of the energy psi is the Kirchhoff stress t, flow of |D| is
///   the D that minimizes  psi(h - D) + integral of r from 0 to |D|,   r(d) = max(y + 2 mu kappa d, 0) + 2 mu d / (rate dt),
/// so that the deviator of t at the end has the direction of D and the length r: von Mises with the yield y of the step's start,
/// hardened by the flow in it (kappa < 0: softened), and with a finite rate the stress beyond yield that drives it.
///
/// Remesh10 flows along the trial strain by a share rate dt (|stress| - y) / |stress| of it and adds kappa times that share of the
/// stress to y. For small elastic strain, where t = 2 mu h, both are the same to first order in dt; this one cannot overshoot, is
/// the same for every dt once rate dt is large, and has a potential.
///
/// That potential is a function of the stretches S alone, so stress and stiffness have the form of an isotropic law: with
/// C = dt/dh at the end of flow, its first derivatives are t_i / S_i and its second ones (C_ij - [i = j] t_i) / (S_i S_j).
///
/// Limits: those of the elastic law in F_e. A tet that is inside out, or pressed below kSmallestFlowStretch since its last step,
/// does not flow in this one.
namespace sunder {

inline constexpr double kSmallestFlowStretch = 0.05;

PlasticLaw multiplicativePlasticity();

}  // namespace sunder
