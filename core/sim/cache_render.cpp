#include "core/sim/cache_render.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/polled_parallel.h"
#include "core/mesh/adjacency.h"
#include "core/mesh/merge.h"
#include "core/sim/cache_surface.h"
#include "core/spatial/aabb.h"
#include "core/surface/surface_map.h"

namespace sunder {

namespace {
constexpr int kMostWalked = 64;  // tets from the middle of a polygon to one of its corners
constexpr std::size_t kGrain = 4096, kBetween = 32;  // elements of a block, blocks from one look at the monitor to the next

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

Mat3 edges(const Tet& t, const std::vector<Vec3>& x) {
    Mat3 m;
    m << x[at(t[1])] - x[at(t[0])], x[at(t[2])] - x[at(t[0])], x[at(t[3])] - x[at(t[0])];
    return m;
}
Mat3 cofactor(const Mat3& f) {
    Mat3 c;
    c << f.col(1).cross(f.col(2)), f.col(2).cross(f.col(0)), f.col(0).cross(f.col(1));
    return c;
}

/// Finds ways through tets that share faces: those never lead over a crack.
class SideFinder {
  public:
    explicit SideFinder(const TetMesh& mesh) : mesh_(mesh), neighbors_(buildTetNeighbors(mesh.tets, mesh.vertexCount())), boxes_(mesh.tetCount()), seen_(mesh.tetCount(), 0) {
        for (std::size_t t = 0; t < boxes_.size(); ++t)
            for (const std::int32_t v : mesh.tets[t]) boxes_[t].extend(mesh.rest[at(v)]);
    }

    /// Whether tets that touch `region`, or one of the two, lead from one to the other.
    bool leads(std::int32_t from, std::int32_t to, Aabb region) {
        if (from == to) return true;
        for (const std::int32_t t : {from, to}) region.extend(boxes_[at(t)]);
        ++round_;
        queue_.assign(1, from);
        seen_[at(from)] = round_;
        for (std::size_t k = 0; k < queue_.size(); ++k)
            for (const std::int32_t n : neighbors_[at(queue_[k])]) {
                if (n == to) return true;
                if (n < 0 || seen_[at(n)] == round_ || !boxes_[at(n)].overlaps(region)) continue;
                seen_[at(n)] = round_;
                queue_.push_back(n);
            }
        return false;
    }

    /// The tet nearest to p on a way from `from` towards it.
    std::int32_t walk(std::int32_t from, const Vec3& p) {
        ++round_;
        std::int32_t best = from, now = from;
        double depth = -1e300;
        for (int k = 0; k < kMostWalked && now >= 0; ++k) {
            seen_[at(now)] = round_;
            const Vec4 w = barycentricWeights(mesh_, now, p);
            if (w.minCoeff() > depth) {
                depth = w.minCoeff();
                best = now;
            }
            now = depth >= 0 ? -1 : next(now, w);
        }
        return best;
    }

  private:
    /// Through the face that p lies farthest behind, of those that lead on.
    std::int32_t next(std::int32_t tet, const Vec4& w) const {
        std::int32_t chosen = -1;
        double farthest = 0;
        for (int f = 0; f < 4; ++f) {
            const std::int32_t n = neighbors_[at(tet)][static_cast<std::size_t>(f)];
            if (n >= 0 && seen_[at(n)] != round_ && w[f] < farthest) {
                farthest = w[f];
                chosen = n;
            }
        }
        return chosen;
    }

