#pragma once

#include "core/fem/forces.h"
#include "core/fem/wide_strain_flow.h"

/// The kernels' part for chunks of plastic tets: four tets at once where the strain flows below its limit, or where
/// nothing flows; by the laws of core/material, tet by tet, everywhere else.
namespace sunder {

/// The tets of a pack at the start of a step.
class PlasticPack {
  public:
    PlasticPack(const ElementTable& table, const ElementChunk& chunk, std::uint32_t pack, const PlasticStep& step)
        : table_(table), chunk_(chunk), pack_(pack), step_(step) {}

    bool flowsInStrain() const { return chunk_.plastic != PlasticLawId::kMultiplicative; }
    bool flows() const { return step_.dt > 0; }
    bool keeps() const { return !step_.after.empty(); }
    WideParams params() const { return WideParams(materialOf(table_, chunk_, pack_)); }
    WideStrainFlow strainFlow() const;
    ElasticLawId elastic() const { return chunk_.law; }
    WideMat3 inverseFlow() const;   ///< Pi of the multiplicative law
    Wide4d flowStress() const;      ///< norm of stress from which on it flows
    bool has(std::size_t lane) const { return table_.packTet[pack_][lane] >= 0; }
    const PlasticLaw& law() const { return plasticLaw(chunk_.plastic); }
    PlasticPoint point(std::size_t lane) const;
    void keep(std::size_t lane, const PlasticState& after) const;
    void keepBefore(std::size_t lane) const { keep(lane, step_.before[tet(lane)]); }

  private:
    std::size_t tet(std::size_t lane) const { return static_cast<std::size_t>(table_.packTet[pack_][lane]); }

    const ElementTable& table_;
    const ElementChunk& chunk_;
    std::uint32_t pack_;
    const PlasticStep& step_;
};

/// Adds the forces of a chunk's tets to its slots; v is null where viscosity does not count.
ForceTotals plasticForces(const ElementTable& table, const ElementChunk& chunk, const double* x, const double* v, const PlasticStep& step, double* f);

/// First Piola-Kirchhoff stress of the tets of a pack.
WideMat3 plasticStress(const PlasticPack& pack, const WideMat3& F);

ForceTotals plasticEnergy(const ElementTable& table, const ElementChunk& chunk, const double* x, const PlasticStep& step);

/// Adds the projected stiffness of a pack to its blocks.
void addPlasticStiffness(WideMat3 (&blocks)[10], const PlasticPack& pack, const WideMat3& F, const WideMat3& restInverse, Wide4d volume);

}  // namespace sunder
