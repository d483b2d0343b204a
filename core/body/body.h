#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/body/constraints.h"
#include "core/body/contact_surface.h"
#include "core/body/crack_lead.h"
#include "core/fem/element_table.h"
#include "core/material/material.h"
#include "core/mesh/attributes.h"
#include "core/mesh/tet_mesh.h"
#include "core/mesh/topology_edit.h"

namespace sunder {

/// Which part of another body a body was.
struct PieceSource {
    std::int32_t body = -1;               ///< its number in the world; negative: it was no piece
    std::vector<std::int32_t> vertices;   ///< there, of every vertex, ascending
    std::vector<std::int32_t> tets;       ///< there, of every tet, ascending
};

/// What a body is between two edits of its topology; never changed once built, and shared by all states that refer to it.
struct Body {
    std::string name;
    TetMesh mesh;
    MeshAttributes attributes;
    std::vector<Material> materials;
    std::vector<std::int32_t> tetMaterial;  ///< row of `materials` for every tet
    std::vector<std::string> materialText;  ///< of every row: what geometry names it by and frames show (sim/material_rows.h), empty for one that geometry does not name; or none at all
    Constraints constraints;
    ContactSurface contact;
    bool rigid = false;       ///< keeps its shape: moves as one. Its material gives it its mass and contact its stiffness
    std::vector<Vec3> force;  ///< painted force on every vertex, N, or empty
    std::vector<WeakSurface> weakSurfaces;  ///< guides and patterns that lead its cracks
    std::uint64_t seed = 0;                 ///< of what is random in how it breaks

    // what cracks have made of it; empty while it is whole
    std::vector<VertexOrigin> origin;       ///< of the last vertices, those that cracks have made
    std::vector<std::int32_t> tetParent;    ///< the tet that each of the last tets was cut from
    std::vector<std::uint8_t> insideFaces;  ///< of every tet: bits of the faces (kTetFaces) that a crack has opened
    // what contact springs go by stays that of the whole body, or they would get stiffer under a load as cracks make smaller tets
    std::vector<double> cellSize;           ///< m, of every vertex: edge of its share of the volume before anything broke
    std::vector<double> columnHeight;       ///< m, of every vertex: of the material that contact squeezes; empty until something has broken
    double smallestAltitude = 0;            ///< m, of tets that cracks may leave; 0: from the mesh as it is
    double shortestStep = 0;                ///< s, stable explicit step of a tet that cracks may leave; 0: from the mesh as it is
    std::vector<std::uint8_t> goneTets;     ///< of every tet: 1 if its piece has left as a rigid body or a particle (sim/small_pieces.h). Its vertices lie held in the
                                            ///< rest shape, and nothing meets it; empty: none has
    PieceSource pieceOf;                    ///< of a rigid body that was a piece of another
    std::vector<double> massScale;          ///< of every tet that would not allow that step: what its mass is multiplied by; empty: 1 everywhere

    // made by buildBody from the above
    std::vector<double> mass;        ///< lumped mass of every vertex, kg
    std::vector<double> massDamping; ///< drag coefficient of every vertex, kg/s, or empty if none
    std::vector<double> stiffness;   ///< a contact stiffness of every vertex, N/m, from modulus and size around it
    std::vector<TetMaterial> tetMaterials;  ///< of every tet; only if it can break
    std::vector<double> toughnessScale;     ///< of every tet, or empty: painted `fracturethreshold`
    std::vector<Vec4> grainTurn;            ///< of every tet, or empty: painted `orient` as a unit quaternion x, y, z, w; only if some material is weaker along an axis
    std::vector<double> tetStrength;        ///< toughness of every tet as a stress, Pa, infinite if it does not break; only if some do
    CrackLead lead;                         ///< only if it can break
    ElementTable elements;           ///< no tets if rigid