    const TetMesh& mesh_;
    std::vector<std::array<std::int32_t, 4>> neighbors_;
    std::vector<Aabb> boxes_;
    std::vector<std::uint32_t> seen_;
    std::vector<std::int32_t> queue_;
    std::uint32_t round_ = 0;
};

std::vector<Vec3> middlesOf(const Geometry& g, Monitor* monitor) {
    std::vector<Vec3> middles(g.primitiveCount());
    polledParallelFor(monitor, middles.size(), kGrain, kBetween, [&](std::size_t first, std::size_t last) {
        for (std::size_t p = first; p < last; ++p) {
            Vec3 sum = Vec3::Zero();
            for (const std::int32_t i : g.primitivePoints(p)) sum += g.positions[at(i)];
            middles[p] = sum / std::max(1, g.primitiveSize(p));
        }
    });
    return middles;
}

bool isCracked(const CacheFrame& frame) {
    return std::any_of(frame.insideFaces.begin(), frame.insideFaces.end(), [](std::uint8_t b) { return b != 0; });
}

template <class T>
std::vector<T> numbersAs(const Attribute& from, int size) {
    std::vector<T> out(from.elementCount() * static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < from.elementCount(); ++i)
        for (int c = 0; c < std::min(size, from.tupleSize); ++c) out[i * static_cast<std::size_t>(size) + static_cast<std::size_t>(c)] = static_cast<T>(from.number(i, c));
    return out;
}
/// Numbers as `like` keeps them; false if the one or the other is text.
bool conform(Attribute& a, const Attribute& like) {
    if (a.isString() || like.isString()) return a.isString() && like.isString();
    if (a.tupleSize == like.tupleSize && a.values.index() == like.values.index()) return true;
    std::visit(
        [&](const auto& values) {
            using Value = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (!std::is_same_v<Value, std::string>) a.values = numbersAs<Value>(a, like.tupleSize);
        },
        like.values);
    a.tupleSize = like.tupleSize;
    return true;
}

/// A `uv` of points goes to the vertices: the faces in cracks have theirs there, and hosts look at vertices first.
void moveToVertices(Geometry& out, const Geometry& render) {
    const Attribute* uv = render.points.find("uv");
    if (!uv || render.vertices.find("uv")) return;
    AttributeSet one;
    one.attributes.push_back(*uv);
    out.vertices.attributes.push_back(std::move(gatherAttributes(one, render.vertexPoint).attributes[0]));
    out.points.erase("uv");
}

/// The faces that cracks opened, with those attributes that the render mesh has, `v`, `name` and `uv`.
Geometry insideFaces(const CacheFrame& frame, const Geometry& render) {
    const CacheSurface surface = makeSurface(frame);
    const Geometry& skin = surface.geometry;
    const Group& inside = *skin.primitives.findGroup("inside");
    Geometry out;
    std::vector<std::int32_t> number(skin.pointCount(), -1), points, vertices, primitives;
    for (std::size_t p = 0; p < skin.primitiveCount(); ++p) {
        if (!inside.members[p]) continue;
        std::vector<std::int32_t> corners;
        for (const std::int32_t i : skin.primitivePoints(p)) {
            if (number[at(i)] < 0) {
                number[at(i)] = static_cast<std::int32_t>(points.size());
                points.push_back(i);
                out.positions.push_back(skin.positions[at(i)]);
            }
            corners.push_back(number[at(i)]);
        }
        for (std::int32_t v = skin.primitiveFirstVertex[p]; v < skin.primitiveFirstVertex[p + 1]; ++v) vertices.push_back(v);
        primitives.push_back(static_cast<std::int32_t>(p));
        out.addPrimitive(PrimitiveKind::kPolygon, corners);
    }
    const auto keep = [](AttributeSet set, const AttributeSet& wanted, const char* extra) {
        const auto isOut = [&](Attribute& a) {
            const Attribute* like = wanted.find(a.name);
            return like ? !conform(a, *like) : a.name != extra;
        };
        set.attributes.erase(std::remove_if(set.attributes.begin(), set.attributes.end(), isOut), set.attributes.end());
        set.groups.clear();
        return set;
    };
    out.points = keep(gatherAttributes(skin.points, points), render.points, "v");
    out.vertices = keep(gatherAttributes(skin.vertices, vertices), render.vertices, "uv");
    out.primitives = keep(gatherAttributes(skin.primitives, primitives), render.primitives, "name");
    out.primitives.addGroup("inside", out.primitiveCount()).members.assign(out.primitiveCount(), 1);
    return out;
}

Vec3 vectorAt(const Attribute& a, std::size_t i) { return {a.number(i, 0), a.number(i, 1), a.number(i, 2)}; }

void setFloats(AttributeSet& set, const char* name, AttributeMeaning meaning, const std::vector<Vec3>& values) {
    auto& out = set.add<float>(name, values.size(), 3, meaning);
    for (std::size_t i = 0; i < values.size(); ++i)
        for (int c = 0; c < 3; ++c) out[3 * i + static_cast<std::size_t>(c)] = static_cast<float>(values[i][c]);
}
}  // namespace

RenderMap::RenderMap(const Geometry& render, const CacheFrame& frame, Monitor* monitor) : renderPoints_(render.pointCount()) {
    if (render.primitiveCount() == 0) throw Error("the render mesh has no polygons", "give it the surface that is to be rendered, at rest");
    mesh_.rest = frame.rest;
    mesh_.tets = frame.tets;
    const SurfaceMap whole(mesh_, render.positions, monitor);
    outside_ = whole.outsideCount();
    tet_.assign(whole.tets().begin(), whole.tets().end());
    for (std::size_t i = 0; i < render.pointCount(); ++i) source_.push_back(static_cast<std::int32_t>(i));
    vertexPoint_ = render.vertexPoint;
    const std::vector<Vec3> middles = middlesOf(render, monitor);
    const SurfaceMap held(mesh_, middles, monitor);
    primitiveTet_.assign(held.tets().begin(), held.tets().end());
    if (isCracked(frame)) splitAtCracks(render, monitor);
    weights_.resize(source_.size());
    polledParallelFor(monitor, source_.size(), kGrain, kBetween, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) weights_[i] = barycentricWeights(mesh_, tet_[i], render.positions[at(source_[i])]);
    });
}

