#pragma once

#include <cstdint>
#include <vector>

#include "core/body/contact_surface.h"
#include "core/contact/contact_response.h"
#include "core/math/types.h"
#include "core/sim/blast.h"
#include "core/sim/break_zone.h"

namespace sunder {

enum class Integrator : std::uint8_t { kExplicit, kImplicit, kNewmark, kRkf45 };
enum class LinearSolverKind : std::uint8_t { kAuto, kCgJacobi, kCgIncompleteCholesky, kCholmod };

/// An infinite plane that bodies cannot pass: a penalty potential with damping and Coulomb friction.
struct GroundPlane {
    bool enabled = false;
    Vec3 point = Vec3::Zero();    ///< m
    Vec3 normal = Vec3::UnitY();  ///< made unit length
    double friction = 0.5;        ///< Coulomb coefficient
    double stiffnessScale = 1;    ///< multiplies the stiffness that each body takes from its material and mesh
    double restitution = 0;       ///< share of its speed that a lone vertex keeps, down to 0.135; bodies bounce by their own elasticity, too
};

/// What becomes of pieces that are smaller than FractureSettings::smallPieceSize.
enum class SmallPieces : std::uint8_t { kKeep, kRigid, kParticles };

/// What a tet of a body that breaks takes of memory at most while it is stepped, contact included (tests/sim/test_memory.cpp measures it).
inline constexpr double kBytesATet = 8000;

/// How bodies break, beside what their materials say.
struct FractureSettings {
    bool enabled = true;
    int rounds = 8;           ///< implicit, newmark: how often a step is solved again because something broke in it
    int mostCuts = 10000;     ///< of a body in one call of step, all of its substeps and rounds together; what is left breaks later
    int mostTets = 2000000;   ///< a body that has more breaks no further
    double mostMemory = 16;   ///< GB; where the tets of all bodies would take more, at kBytesATet, nothing breaks further
    double smallestPiece = 0; ///< m; edge of a cube: a cut that would leave a piece of less volume is not made
    SmallPieces smallPieces = SmallPieces::kKeep;  ///< see small_pieces.h
    double smallPieceSize = 0;  ///< m; edge of a cube: pieces of less volume are small
    double snapAngle = 0.1;   ///< rad; cracks go through vertices that are nearer to their plane than this, seen from the node that breaks
    double snapShare = 0.1;   ///< of an edge; a cut nearer to its end goes through the end; below 0.5
    std::vector<BreakZone> zones;  ///< where and when bodies may break; none: everywhere, always
};

/// How the world is stepped. Units beside the fields; the same words in scene files, node parameters and Python.
struct StepSettings {
    Integrator integrator = Integrator::kImplicit;
    int substeps = 1;  ///< steps a frame for implicit and newmark; explicit and rkf45 choose their own below this one
    Vec3 gravity = Vec3(0, -9.81, 0);    ///< m/s2
    Vec3 uniformForce = Vec3::Zero();    ///< N/kg on everything, beside gravity
    GroundPlane ground;
    bool contact = true;  ///< bodies meet each other, as their ContactSurface says
    ContactResponse contactResponse = ContactResponse::kOverlap;  ///< the others need explicit steps
    bool keepSides = false;  ///< with `overlap`: what has gone far through a face of another body is held by that face, on whatever side it is
    double separationSpeed = 0.1;  ///< m/s with which bodies that overlap at the start are driven apart; 0 leaves them as they are
    double sleepSpeed = 0.005;     ///< m/s; what touches something and has been slower than this for sleepTime is left alone. 0: nothing is
    double sleepTime = 0.5;        ///< s
    FractureSettings fracture;
    std::vector<ContactPair> contactPairs;  ///< the last one that fits two bodies counts
    std::vector<Blast> blasts;              ///< pressure waves on all bodies; rkf45, which could step over one, takes none

    // explicit
    double courant = 0.8;            ///< share of the stable step that is taken; above 1 is refused
    double energyTolerance = 0.02;   ///< a step (newmark, too) that gains more than this share of the energy scale is retried at half size
    double smallestStep = 1e-12;     ///< s; a step below it fails
    // rkf45
    double errorTolerance = 1e-6;    ///< largest error of one step, share of body size (positions) and of its wave speed (velocities)

    // implicit and newmark
    bool oneSolve = false;              ///< one linear solve a step (Virtual04) in place of Newton
    int newtonIterations = 50;          ///< a step that needs more fails
    double newtonTolerance = 1e-6;      ///< on the force residual, share of the force scale
    double contactTolerance = 1e-2;     ///< with contact, Newton also ends when velocities are right to this share of what forces change
                                        ///< in them in the step
    LinearSolverKind linearSolver = LinearSolverKind::kAuto;
    double linearTolerance = 1e-6;      ///< on the residual of the last linear solve of a step, share of the force scale; of its
                                        ///< right-hand side with oneSolve. Newton's earlier solves are looser
    int linearIterations = 10000;       ///< a linear solve that needs more fails the step
    double cholmodFlops = 2e10;         ///< largest factorization, in predicted flops, that `auto` and `cholmod` accept
    int stepHalvings = 8;               ///< how often a failed implicit step is split in two before it is given up
};

}  // namespace sunder
