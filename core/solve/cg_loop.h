#pragma once

#include "core/base/text.h"
#include "core/solve/linear_solver.h"

namespace sunder {

enum class CgEnd { kReached, kOutOfIterations, kIndefinite };

/// Conjugate gradients on a preconditioned system, from r . z = rr, z being the preconditioned residual (r itself in a system that is split), until that is at
/// most aimSq. multiplyDirection(beta) makes p = z + beta p and w = A p and returns p . w; advance(alpha) makes y += alpha p, r -= alpha w and z anew and
/// returns r . z. The report says why it ended early.
template <class MultiplyDirection, class Advance>
CgEnd iterateCg(double rr, double aimSq, const LinearSettings& settings, LinearReport& report, MultiplyDirection multiplyDirection, Advance advance) {
    constexpr int kPollInterval = 8;
    double beta = 0;
    while (rr > aimSq && report.iterations < settings.maxIterations) {
        if (report.iterations % kPollInterval == 0) throwIfCancelled(settings.monitor);
        ++report.iterations;
        const double pw = multiplyDirection(beta);
        if (!(pw > 0)) {
            report.message = "the system matrix is not positive definite";
            return CgEnd::kIndefinite;
        }
        const double before = rr;
        rr = advance(rr / pw);
        beta = rr / before;
    }
    if (rr <= aimSq) return CgEnd::kReached;
    report.message = format("conjugate gradients did not reach the tolerance in %d iterations", report.iterations);
    return CgEnd::kOutOfIterations;
}

}  // namespace sunder
