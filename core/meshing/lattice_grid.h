#pragma once

#include <cstdint>
#include <vector>

#include "core/base/monitor.h"
#include "core/meshing/half_winding.h"

namespace sunder {

/// Body-centred cubic lattice over a box: the corners of cubes of side `cell` and their centers. Every point
/// has six long edges (to its own kind, length cell) and eight short ones (to the other kind, length cell *
/// sqrt(3) / 2). Directions 0-5 are +x -x +y -y +z -z; direction 6 + b goes to the upper side in axis k where
/// bit k of b is set.
class LatticeGrid {
  public:
    static constexpr int kDirections = 14;
    using Index = std::int32_t;
    struct Site {
        int i, j, k, center;  ///< center: 0 for a cube's corner, 1 for its middle
    };

    LatticeGrid(const Aabb& box, double cell);

    double cell() const { return cell_; }
    Index pointCount() const { return 2 * size_[0] * size_[1] * size_[2]; }
    int size(int axis) const { return size_[axis]; }
    Index index(const Site& s) const { return 2 * ((s.k * size_[1] + s.j) * size_[0] + s.i) + s.center; }
    Site site(Index point) const;
    Vec3 position(Index point) const;
    /// True for points whose neighbours might lie outside the lattice; they count as outside the solid.
    bool onBorder(const Site& s) const;
    Index neighbor(const Site& s, int direction) const;
    static bool isLong(int direction) { return direction < 6; }
    static int opposite(int direction) { return isLong(direction) ? direction ^ 1 : 6 + (13 - direction); }
    /// The direction that leads from a to its neighbour b.
    static int directionTo(const Site& a, const Site& b);
    /// 0 or 1; differs between the ends of a long edge.
    static int parity(const Site& s) { return (s.i + s.j + s.k) & 1; }

  private:
    Vec3 origin_;
    double cell_;
    int size_[3];  ///< corners along each axis; centers are stored on the same grid
};

/// A lattice point's state: 1 inside, -1 outside, 0 moved onto the surface.
std::vector<std::int8_t> sampleSigns(const LatticeGrid& grid, const HalfWinding& solid, Monitor* monitor);

/// Where the surface cuts the lattice's edges, after the points too close to it have been moved onto it.
struct LatticeCuts {
    std::vector<std::int32_t> active;  ///< by lattice point: number among those with a cut edge, or -1
    std::vector<Vec3> activePosition;
    std::vector<std::int32_t> cutOf;  ///< by active point and direction: cut number or -1
    std::vector<Vec3> cutPosition;

    std::int32_t cut(LatticeGrid::Index point, int direction) const {
        return cutOf[active[point] * LatticeGrid::kDirections + direction];
    }
};
LatticeCuts findCuts(const LatticeGrid& grid, const HalfWinding& solid, const std::vector<std::int8_t>& signs,
                     Monitor* monitor);
/// Moves points onto cuts closer than the limits of Labelle and Shewchuk 2007 (their sign becomes 0, their
/// cuts vanish).
void warpPoints(const LatticeGrid& grid, std::vector<std::int8_t>& signs, LatticeCuts& cuts);

}  // namespace sunder
