#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/body/tet_materials.h"
#include "core/mesh/adjacency.h"
#include "core/sim/glue.h"
#include "core/sim/glue_parts.h"
#include "core/spatial/triangle_tree.h"

namespace sunder {

namespace {
/// The boundary of a body, or of a part of it, as it is now.
struct Skin {
    const Body& body;
    const std::vector<Vec3>& x;
    std::vector<BoundaryFace> faces;
    std::vector<Tri> triangles;
    TriangleTree tree;

    Skin(const WorldBody& from, const GluePart& part) : body(*from.body), x(from.state->x) {
        std::vector<std::int32_t> numbers;
        std::vector<Tet> tets;
        for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
            if (!part.tets.empty() && !part.tets[t]) continue;
            numbers.push_back(static_cast<std::int32_t>(t));
            tets.push_back(body.mesh.tets[t]);
        }
        faces = collectBoundaryFaces(tets, buildTetNeighbors(tets, body.mesh.vertexCount()));
        for (BoundaryFace& f : faces) {
            f.tet = numbers[static_cast<std::size_t>(f.tet)];
            triangles.push_back(f.vertices);
        }
        tree = TriangleTree(x, triangles);
    }
    /// Vertices on it, ascending.
    std::vector<std::int32_t> vertices() const {
        std::vector<std::int32_t> list;
        for (const Tri& t : triangles) list.insert(list.end(), t.begin(), t.end());
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return list;
    }
};

double softest(const Body& body) {
    double youngs = 1e300;
    for (const Material& m : body.materials) youngs = std::min(youngs, m.youngs);
    return youngs;
}

/// The place where a vertex is, in the rest shape of the tet behind the face that it is near.
void placeBond(GlueBond& bond, const Vec3& x, const Skin& other, std::int32_t face) {
    bond.tet = other.faces[static_cast<std::size_t>(face)].tet;
    bond.corners = other.body.mesh.tets[static_cast<std::size_t>(bond.tet)];
    const auto corner = [&](const std::vector<Vec3>& list, std::size_t k) -> const Vec3& { return list[static_cast<std::size_t>(bond.corners[k])]; };
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = corner(other.x, static_cast<std::size_t>(k) + 1) - corner(other.x, 0);
    const Vec3 w = edges.inverse() * (x - corner(other.x, 0));
    bond.weight = Vec4(1 - w.sum(), w[0], w[1], w[2]);
    for (std::size_t k = 0; k < 4; ++k) bond.place += bond.weight[static_cast<Eigen::Index>(k)] * corner(other.body.mesh.rest, k);
}

/// A third of the faces around each vertex all of whose corners are stuck.
std::vector<double> stuckAreas(const Skin& skin, const std::vector<std::uint8_t>& stuck) {
    std::vector<double> area(skin.x.size(), 0.0);
    for (const Tri& t : skin.triangles) {
        const auto at = [&](std::size_t k) { return static_cast<std::size_t>(t[k]); };
        if (!stuck[at(0)] || !stuck[at(1)] || !stuck[at(2)]) continue;
        const double third = (skin.x[at(1)] - skin.x[at(0)]).cross(skin.x[at(2)] - skin.x[at(0)]).norm() / 6;
        for (std::size_t k = 0; k < 3; ++k) area[at(k)] += third;
    }
    return area;
}

bool isWithin(const GlueReach& reach, const Vec3& x) {
    if (reach.radius >= 1e300) return true;
    const Vec3 along = reach.b - reach.a;
    const double share = along.isZero(0) ? 0 : std::clamp(along.dot(x - reach.a) / along.squaredNorm(), 0.0, 1.0);
    return (x - reach.a - share * along).norm() <= reach.radius;
}

std::vector<GlueBond> stick(const SceneGlue& glue, const Skin& own, const Skin& other, const GlueReach& reach) {
    std::vector<GlueBond> bonds;
    std::vector<std::uint8_t> stuck(own.x.size(), 0);
    for (const std::int32_t v : own.vertices()) {
        const Vec3& x = own.x[static_cast<std::size_t>(v)];
        if (!isWithin(reach, x)) continue;
        const TriangleTree::Closest near = other.tree.closest(x, glue.distance * glue.distance * (1 + 1e-9));
        if (near.triangle < 0) continue;
        GlueBond bond;
        bond.vertex = v;
        placeBond(bond, x, other, near.triangle);
        stuck[static_cast<std::size_t>(v)] = 1;
        bonds.push_back(bond);
    }
    const std::vector<double> area = stuckAreas(own, stuck), cells = computeVertexSizes(own.body.mesh);
    const double youngs = glue.stiffnessScale * std::min(softest(own.body), softest(other.body));
    double all = 0, volume = 0;
    for (GlueBond& bond : bonds) {
        const auto v = static_cast<std::size_t>(bond.vertex);
        const double cell = cells[v];
        bond.area = area[v] > 0 ? area[v] : cell * cell;
        all += bond.area;
        volume += bond.area * cell;
    }
    // one thickness for all, so that a plain pull draws all bonds alike
    for (GlueBond& bond : bonds) {
        bond.stiffness = youngs * bond.area * all / volume;
        bond.strength = glue.strength;
    }
    return bonds;
}

std::size_t numberOf(const std::string& name, const SceneGlue& glue, const WorldState& world) {
    for (std::size_t b = 0; b < world.bodies.size(); ++b)
        if (world.bodies[b].body->name == name) return b;
    throw Error(format("glue '%s' names '%s', which is no body", glue.name.c_str(), name.c_str()), "name two bodies of the scene");
}
}  // namespace

std::vector<GlueBond> buildBonds(const SceneGlue& glue, const GluePart& a, const GluePart& b, const GlueReach& reach, const WorldState& world) {
    const Skin first(world.bodies[a.body], a), second(world.bodies[b.body], b);
    std::vector<GlueBond> bonds = stick(glue, first, second, reach), back = stick(glue, second, first, reach);
    const bool turned = back.size() > bonds.size();
    if (turned) bonds.swap(back);
    if (bonds.empty())
        throw Error(format("glue '%s' holds nothing: no vertex of '%s' or '%s' is within %g m of the other", glue.name.c_str(), a.name.c_str(), b.name.c_str(), glue.distance),
                    "move the bodies together or raise `distance`");
    for (GlueBond& bond : bonds) {
        bond.body = static_cast<std::int32_t>(turned ? b.body : a.body);
        bond.other = static_cast<std::int32_t>(turned ? a.body : b.body);
        if (bond.body == bond.other && std::find(bond.corners.begin(), bond.corners.end(), bond.vertex) != bond.corners.end())
            throw Error(format("glue '%s' sticks '%s' and '%s' together, which share points", glue.name.c_str(), a.name.c_str(), b.name.c_str()),
                        "glue parts that are apart, or leave out the glue: the material holds them");
    }
    return bonds;
}

std::vector<GlueBond> buildBonds(const SceneGlue& glue, const WorldState& world) {
    const std::size_t a = numberOf(glue.a, glue, world), b = numberOf(glue.b, glue, world);
    if (a == b) throw Error(format("glue '%s' names '%s' twice", glue.name.c_str(), glue.a.c_str()), "name two bodies");
    return buildBonds(glue, {a, {}, glue.a}, {b, {}, glue.b}, {}, world);
}

}  // namespace sunder
