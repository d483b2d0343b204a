#include "core/meshing/lattice.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/polled_parallel.h"
#include "core/base/text.h"
#include "core/mesh/adjacency.h"
#include "core/meshing/lattice_grid.h"
#include "core/meshing/lattice_stencil.h"
#include "core/meshing/surface_topology.h"
#include "core/meshing/tet_cleanup.h"

namespace sunder {

namespace {
using Site = LatticeGrid::Site;

// The bounds that Labelle and Shewchuk prove for the stencils, radians.
constexpr double kSmallestAngle = 10.79 * M_PI / 180;
constexpr double kLargestAngle = 164.74 * M_PI / 180;

Site shifted(Site s, int axis) {
    (axis == 0 ? s.i : axis == 1 ? s.j : s.k) += 1;
    return s;
}

/// The four tets around the long edge from the middle of a cube to that of its upper neighbour along `axis`:
/// each takes one side of the face between the two cubes.
std::array<std::array<Site, 4>, 4> tetsAround(const Site& cube, int axis) {
    const Site above = shifted(cube, axis);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const Site c00{above.i, above.j, above.k, 0}, c10 = shifted(c00, u), c11 = shifted(c10, v),
                                                  c01 = shifted(c00, v);
    return {
        {{cube, above, c00, c10}, {cube, above, c10, c11}, {cube, above, c11, c01}, {cube, above, c01, c00}}};
}

/// Output of one slab: lattice points by their index, cuts as -1 - number.
class SlabCutter {
  public:
    SlabCutter(const LatticeGrid& grid, const HalfWinding& solid, const std::vector<std::int8_t>& signs,
               const LatticeCuts& cuts)
        : grid_(grid), solid_(solid), signs_(signs), cuts_(cuts) {}

    std::vector<Tet> run(int k) const {
        std::vector<Tet> out;
        for (int j = 0; j + 1 < grid_.size(1); ++j)
            for (int i = 0; i + 1 < grid_.size(0); ++i)
                for (int axis = 0; axis < 3; ++axis)
                    for (const auto& tet : tetsAround({i, j, k, 1}, axis)) cutInto(tet, out);
        return out;
    }

  private:
    void cutInto(const std::array<Site, 4>& sites, std::vector<Tet>& out) const {
        StencilInput in;
        bool anyInside = false, anyOutside = false;
        for (int a = 0; a < 4; ++a) {
            if (sites[a].i >= grid_.size(0) || sites[a].j >= grid_.size(1) || sites[a].k >= grid_.size(2))
                return;
            in.vertex[a] = grid_.index(sites[a]);
            in.sign[a] = signs_[in.vertex[a]];
            anyInside |= in.sign[a] > 0;
            anyOutside |= in.sign[a] < 0;
        }
        if (!anyInside && anyOutside) return;
        for (int a = 0; a < 4; ++a) {
            const std::int32_t active = cuts_.active[in.vertex[a]];
            in.position[a] = active >= 0 ? cuts_.activePosition[active] : grid_.position(in.vertex[a]);
            in.parity[a] = LatticeGrid::parity(sites[a]);
        }
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b)
                if (in.sign[a] > 0 && in.sign[b] < 0) {
                    const std::int32_t cut =
                        cuts_.cut(in.vertex[a], LatticeGrid::directionTo(sites[a], sites[b]));
                    in.cut[a][b] = -1 - cut;
                    in.cutPosition[a][b] = cuts_.cutPosition[cut];
                }
        if (!anyInside) {
            addSurfaceTet(in, out);
            return;
        }
        const StencilOutput cut = cutTet(in);
        out.insert(out.end(), cut.tets.begin(), cut.tets.begin() + cut.count);
    }

    /// A tet with all four corners moved onto the surface may still hold a piece of the solid, mostly where
    /// that is thin; leaving it out would notch the piece. The proof of the angle bound does not cover it, so
    /// its angles are looked at.
    void addSurfaceTet(const StencilInput& in, std::vector<Tet>& out) const {
        const auto& p = in.position;
        const Vec3 middle = (p[0] + p[1] + p[2] + p[3]) / 4;
        Tet tet = in.vertex;
        const double lattice = signedVolume(grid_.position(tet[0]), grid_.position(tet[1]),
                                            grid_.position(tet[2]), grid_.position(tet[3]));
        if (lattice * signedVolume(p[0], p[1], p[2], p[3]) <= 0) return;
        const DihedralRange range = dihedralRange(p[0], p[1], p[2], p[3]);
        if (range.smallest < kSmallestAngle || range.largest > kLargestAngle || !solid_.inside(middle))
            return;
        if (lattice < 0) std::swap(tet[2], tet[3]);
        out.push_back(tet);
    }

    const LatticeGrid& grid_;
    const HalfWinding& solid_;
    const std::vector<std::int8_t>& signs_;
    const LatticeCuts& cuts_;
};

/// Vertices numbered as lattice points first, in their order, then cuts.
TetMesh compact(const std::vector<std::vector<Tet>>& slabs, const LatticeGrid& grid,
                const LatticeCuts& cuts) {
    std::vector<std::int32_t> pointVertex(cuts.active.size(), -1), cutVertex(cuts.cutPosition.size(), -1);
    const auto slot = [&](std::int32_t id) -> std::int32_t& {
        return id >= 0 ? pointVertex[id] : cutVertex[-1 - id];
    };
    TetMesh mesh;
    for (const auto& slab : slabs)
        for (const Tet& t : slab)
            for (const std::int32_t id : t) slot(id) = 0;
    const auto place = [&](std::vector<std::int32_t>& list, const auto& position) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list[i] == 0) {
                list[i] = static_cast<std::int32_t>(mesh.rest.size());
                mesh.rest.push_back(position(static_cast<std::int32_t>(i)));
            }
    };
    place(pointVertex, [&](std::int32_t p) {
        return cuts.active[p] >= 0 ? cuts.activePosition[cuts.active[p]] : grid.position(p);
    });
    place(cutVertex, [&](std::int32_t c) { return cuts.cutPosition[c]; });
    for (const auto& slab : slabs)
        for (const Tet& t : slab) mesh.tets.push_back({slot(t[0]), slot(t[1]), slot(t[2]), slot(t[3])});
    return mesh;
}

