#include "core/body/body.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/body/rigid.h"
#include "core/body/tet_materials.h"
#include "core/fem/mass.h"

namespace sunder {

namespace {
void checkMaterials(Body& body) {
    if (body.materials.empty()) throw Error(format("body '%s' has no material", body.name.c_str()), "give it one");
    for (const Material& m : body.materials) validate(m);
    if (body.tetMaterial.empty()) body.tetMaterial.assign(body.mesh.tetCount(), 0);
    if (body.tetMaterial.size() != body.mesh.tetCount())
        throw Error(format("body '%s' names a material for %zu tets, it has %zu", body.name.c_str(), body.tetMaterial.size(),
                           body.mesh.tetCount()),
                    "name one for every tet, or for none");
    if (!body.materialText.empty() && body.materialText.size() != body.materials.size())
        throw Error(format("body '%s' has %zu texts for %zu materials", body.name.c_str(), body.materialText.size(), body.materials.size()), "give one a material, or none");
    for (const std::int32_t row : body.tetMaterial)
        if (row < 0 || static_cast<std::size_t>(row) >= body.materials.size())
            throw Error(format("body '%s' names material %d of %zu", body.name.c_str(), row, body.materials.size()),
                        "materials count from 0");
}

void checkMotion(const Body& body, const std::string& target, const Motion& motion) {
    const auto complain = [&](const char* what, const char* remedy) {
        throw Error(format("the motion of target '%s' of body '%s' has %s", target.c_str(), body.name.c_str(), what), remedy);
    };
    for (std::size_t k = 0; k < motion.keys.size(); ++k) {
        const Motion::Key& key = motion.keys[k];
        if (!std::isfinite(key.time) || !key.translation.allFinite() || !key.rotation.allFinite())
            complain("a key that is not a number", "give finite times, translations and rotations");
        if (k > 0 && !(key.time > motion.keys[k - 1].time))
            complain("keys out of order", "sort the keys by time, with no time twice");
    }
    if (!motion.pivot.allFinite()) complain("a pivot that is not a number", "give a finite point");
}

template <class Target>
void checkTarget(const Body& body, const Target& target) {
    if (target.anchor.size() != target.vertices.size())
        throw Error(format("target '%s' of body '%s' has %zu anchors for %zu vertices", target.name.c_str(), body.name.c_str(),
                           target.anchor.size(), target.vertices.size()),
                    "give one start position a vertex");
    for (const std::int32_t v : target.vertices)
        if (v < 0 || static_cast<std::size_t>(v) >= body.mesh.vertexCount())
            throw Error(format("target '%s' names vertex %d, body '%s' has %zu", target.name.c_str(), v, body.name.c_str(),
                               body.mesh.vertexCount()),
                        "vertices count from 0");
    for (const Vec3& a : target.anchor)
        if (!a.allFinite())
            throw Error(format("target '%s' of body '%s' has an anchor that is not a number", target.name.c_str(), body.name.c_str()),
                        "give finite positions");
    if (std::isnan(target.releaseTime))
        throw Error(format("the releaseTime of target '%s' of body '%s' is not a number", target.name.c_str(), body.name.c_str()),
                    "leave it out to hold for ever");
    checkMotion(body, target.name, target.motion);
}

void checkSpring(const Body& body, const SoftTarget& target) {
    const auto bad = [](double value) { return !std::isfinite(value) || value < 0; };
    if (bad(target.strength) || bad(target.damping))
        throw Error(format("target '%s' of body '%s' has strength %g and damping %g", target.name.c_str(), body.name.c_str(),
                           target.strength, target.damping),
                    "give zero or more, in N/m and N s/m");
    if (!target.weight.empty() && target.weight.size() != target.vertices.size())
        throw Error(format("target '%s' of body '%s' has %zu weights for %zu vertices", target.name.c_str(), body.name.c_str(),
                           target.weight.size(), target.vertices.size()),
                    "give one weight a vertex, or none");
    for (const double w : target.weight)
        if (bad(w))
            throw Error(format("target '%s' of body '%s' has the weight %g", target.name.c_str(), body.name.c_str(), w),
                        "paint weights of zero or more");
}

void checkForces(const Body& body) {
    if (!body.force.empty() && body.force.size() != body.mesh.vertexCount())
        throw Error(format("body '%s' has %zu painted forces for %zu vertices", body.name.c_str(), body.force.size(),
                           body.mesh.vertexCount()),
                    "give one force a vertex, or none");
    for (std::size_t i = 0; i < body.force.size(); ++i)
        if (!body.force[i].allFinite())
            throw Error(format("the painted force on vertex %zu of body '%s' is not a number", i, body.name.c_str()),
                        "paint finite forces");
}

void checkContact(const Body& body) {
    const ContactSurface& s = body.contact;
    const auto complain = [&](const char* what, double value, const char* remedy) {
        throw Error(format("body '%s' has %s %g", body.name.c_str(), what, value), remedy);
    };
    const auto bad = [](double value) { return !std::isfinite(value) || value < 0; };
    if (bad(s.friction)) complain("friction", s.friction, "give zero or more");
    if (bad(s.dynamicFriction) || s.dynamicFriction > s.friction)
        complain("dynamicFriction", s.dynamicFriction, "give zero or more, and at most its friction");
    if (bad(s.restitution) || s.restitution > 1) complain("restitution", s.restitution, "give a value from 0 to 1");
    if (bad(s.stiffnessScale) || s.stiffnessScale == 0) complain("stiffnessScale", s.stiffnessScale, "give a value above 0");
    const Attribute* painted = body.attributes.vertices.find("friction");
    if (painted && (painted->isString() || painted->tupleSize != 1))
        throw Error(format("the point attribute 'friction' of body '%s' is not one number a point", body.name.c_str()),
                    "make it a number that multiplies the body's friction");
    for (std::size_t i = 0; painted && i < body.mesh.vertexCount(); ++i)
        if (bad(painted->number(i))) complain("the painted friction", painted->number(i), "paint values of zero or more");
    for (const AttributeSet* set : {&body.attributes.vertices, &body.attributes.tets}) {
        const Attribute* collide = set->find("collide");
        if (collide && (collide->isString() || collide->tupleSize != 1))
            throw Error(format("the attribute 'collide' of body '%s' is not one number an element", body.name.c_str()), "make it a number, 0 where the body shall meet nothing; names of groups go into its `groups` and `collidesWith`");
    }
}

void buildVertexValues(Body& body, Span<const TetMaterial> materials) {
    const TetStars stars(body.mesh.tets, body.mesh.vertexCount());
    const bool damped = std::any_of(body.materials.begin(), body.materials.end(), [](const Material& m) { return m.massDamping != 0; });
    const bool hasSizes = !body.cellSize.empty();
    body.massDamping.clear();
    body.stiffness.clear();
    for (std::size_t v = 0; v < body.mesh.vertexCount(); ++v) {
        const VertexValues values = computeVertexValues(body, materials, stars.around(static_cast<std::int32_t>(v)));
        if (body.breaks()) {
            if (!hasSizes) body.cellSize.push_back(std::cbrt(values.volume));
            body.stiffness.push_back(values.youngs * values.volume / (body.cellSize[v] * body.cellSize[v]));
        } else {
            body.stiffness.push_back(values.youngs * std::cbrt(values.volume));
        }
        if (damped) body.massDamping.push_back(values.massDamping);
    }
}

std::vector<double> paintedToughness(const Body& body) {
    if (!body.attributes.tets.find("fracturethreshold") && !body.attributes.vertices.find("fracturethreshold")) return {};
    const Multiplier painted(body, "fracturethreshold");
    std::vector<double> scale;
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
        scale.push_back(painted(t));
        if (!(scale[t] > 0))
            throw Error(format("the painted 'fracturethreshold' of body '%s' leaves tet %zu no toughness", body.name.c_str(), t),
                        "paint values above 0, such as 0.01; what shall break by itself takes `breaktime`");
    }
    return scale;
}

std::vector<Vec4> paintedTurns(const Body& body) {
    const auto isWeaker = [](const Material& m) { return m.fracture.weakness != Vec3::Ones(); };
    if (std::none_of(body.materials.begin(), body.materials.end(), isWeaker)) return {};
    const PaintedTurn turn(body);
    std::vector<Vec4> turns;
    for (std::size_t t = 0; turn.isThere() && t < body.mesh.tetCount(); ++t) turns.push_back(turn(t));
    return turns;
}

/// The share of the smallest altitude at which the stable step of explicit methods is `share` of what it is: with frequencies that go with 1 / altitude and
/// damping that goes with its square, 2 / omega / (sqrt(1 + r^2) + r) with r = damping / omega.
double altitudeForStep(const ElementTable& elements, double share) {
    const double omega = std::sqrt(elements.largestOmegaSq), r0 = elements.largestDamping / omega;
    const auto step = [&](double s) { return s / (std::sqrt(1 + r0 * r0 / (s * s)) + r0 / s); };
    double low = 0, high = 1;
    for (int k = 0; k < 50; ++k) (step(0.5 * (low + high)) < share * step(1) ? low : high) = 0.5 * (low + high);
    return high;
}

constexpr double kShortestStep = 1.0 / 8;  // of the body's as a whole

double chooseSmallestAltitude(const TetMesh& mesh, const ElementTable& elements) {
    constexpr double kSmallestStep = 0.25;  // of the stable one
    double smallest = 1e300;
    for (const Tet& t : mesh.tets) {
        const auto p = [&](std::size_t c) -> const Vec3& { return mesh.rest[static_cast<std::size_t>(t[c])]; };
        smallest = std::min(smallest, tetAltitude(p(0), p(1), p(2), p(3)));
    }
    return smallest * altitudeForStep(elements, kSmallestStep);
}

/// A force and a stress have no mean, so vertices among tets that break by the one and by the other would have no toughness.
void checkToughness(const Body& body) {
    const auto goesBy = [](const Material& m, bool force) { return m.fracture.enabled && (m.fracture.kind == ToughnessKind::kByForce) == force; };
    const auto some = [&](bool force) { return std::any_of(body.materials.begin(), body.materials.end(), [&](const Material& m) { return goesBy(m, force); }); };
    if (!some(true) || !some(false)) return;
    std::vector<std::uint8_t> seen(body.mesh.vertexCount(), 0);  // bit 1: by force, 2: by stress or energy, 4: holds
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
        const Material& m = body.materials[static_cast<std::size_t>(body.tetMaterial[t])];
        for (const std::int32_t v : body.mesh.tets[t]) seen[static_cast<std::size_t>(v)] |= goesBy(m, true) ? 1 : goesBy(m, false) ? 2 : 4;
    }
    const auto both = std::find(seen.begin(), seen.end(), std::uint8_t{3});
    if (both != seen.end())
        throw Error(format("at vertex %td of body '%s' a material that breaks by `force` meets one that does not", both - seen.begin(), body.name.c_str()),
                    "let both go by `force`, or both by `stress` or `energy`");
}

