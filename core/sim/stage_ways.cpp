#include <algorithm>

#include "core/sim/stage_problem.h"

/// Ways between places: where a step starts to look, and how far bodies go.
namespace sunder {

void StageProblem::guess(double way, double bent, Span<Vec3> out) const {
    for (std::size_t b = 0; b < bodyCount(); ++b) {
        if (isRigid(b)) {
            const std::vector<double>& mass = bodies_[b]->body->mass;
            const Span<const Vec3> x = part<const Vec3>(xStart_, b), goal = part<const Vec3>(xPredicted_, b);
            const RigidFrame start = rigidFrame(mass, x), end = rigidFrame(mass, goal);
            const RigidField pulled = rigidPart(start, mass, x, part<const Vec3>(aStart_, b));
            const Vec3 turn = rotationBetween(mass, x, start.centre, goal, end.centre);
            moveRigidly(start, way * (end.centre - start.centre) + bent * pulled.centre, way * turn + bent * pulled.turn, x, part(out, b));
            continue;
        }
        for (std::size_t i = offset_[b]; i < offset_[b + 1]; ++i) out[i] = xStart_[i] + way * (xPredicted_[i] - xStart_[i]) + bent * aStart_[i];
    }
    hold(out);
}

bool StageProblem::hint(Span<Vec3> out) const {
    std::copy(xStart_.begin(), xStart_.end(), out.begin());
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        if (bodies_[b]->hint.size() != bodies_[b]->vertexCount()) return false;
        std::copy(bodies_[b]->hint.begin(), bodies_[b]->hint.end(), part(out, b).begin());
    }
    hold(out);
    return true;
}

void StageProblem::holdBack(Span<const double> share, Span<Vec3> x) const {
    for (std::size_t b = 0; b < bodyCount(); ++b) {
        if (share[b] == 1 || isLed(b)) continue;
        const Span<const Vec3> from = part<const Vec3>(xStart_, b);
        const Span<Vec3> place = part(x, b);
        if (isRigid(b)) {
            const std::vector<double>& mass = bodies_[b]->body->mass;
            const RigidFrame start = rigidFrame(mass, from), goal = rigidFrame(mass, place);
            const Vec3 turn = rotationBetween(mass, from, start.centre, place, goal.centre);
            moveRigidly(start, share[b] * (goal.centre - start.centre), share[b] * turn, from, place);
        } else {
            for (std::size_t i = 0; i < place.size(); ++i)
                if (!isHeld(offset_[b] + i)) place[i] = from[i] + share[b] * (place[i] - from[i]);
        }
    }
}

void StageProblem::scaleWay(Span<const double> share, Span<Vec3> way) const {
    for (std::size_t b = 0; b < bodyCount(); ++b) {
        const auto [first, count] = unknownsOf(b);
        if (share[b] != 1)
            for (std::size_t u = first; u < first + count; ++u) way[u] *= share[b];
    }
}

void StageProblem::wayToPredicted(Span<const Vec3> x, Span<Vec3> way) const {
    std::fill(way.begin(), way.end(), Vec3::Zero());
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (bends(b))
            for (std::size_t i = offset_[b]; i < offset_[b + 1]; ++i)
                if (!isHeld(i)) way[unknowns_.first(b) + i - offset_[b]] = xPredicted_[i] - x[i];
}

double StageProblem::inertiaOf(std::size_t b, Span<const Vec3> way) const {
    const auto [first, count] = unknownsOf(b);
    double sum = 0;
    if (isRigid(b) && count > 0) {
        const RigidFrame& frame = unknowns_.frame(b);
        sum = frame.mass * way[first].squaredNorm() + way[first + 1].dot(frame.inertia * way[first + 1]);
    } else {
        for (std::size_t i = 0; i < count; ++i) sum += mass_[offset_[b] + i] * way[first + i].squaredNorm();
    }
    return inertia_ * sum;
}

}  // namespace sunder