void RenderMap::splitAtCracks(const Geometry& render, Monitor* monitor) {
    SideFinder sides(mesh_);
    std::vector<std::vector<std::int32_t>> copies(render.pointCount());  // of every point: those that follow other tets
    for (std::size_t p = 0; p < render.primitiveCount(); ++p) {
        if (p % 65536 == 0) throwIfCancelled(monitor);
        Aabb region;
        for (const std::int32_t i : render.primitivePoints(p)) region.extend(render.positions[at(i)]);
        for (std::int32_t v = render.primitiveFirstVertex[p]; v < render.primitiveFirstVertex[p + 1]; ++v) {
            const std::int32_t i = render.vertexPoint[at(v)], middle = primitiveTet_[p];
            if (sides.leads(middle, tet_[at(i)], region)) continue;
            const std::int32_t tet = sides.walk(middle, render.positions[at(i)]);
            std::vector<std::int32_t>& known = copies[at(i)];
            const auto same = std::find_if(known.begin(), known.end(), [&](std::int32_t c) { return sides.leads(tet, tet_[at(c)], region); });
            if (same != known.end()) {
                vertexPoint_[at(v)] = *same;
                continue;
            }
            known.push_back(static_cast<std::int32_t>(source_.size()));
            vertexPoint_[at(v)] = known.back();
            source_.push_back(i);
            tet_.push_back(tet);
        }
    }
}

std::uint64_t RenderMap::identity(const Geometry& render, const CacheFrame& frame) {
    std::uint64_t hash = hashVector(frame.rest, hashVector(frame.tets, hashVector(frame.insideFaces)));
    return hashVector(render.positions, hashVector(render.vertexPoint, hashVector(render.primitiveFirstVertex, hash)));
}

std::vector<Vec3> RenderMap::interpolate(const std::vector<Vec3>& values, Monitor* monitor) const {
    std::vector<Vec3> out(source_.size());
    polledParallelFor(monitor, out.size(), kGrain, kBetween, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const Tet& t = mesh_.tets[at(tet_[i])];
            const Vec4& w = weights_[i];
            out[i] = w[0] * values[at(t[0])] + w[1] * values[at(t[1])] + w[2] * values[at(t[2])] + w[3] * values[at(t[3])];
        }
    });
    return out;
}

/// cof(F) n up to a positive factor: F = X M^-1, so cof(F) = cof(X) M^T / det M.
Vec3 RenderMap::turned(std::int32_t point, const Vec3& normal, const std::vector<Vec3>& x) const {
    const Tet& t = mesh_.tets[at(tet_[at(point)])];
    const Vec3 n = cofactor(edges(t, x)) * (edges(t, mesh_.rest).transpose() * normal);
    return n.squaredNorm() > 0 ? Vec3(n.normalized() * normal.norm()) : normal;
}

void RenderMap::turnNormals(Geometry& g, const CacheFrame& frame, Monitor* monitor) const {
    const auto turnAll = [&](AttributeSet& set, const auto& pointOf) {
        const Attribute* n = set.find("N");
        if (!n || n->isString() || n->tupleSize != 3) return;
        std::vector<Vec3> normals(n->elementCount());
        polledParallelFor(monitor, normals.size(), kGrain, kBetween, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) normals[i] = turned(pointOf(i), vectorAt(*n, i), frame.geometry.positions);
        });
        setFloats(set, "N", AttributeMeaning::kNormal, normals);
    };
    turnAll(g.points, [](std::size_t i) { return static_cast<std::int32_t>(i); });
    turnAll(g.vertices, [&](std::size_t v) { return vertexPoint_[v]; });
}

Geometry RenderMap::deform(const Geometry& render, const CacheFrame& frame, Monitor* monitor) const {
    const bool sameMesh = render.pointCount() == renderPoints_ && render.vertexCount() == vertexPoint_.size() && render.primitiveCount() == primitiveTet_.size();
    if (!sameMesh || frame.tets.size() != mesh_.tetCount() || frame.rest.size() != mesh_.vertexCount())
        throw Error("the render mesh or the tets have changed since they were bound", "bind them again");
    throwIfCancelled(monitor);
    Geometry out = render;
    out.positions = interpolate(frame.geometry.positions, monitor);
    out.vertexPoint = vertexPoint_;
    out.points = gatherAttributes(render.points, source_);
    moveToVertices(out, render);
    throwIfCancelled(monitor);
    setFloats(out.points, "v", AttributeMeaning::kVector, interpolate(pointVectors(frame.geometry, "v"), monitor));
    throwIfCancelled(monitor);
    turnNormals(out, frame, monitor);
    throwIfCancelled(monitor);
    if (const Attribute* own = render.primitives.find("name")) {
        Attribute kept = *own;
        kept.name = "rendername";
        out.primitives.erase("name");
        out.primitives.attributes.push_back(std::move(kept));
    }
    if (const Attribute* piece = frame.geometry.primitives.find("name"); piece && piece->isString()) {
        auto& names = out.primitives.add<std::string>("name", out.primitiveCount());
        for (std::size_t p = 0; p < names.size(); ++p) {
            if (p % (kGrain * kBetween) == 0) throwIfCancelled(monitor);
            names[p] = (*piece->as<std::string>())[at(primitiveTet_[p])];
        }
    }
    throwIfCancelled(monitor);
    out.primitives.addGroup("outside", out.primitiveCount()).members.assign(out.primitiveCount(), 1);
    out.primitives.addGroup("inside", out.primitiveCount());
    if (isCracked(frame)) appendGeometry(out, insideFaces(frame, out));
    return out;
}

}  // namespace sunder