/// What a broken body knows of its cracks has to fit it.
void checkFracture(Body& body) {
    if (!body.breaks()) return;
    checkToughness(body);
    const std::size_t tets = body.mesh.tetCount();
    if (body.rigid) throw Error(format("the rigid body '%s' cannot break", body.name.c_str()), "take `fracture` out of its material, or `rigid` out of it");
    if (body.insideFaces.empty()) body.insideFaces.assign(tets, 0);
    const auto fits = [&](const std::vector<double>& sizes) { return sizes.empty() || sizes.size() == body.mesh.vertexCount(); };
    const bool scaled = body.massScale.empty() || body.massScale.size() == tets;
    if (!scaled || !fits(body.cellSize) || !fits(body.columnHeight) || body.insideFaces.size() != tets || body.origin.size() > body.mesh.vertexCount() || body.tetParent.size() > tets)
        throw Error(format("the cracks of body '%s' do not fit its mesh", body.name.c_str()), "leave insideFaces, origin, tetParent and massScale empty");
}

/// Targets that some vertices of a rigid body follow would have to agree with each other and with the rest of it.
void checkRigid(const Body& body) {
    for (const HardTarget& t : body.constraints.hard)
        if (t.vertices.size() != body.mesh.vertexCount())
            throw Error(format("target '%s' holds %zu of the %zu vertices of the rigid body '%s'", t.name.c_str(), t.vertices.size(),
                               body.mesh.vertexCount(), body.name.c_str()),
                        "hold all of its vertices or none, or draw some with a soft target");
}

