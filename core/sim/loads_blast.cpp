#include "core/sim/loads.h"

/// Blasts as loads. In steps of equal length the means that explicit and newmark steps take follow each other without a gap.
namespace sunder {

void Loads::computeBlasts(Span<const Vec3> x, double time, double dt, std::vector<Vec3>& force) const {
    force.assign(hasBlasts() ? x.size() : 0, Vec3::Zero());
    if (hasBlasts() && !addBlastForces(waves_, *surface_, x, time - 0.5 * dt, time + 0.5 * dt, force)) force.clear();
}

void Loads::beginBlasts(Span<const Vec3> xStart) {
    blastForce_.clear();
    blastMean_.clear();
    const auto meanOver = [&](double from, double to, std::vector<Vec3>& force) {
        force.assign(xStart.size(), Vec3::Zero());
        if (!addBlastForces(waves_, *surface_, xStart, from, to, force)) force.clear();
    };
    if (!hasBlasts()) return;
    const double end = stage_.time + stage_.dt, half = 0.5 * stage_.dt;
    if (!stage_.secondOrder) {
        meanOver(stage_.time, end, blastForce_);
        blastMean_ = blastForce_;
        return;
    }
    std::vector<Vec3> before;
    meanOver(end - half, end + half, blastForce_);
    meanOver(stage_.time - half, stage_.time + half, before);
    if (blastForce_.empty() && before.empty()) return;
    blastMean_.assign(xStart.size(), Vec3::Zero());
    for (const std::vector<Vec3>* part : {&before, &blastForce_})
        for (std::size_t i = 0; i < part->size(); ++i) blastMean_[i] += 0.5 * (*part)[i];
}

}  // namespace sunder
