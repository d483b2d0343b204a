#pragma once

#include <vector>

#include "core/fem/element_table.h"
#include "core/fem/plastic_step.h"

namespace sunder {

/// Sums over all tets that come for little beside the forces.
struct ForceTotals {
    double energy = 0;        ///< elastic energy, J
    double dissipation = 0;   ///< power lost to viscosity, W
    double smallestDetF = 1;  ///< over all tets
    double plasticPotential = 0;  ///< of the resistance to flow in the step, J: part of what implicit steps minimize
    double plasticWork = 0;       ///< lost to flow in the step, J
};

/// Room for the partial sums of the chunks; any content is fine.
struct ForceScratch {
    std::vector<double> partial;  ///< four doubles a chunk slot
    std::vector<ForceTotals> totals;
};

/// Internal forces f = -dW/dx - viscous forces of rate v (none where v is empty): overwritten for every vertex. In parallel, the
/// same bits for any thread count. Of plastic tets W is the potential of core/material/plastic_law.h.
ForceTotals computeForces(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> v, ForceScratch& scratch,
                          Span<Vec3> force, const PlasticStep& plastic = {});

/// The sums of the chunks, in chunk order.
ForceTotals sumTotals(const std::vector<ForceTotals>& parts);

/// The first half of computeForces, for those who do something with each force as it is gathered.
ForceTotals computePartialForces(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> v, ForceScratch& scratch,
                                 const PlasticStep& plastic = {});
/// The second half, for one vertex: the sum over its chunks, in chunk order.
inline Vec3 gatherForce(const ElementTable& table, const ForceScratch& scratch, std::size_t vertex) {
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t s : table.slots[vertex]) sum += Eigen::Map<const Vec3>(scratch.partial.data() + 4 * static_cast<std::size_t>(s));
    return sum;
}

/// Adds the viscous forces of rate v at the shape x to `force` (unless that is empty) and returns the power lost, W. For implicit
/// steps, which keep the shape of their start here so that the force has a potential.
double computeViscousForces(const ElementTable& table, Span<const Vec3> x, Span<const Vec3> v, ForceScratch& scratch,
                            Span<Vec3> force);

/// Energy, smallest det F and what flow takes alone.
ForceTotals computeEnergy(const ElementTable& table, Span<const Vec3> x, const PlasticStep& plastic = {});

/// A bound of the largest principal stress (Cauchy's, elastic) of every tet, Pa; 0 where nothing pulls or there is no volume. `plastic` has the
/// states of plastic tets, if there are any.
void computeTensions(const ElementTable& table, Span<const Vec3> x, Span<const PlasticState> plastic, Span<double> tension);

/// The forces by the laws' own scalar functions, one tet after the other: what the wide kernels are tested against.
ForceTotals computeForcesReference(const TetMesh& mesh, Span<const TetMaterial> materials, Span<const Vec3> x,
                                   Span<const Vec3> v, Span<Vec3> force);

}  // namespace sunder