/// Boxes of the input's own shells: a small piece that matches one is no dust.
std::vector<Aabb> shellBoxes(const TriMesh& surface) {
    const Shells shells = findShells(surface.triangles, buildEdgeTable(surface.triangles));
    std::vector<Aabb> boxes(shells.count);
    for (std::size_t t = 0; t < surface.triangleCount(); ++t)
        for (const std::int32_t v : surface.triangles[t]) boxes[shells.label[t]].extend(surface.positions[v]);
    return boxes;
}

bool holdsShell(const Aabb& piece, const std::vector<Aabb>& shells, double slack) {
    const Aabb room = piece.inflated(slack);
    return std::any_of(shells.begin(), shells.end(),
                       [&](const Aabb& s) { return room.contains(s.lower) && room.contains(s.upper); });
}

void removeDust(LatticeMesh& lattice, const TriMesh& surface, const LatticeOptions& options) {
    const std::vector<PieceMeasure> pieces = measurePieces(lattice.mesh);
    if (pieces.size() < 2) return;
    const bool automatic = options.minComponentVolume < 0;
    const double limit = automatic ? 2 * std::pow(lattice.spacing, 3) : options.minComponentVolume;
    const std::vector<Aabb> shells = automatic ? shellBoxes(surface) : std::vector<Aabb>{};
    std::vector<std::uint8_t> keep(pieces.size(), 1);
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        if (pieces[p].volume >= limit ||
            (automatic && holdsShell(pieces[p].box, shells, 0.5 * lattice.spacing)))
            continue;
        keep[p] = 0;
        ++lattice.removedPieces;
        lattice.removedVolume += pieces[p].volume;
    }
    keepPieces(lattice.mesh, keep);
}

/// One lattice of the given cube.
LatticeMesh meshWithSpacing(const TriMesh& surface, const HalfWinding& solid, double spacing,
                            const LatticeOptions& options, Monitor* monitor) {
    LatticeMesh result;
    result.spacing = spacing;
    const LatticeGrid grid(solid.bounds(), spacing);
    std::vector<std::int8_t> signs = sampleSigns(grid, solid, monitor);
    LatticeCuts cuts = findCuts(grid, solid, signs, monitor);
    warpPoints(grid, signs, cuts);
    const SlabCutter cutter(grid, solid, signs, cuts);
    std::vector<std::vector<Tet>> slabs(static_cast<std::size_t>(grid.size(2) - 1));
    polledParallelFor(monitor, slabs.size(), 1, 8, [&](std::size_t k, std::size_t) { slabs[k] = cutter.run(static_cast<int>(k)); });
    throwIfCancelled(monitor);
    result.mesh = compact(slabs, grid, cuts);
    if (result.mesh.tets.empty())
        throw Error(format("no lattice point lies inside the surface with cells of %g m", spacing),
                    "choose a smaller cell size, close the surface's holes, or give it thickness");
    throwIfCancelled(monitor);
    removeDust(result, surface, options);
    if (result.mesh.tets.empty())
        throw Error("every piece of the solid is smaller than the smallest that was asked for",
                    "lower the smallest piece volume or choose a smaller cell size");
    throwIfCancelled(monitor);
    splitPinchedVertices(result.mesh);
    return result;
}
}  // namespace

double cellSizeForTets(const HalfWinding& solid, int targetTets) {
    const double volume = solid.estimateVolume(20000);
    // Mean thickness against length: below this no lattice of a bearable size has a point inside.
    constexpr double kThinnest = 1e-4;
    if (!(2 * volume > kThinnest * solid.area() * solid.bounds().diagonal()))
        throw Error(
            "the surface encloses next to nothing: hardly a sample point has a winding number of one half",
            "close its holes, turn its faces outward, or give it thickness");
    // Twelve tets a cube; what cutting adds and takes away at the surface nearly cancels.
    return std::cbrt(12.7 * volume / std::max(1, targetTets));
}

LatticeMesh meshLattice(const TriMesh& surface, const HalfWinding& solid, const LatticeOptions& options,
                        Monitor* monitor) {
    const double cell = options.cellSize > 0 ? options.cellSize : cellSizeForTets(solid, options.targetTets);
    // A thin part of the solid may leave a boundary triangle that spans more than a cube, with its middle too
    // far from the surface. The lattice is then laid again, finer, until the promise holds.
    LatticeMesh result;
    for (const double factor : {1.0, 0.96, 0.92, 0.88, 0.84, 0.8, 0.7, 0.57}) {
        result = meshWithSpacing(surface, solid, factor * cell, options, monitor);
        result.cellSize = cell;
        result.surfaceDistance = distanceToHalfWinding(result.mesh, solid, 0.02 * cell, monitor);
        if (result.surfaceDistance <= 0.49 * cell) break;
    }
    return result;
}

}  // namespace sunder
