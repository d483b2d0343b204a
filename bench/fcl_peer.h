#pragma once

#include <memory>
#include <vector>

namespace sunder::bench {

/// Plain arrays, so that the peer's Eigen (16-byte alignment, as Debian built it) and ours do not meet.
struct PlainMesh {
    std::vector<double> positions;  ///< three a vertex
    std::vector<int> triangles;     ///< three a triangle
};

/// Two meshes as FCL's BVHModel<AABB>, in double (mostly in Debian's library) or single precision (all of it
/// compiled here).
class __attribute__((visibility("default"))) FclPair {
  public:
    FclPair(const PlainMesh& a, const PlainMesh& b, bool singlePrecision);
    ~FclPair();
    /// New positions for mesh 0 or 1, and its boxes refitted from the bottom up.
    void refit(int mesh, const std::vector<double>& positions);
    /// Number of intersecting pairs of triangles.
    std::size_t collide();

  private:
    struct Base;
    template <class S>
    struct Models;
    std::unique_ptr<Base> models_;
};

}  // namespace sunder::bench