void matchInertia(Body& body, const std::vector<TetMaterial>& materials) {
    std::vector<double> tetMass(body.mesh.tetCount());
    for (std::size_t t = 0; t < tetMass.size(); ++t) tetMass[t] = materials[t].density * restVolume(body.mesh, t);
    sunder::matchInertia(body.mesh, tetMass, body.mass);
}
}  // namespace

bool Body::breaks() const {
    return std::any_of(materials.begin(), materials.end(), [](const Material& m) { return m.fracture.enabled; });
}

double Body::addedMass() const {
    double sum = 0;
    for (std::size_t t = 0; t < massScale.size(); ++t) sum += (1 - 1 / massScale[t]) * tetMaterials[t].density * restVolume(mesh, t);
    return sum;
}

void Body::appendTets(const TopologyEdit& edit, std::size_t first) {
    for (std::size_t t = first; t < mesh.tetCount(); ++t) {
        const auto parent = static_cast<std::size_t>(edit.newTets[t - edit.tetCount]);
        tetMaterial.push_back(tetMaterial[parent]);
        tetMaterials.push_back(tetMaterials[parent]);
        if (!toughnessScale.empty()) toughnessScale.push_back(toughnessScale[parent]);
        if (!grainTurn.empty()) grainTurn.push_back(Vec4(grainTurn[parent]));
        if (!massScale.empty()) massScale.push_back(massScale[parent]);
        if (!goneTets.empty()) goneTets.push_back(goneTets[parent]);
    }
    lead.extend(mesh, edit);
}

