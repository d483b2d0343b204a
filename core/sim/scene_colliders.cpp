#include <filesystem>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/mesh/tri_mesh.h"
#include "core/sim/scene_build.h"
#include "core/sim/scene_shapes.h"
#include "core/surface/boundary_surface.h"

namespace sunder {

namespace {
/// The triangles of the boundary over the vertices that they use, in their order.
TriMesh trianglesOf(const Geometry& geometry) {
    if (geometry.countOf(PrimitiveKind::kPolygon) > 0) return triMeshFromGeometry(geometry);
    if (geometry.countOf(PrimitiveKind::kTet) == 0)
        throw Error("the file has no polygons and no tets", "name a file with a surface");
    MeshAttributes unused;
    return boundaryMesh(tetMeshFromGeometry(geometry, unused));
}

/// Makes the surfaces of every kind of source, each with its time.
struct SurfaceLoader {
    const Scene& scene;
    const SceneCollider& collider;
    const GeometryLoader& load;
    Monitor* monitor;

    std::vector<Collider::Key> operator()(const FileSource& source) const { return {keyOf(loaded(source.path), 0)}; }
    std::vector<Collider::Key> operator()(const FramesSource& source) const {
        std::vector<Collider::Key> keys;
        for (std::int64_t f = source.first; f <= source.last; ++f) {
            throwIfCancelled(monitor);
            keys.push_back(keyOf(loaded(frameFile(source.path, f)), scene.timeOf(f)));
        }
        return keys;
    }
    std::vector<Collider::Key> operator()(const PlaneShape& shape) const { return {keyOf(makeShape(shape), 0)}; }
    std::vector<Collider::Key> operator()(const TapirShape& shape) const { return {keyOf(trianglesOf(makeShape(shape)), 0)}; }
    template <class Shape>
    std::vector<Collider::Key> operator()(const Shape& shape) const {
        return {keyOf(boundaryMesh(makeShape(shape)), 0)};
    }

    TriMesh loaded(const std::string& path) const {
        const std::string file = (std::filesystem::path(scene.folder) / path).string();
        const Geometry geometry = load(file, monitor);
        try {
            return trianglesOf(geometry);
        } catch (const Error& e) {
            throw Error(format("'%s': %s", file.c_str(), e.what()), e.remedy());
        }
    }
    Collider::Key keyOf(TriMesh mesh, double time) const {
        for (Vec3& p : mesh.positions) p = collider.transform.apply(p);
        return {time, {std::move(mesh.positions), std::move(mesh.triangles), collider.thickness, collider.twoSided}};
    }
};

Collider colliderInput(const Scene& scene, const SceneCollider& from, const GeometryLoader& load, Monitor* monitor) {
    Collider input;
    input.name = from.name;
    input.contact = buildContactSurface(scene, from.contact);
    input.keys = std::visit(SurfaceLoader{scene, from, load, monitor}, from.source);
    input.motion = from.motion;
    input.visible = from.visible;
    return input;
}
}  // namespace

std::vector<std::shared_ptr<const Collider>> buildColliders(const Scene& scene, const GeometryLoader& load, Monitor* monitor, const ColliderShow* show) {
    std::vector<std::shared_ptr<const Collider>> colliders;
    for (const SceneCollider& from : scene.colliders) {
        throwIfCancelled(monitor);
        try {
            Collider input = colliderInput(scene, from, load, monitor);
            if (show) followTrack(*show, input);
            colliders.push_back(buildCollider(std::move(input)));
        } catch (const Error& e) {
            throw Error(format("collider '%s': %s", from.name.c_str(), e.what()), e.remedy());
        }
        if (monitor)
            for (const std::string& text : colliders.back()->warnings) monitor->warn(text);
    }
    return colliders;
}

}  // namespace sunder
