#include "bench/fcl_peer.h"

#include <fcl/fcl.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>

#include <limits>

namespace sunder::bench {

struct FclPair::Base {
    virtual ~Base() = default;
    virtual void refit(int mesh, const std::vector<double>& positions) = 0;
    virtual std::size_t collide() = 0;
};

template <class S>
struct FclPair::Models : FclPair::Base {
    using Box = fcl::AABB<S>;
    fcl::BVHModel<Box> model[2];
    std::vector<fcl::Vector3<S>> points;

    void load(const std::vector<double>& positions) {
        points.resize(positions.size() / 3);
        for (std::size_t v = 0; v < points.size(); ++v)
            points[v] = {static_cast<S>(positions[3 * v]), static_cast<S>(positions[3 * v + 1]),
                         static_cast<S>(positions[3 * v + 2])};
    }
    Models(const PlainMesh& a, const PlainMesh& b) {
        for (int k = 0; k < 2; ++k) {
            const PlainMesh& mesh = k == 0 ? a : b;
            load(mesh.positions);
            std::vector<fcl::Triangle> triangles;
            for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
                triangles.emplace_back(mesh.triangles[t], mesh.triangles[t + 1], mesh.triangles[t + 2]);
            model[k].beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
            model[k].addSubModel(points, triangles);
            model[k].endModel();
        }
    }
    void refit(int mesh, const std::vector<double>& positions) override {
        load(positions);
        model[mesh].beginReplaceModel();
        model[mesh].replaceSubModel(points);
        model[mesh].endReplaceModel(true, true);
    }
    /// The traversal itself: fcl::collide would copy both models first.
    std::size_t collide() override {
        fcl::CollisionRequest<S> request(std::numeric_limits<std::size_t>::max(), false);
        fcl::CollisionResult<S> result;
        fcl::detail::MeshCollisionTraversalNode<Box> node;
        fcl::Transform3<S> here = fcl::Transform3<S>::Identity(), there = here;
        if (!fcl::detail::initialize(node, model[0], here, model[1], there, request, result)) return 0;
        fcl::detail::collide(&node);
        return result.numContacts();
    }
};

FclPair::FclPair(const PlainMesh& a, const PlainMesh& b, bool singlePrecision) {
    if (singlePrecision)
        models_ = std::make_unique<Models<float>>(a, b);
    else
        models_ = std::make_unique<Models<double>>(a, b);
}
FclPair::~FclPair() = default;
void FclPair::refit(int mesh, const std::vector<double>& positions) { models_->refit(mesh, positions); }
std::size_t FclPair::collide() { return models_->collide(); }

}  // namespace sunder::bench