std::shared_ptr<const Body> buildBody(Body input) {
    auto body = std::make_shared<Body>(std::move(input));
    if (body->mesh.tets.empty())
        throw Error(format("body '%s' has no tetrahedra", body->name.c_str()), "tetrahedralize its surface first");
    validate(body->mesh);
    body->attributes.vertices.validate(body->mesh.vertexCount(), "vertices");
    body->attributes.tets.validate(body->mesh.tetCount(), "tets");
    checkMaterials(*body);
    for (const HardTarget& t : body->constraints.hard) checkTarget(*body, t);
    for (const SoftTarget& t : body->constraints.soft) {
        checkTarget(*body, t);
        checkSpring(*body, t);
    }
    checkForces(*body);
    checkContact(*body);
    checkFracture(*body);
    const TetMaterials tetMaterial(*body);
    std::vector<TetMaterial> materials;
    materials.reserve(body->mesh.tetCount());
    for (std::size_t t = 0; t < body->mesh.tetCount(); ++t) materials.push_back(tetMaterial(t));
    body->mass = computeLumpedMass(body->mesh, materials);
    for (std::size_t i = 0; i < body->mass.size(); ++i)
        if (!(body->mass[i] > 0))
            throw Error(format("vertex %zu of body '%s' belongs to no tet", i, body->name.c_str()), "remove unused points");
    buildVertexValues(*body, materials);
    if (body->breaks()) {
        body->tetMaterials = materials;
        body->toughnessScale = paintedToughness(*body);
        body->grainTurn = paintedTurns(*body);
        promoteBreakTimes(*body);
        body->lead = buildCrackLead(*body);
        body->tetStrength.clear();
        for (std::size_t t = 0; t < body->mesh.tetCount(); ++t) body->tetStrength.push_back(computeTetStrength(*body, t));
    }
    if (!body->rigid) {
        body->elements = buildElementTable(body->mesh, materials);
        if (body->breaks() && !(body->smallestAltitude > 0)) body->smallestAltitude = chooseSmallestAltitude(body->mesh, body->elements);
        if (body->breaks() && !(body->shortestStep > 0)) body->shortestStep = kShortestStep * stepOfTet({body->elements.largestOmegaSq, body->elements.largestDamping});
        return body;
    }
    checkRigid(*body);
    matchInertia(*body, materials);
    TetMesh bare;
    bare.rest = body->mesh.rest;
    body->elements = buildElementTable(bare, {});
    return body;
}

BodyState makeBodyState(const Body& body) {
    BodyState state;
    state.x = body.mesh.rest;
    state.v.assign(state.x.size(), Vec3::Zero());
    state.a.assign(state.x.size(), Vec3::Zero());
    if (body.elements.plastic()) state.plastic.resize(body.mesh.tetCount());
    return state;
}

}  // namespace sunder