    /// Some of its materials can break.
    bool breaks() const;
    /// What those of its tets are made of whose material geometry does not name, the first row; null if it names all.
    const Material* ownMaterial() const { return materialText.empty() || materialText[0].empty() ? &materials[0] : nullptr; }
    bool isGone(std::size_t tet) const { return !goneTets.empty() && goneTets[tet] != 0; }
    /// What multiplies the toughness of a tet.
    double toughnessOf(std::size_t tet) const { return toughnessScale.empty() ? 1 : toughnessScale[tet]; }
    /// What multiplies the mass of a tet.
    double massScaleOf(std::size_t tet) const { return massScale.empty() ? 1 : massScale[tet]; }
    /// kg that massScale has added to all tets.
    double addedMass() const;
    /// For whoever edits the mesh: tets from `first` on take over what their parents are made of, and the lead of cracks grows with the mesh.
    void appendTets(const TopologyEdit& edit, std::size_t first);
};

/// Checks the input (throws Error with a remedy) and makes the derived data. `tetMaterial` may be empty for row 0 everywhere.
std::shared_ptr<const Body> buildBody(Body input);

/// A vertex that has gone into another body, or into another part of its own, and the face by which it did: see core/contact/contact_sides.h.
struct ContactEntry {
    std::int32_t body = 0, vertex = 0;  ///< who went in
    std::int32_t other = 0, code = 0;   ///< whom, and by which triangle of its surface: 4 * tet + face
    Tri corners{};                      ///< vertices of that triangle, outward
    std::int32_t stretch = 0;           ///< of the collider among the two, see Collider; 0 if none is
    double free = 0;                    ///< m: as deep as this nothing pushes
    double stiffness = 0, reach = 0;    ///< of the spring beyond, N/m and m
    Vec3 slide = Vec3::Zero();          ///< how far the spring of its friction is drawn, m
    double stored = 0;                  ///< and the energy in that, J
};

/// What contact remembers of a body's vertices.
struct ContactMemory {
    std::vector<Vec3> slide;        ///< how far friction's springs are drawn, m; empty: not at all
    std::vector<double> stored;     ///< energy in these springs, J
    std::vector<double> allowance;  ///< overlap that was there from the start and is not pushed against, m; empty: none
    std::vector<ContactEntry> entries;     ///< of the body's vertices, ascending by vertex and other
    std::vector<ContactEntry> ledEntries;  ///< of colliders' vertices in this body, ascending by collider and vertex

    Vec3 slideOf(std::size_t i) const { return slide.empty() ? Vec3(Vec3::Zero()) : slide[i]; }
    void keep(std::size_t i, std::size_t count, const Vec3& drawn, double energy) {
        slide.resize(count, Vec3::Zero());
        stored.resize(count, 0.0);
        slide[i] = drawn;
        stored[i] = energy;
    }
    double allowanceOf(std::size_t i) const { return allowance.empty() ? 0 : allowance[i]; }
    /// Energy in the springs of the entries' friction, J.
    double storedInEntries() const {
        double sum = 0;
        for (const auto* list : {&entries, &ledEntries})
            for (const ContactEntry& e : *list) sum += e.stored;
        return sum;
    }
};

/// A piece of a body, or all of one that is whole or glued. Edits only add vertices, so its lowest one is its name.
struct PieceName {
    std::int32_t body = 0;    ///< its number in the world, and -1 - c for collider c
    std::int32_t vertex = 0;  ///< the lowest
    std::int32_t size = 0;    ///< vertices

    friend bool operator==(const PieceName& a, const PieceName& b) { return a.body == b.body && a.vertex == b.vertex && a.size == b.size; }
    friend bool operator<(const PieceName& a, const PieceName& b) {
        return a.body != b.body ? a.body < b.body : a.vertex != b.vertex ? a.vertex < b.vertex : a.size < b.size;
    }
};

/// How still a piece of a body is.
struct PieceSleep {
    std::int32_t vertex = 0, size = 0;  ///< of its PieceName
    double calm = 0;                    ///< s for which it has been slow
    bool asleep = false;
    std::vector<PieceName> touched;     ///< what it touched when it fell asleep, ascending
};

/// How still a body is.
struct SleepState {
    bool asleep = false;               ///< all of it
    Vec3 pull = Vec3::Zero();          ///< gravity and uniform force when something of it fell asleep, m/s2
    std::vector<PieceSleep> pieces;    ///< those that are calm or asleep, ascending
    std::vector<std::uint8_t> still;   ///< of every vertex: 1 if it is of one of several pieces that is asleep, and held where it is; empty: none is

    bool isStill(std::size_t vertex) const { return !still.empty() && still[vertex] != 0; }
    /// Something of it is.
    bool anyAsleep() const {
        if (asleep) return true;
        for (const PieceSleep& p : pieces)
            if (p.asleep) return true;
        return false;
    }
};

/// What the two sides of a new crack still owe for having been parted.
struct CrackDebt {
    std::int32_t a, b;  ///< vertices that were one
    double energy;      ///< J
};

/// What has let go of a vertex, as bits.
inline constexpr std::uint8_t kReleasedPin = 1, kReleasedTarget = 2;

/// All that a cache has to hold of a body at one time.
struct BodyState {
    std::vector<Vec3> x;  ///< m
    std::vector<Vec3> v;  ///< m/s
    std::vector<Vec3> a;  ///< m/s2, of the last force evaluation; what explicit steps continue from
    ContactMemory contact;
    SleepState sleep;
    std::vector<PlasticState> plastic;  ///< of every tet, in the order of Body::mesh; empty if none is plastic
    std::vector<CrackDebt> debts;       ///< of cracks in materials with a fracture energy
    std::vector<std::uint8_t> released; ///< of every vertex: what has let go of it because it pulled too hard; empty: nothing has

    std::vector<float> damage;          ///< of every vertex: how near to breaking it has come so far (Separation::ratio), at most 1, and 1 where it broke; empty: 0

    bool isReleased(std::size_t vertex, std::uint8_t by) const { return !released.empty() && (released[vertex] & by) != 0; }
};

/// At rest in its rest shape.
BodyState makeBodyState(const Body& body);

}  // namespace sunder
