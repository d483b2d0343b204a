#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/raw_vector.h"
#include "core/contact/broad_phase.h"
#include "core/contact/contact_cluster.h"
#include "core/contact/contact_shape.h"

namespace sunder {

/// The overlapping tets of two bodies, or of one with itself.
struct ContactBlock {
    std::vector<TetContact> contacts;       ///< in the order of the pairs
    std::vector<std::size_t> parts;         ///< the first of every part that was looked at by itself: no cluster has contacts of two
    bool hasClusters = false;
    ClusterList clusters;
    Vec3 out = Vec3::Zero();                ///< out of b, where a has last been in it; of any length, zero if it never was

    /// Empty, with all of its room; `out` stays as it is.
    void reset() {
        contacts.clear();
        parts.clear();
        hasClusters = false;
        clusters.clear();
    }
};

/// A block, and what is asked of most of them, so that this is read in one go.
struct BlockOfBodies {
    std::int32_t bodyA, bodyB;
    bool touches = false;  ///< it has contacts
    std::shared_ptr<ContactBlock> block;

    friend bool operator<(const BlockOfBodies& p, const BlockOfBodies& q) { return p.bodyA != q.bodyA ? p.bodyA < q.bodyA : p.bodyB < q.bodyB; }
};

/// Things that stand elsewhere, in an order of their own.
template <class T>
class RefList {
  public:
    class Iterator {
      public:
        explicit Iterator(const T* const* at) : at_(at) {}
        const T& operator*() const { return **at_; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        friend bool operator!=(const Iterator& p, const Iterator& q) { return p.at_ != q.at_; }

      private:
        const T* const* at_;
    };

    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    const T& operator[](std::size_t k) const { return *items_[k]; }
    Iterator begin() const { return Iterator(items_.data()); }
    Iterator end() const { return Iterator(items_.data() + items_.size()); }
    void clear() { items_.clear(); }
    void resize(std::size_t count) { items_.resize(count); }
    /// The items of a list stand from `first` on.
    void set(std::size_t first, const std::vector<T>& list) {
        for (std::size_t k = 0; k < list.size(); ++k) items_[first + k] = &list[k];
    }

  private:
    RawVector<const T*> items_;
};

/// For every body, in which parts of a list it has a part.
class RangesOfBodies {
  public:
    /// From the first up to the last, which is not among them.
    struct Range {
        std::size_t first, last;
    };

    RangesOfBodies() = default;
    /// None for any of them.
    explicit RangesOfBodies(std::size_t bodyCount) : first_(bodyCount + 1, 0) {}
    /// forRanges(use) calls use(body, range) for every range of every body.
    template <class ForRanges>
    RangesOfBodies(std::size_t bodyCount, ForRanges forRanges) : first_(bodyCount + 1, 0) {
        forRanges([&](std::size_t body, const Range&) { ++first_[body + 1]; });
        for (std::size_t b = 0; b < bodyCount; ++b) first_[b + 1] += first_[b];
        ranges_.resize(first_.back());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        forRanges([&](std::size_t body, const Range& range) { ranges_[next[body]++] = range; });
    }
    std::size_t size() const { return first_.size() - 1; }
    Span<const Range> operator[](std::size_t body) const { return Span<const Range>(ranges_).subspan(first_[body], first_[body + 1] - first_[body]); }

  private:
    std::vector<std::size_t> first_{0};
    std::vector<Range> ranges_;
};

/// How deep a body's vertices are in others.
struct VertexContacts {
    std::vector<double> volume;  ///< of the overlap around every vertex, m^3
    std::vector<Vec3> facing;    ///< sum of the contacts' facings, m^2: points out of the others
    std::vector<Vec2> friction;  ///< coefficients at rest and sliding, times volume
    std::vector<double> ratio;   ///< share of the critical damping, times volume
    std::vector<std::int32_t> touching;  ///< vertices with a volume, ascending
    std::uint64_t version = 0;           ///< another one whenever it is summed up; 0: nobody did

    void reset(std::size_t count);
    /// Of the damper of a touching vertex, N s/m.
    double damping(const ContactShape& shape, std::size_t i) const { return shape.criticalDamping[i] * (ratio[i] / volume[i]); }
};

/// Where everything overlaps.
///
/// The overlap of bodies is seen by their vertices: with phi_n the hat function of vertex n in its body, V_n is the integral of
/// phi_n over all overlaps, d_n = V_n / A_n a depth, and a ContactSpring's energy(d_n) that of contact, over the vertices of all bodies. Pushed
/// flat into each other by d, both bodies have d_n = d at every vertex of an even surface, so the pressure of a small d is E d / h, whatever
/// the meshes. V_n is a smooth function of all positions that rigid motion does not change, so the forces are a gradient and
/// keep linear and angular momentum to rounding. Where moduli differ, the overlap counts sqrt(2 E_b / (E_a + E_b)) at a's vertices: the
/// softer body decides, and a stiff one does not make a soft one's steps short.
struct ContactSet {
    std::vector<BlockOfBodies> blocks;                  ///< of the pairs of bodies that were looked at, in their order
    RefList<TetContact> contacts;                       ///< of all blocks, in their order
    RangesOfBodies ofBodies;                           ///< for every body the contacts that it has a part in, block by block
    bool hasClusters = false;
    RefList<ContactCluster> clusters;                     ///< of all blocks, if it has them
    RangesOfBodies clustersOfBodies;                   ///< like ofBodies
    std::vector<VertexContacts> vertices;               ///< one entry a body
};

/// How the overlap of bodies of these moduli counts at the own vertices. Either may be infinite: then the own ones count nothing and
/// the other's sqrt(2). Two infinite ones are equal.
float softness(double own, double other);

/// Coefficients of two bodies at rest and sliding; a stands before b in the world.
Vec2 frictionBetween(const ContactShape& a, const ContactShape& b, std::int32_t bodyB);
/// Shares of the critical damping on a's and on b's side.
Vec2 dampingBetween(const ContactShape& a, const ContactShape& b, std::int32_t bodyB);
/// What the painted attribute makes of a body's friction at a point of a tet.
double paintedFriction(const ContactShape& shape, const Tet& tet, const Vec4& weights);

/// Stiffness of a vertex along the surface, N/m, from that of its spring along the normal: as much of it as touches of its surface. (Along the
/// normal a part that touches counts squared and growing. What rolls draws the springs of its vertices anew at every facet, and creeps
/// the less the stiffer they are.)
inline double slidingStiffness(double stiffness, double facing, double area) { return stiffness * std::min(1.0, facing / area); }

/// Finds all overlaps among `pairs` at positions x (one span a body). The same for any number of threads.
void findContacts(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x, ContactSet& set);
/// What becomes of a block of before.
enum class BlockFate : std::uint8_t {
    kDrop,
    kKeep,   ///< it still holds
    kAside,  ///< so it does, but its bodies do not matter at this place
};
/// The same where most has stayed: `fates` are those of the blocks of before, `pairs` are new. `aside` has the blocks that were set aside before and count again;
/// it gets those that are set aside now. Gives bit for bit what finding all would. With the clusters of what is new if they are wanted.
void updateContacts(const PairList& pairs, Span<const BlockFate> fates, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> x, bool withClusters,
                    std::vector<BlockOfBodies>& aside, ContactSet& set);
/// Sums up all contacts, at the same x.
void computeClusters(Span<const Span<const Vec3>> x, ContactSet& set);

/// Integrals of the barycentric functions over the part of P's surface that belongs to the other tet, times its outward normal.
PairVectors computeFacings(const OverlapPolyhedron& p, const OverlapTet& a);

}  // namespace sunder
