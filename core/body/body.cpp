#include "core/body/body.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/body/rigid.h"
#include "core/fem/mass.h"

namespace sunder {

namespace {
/// A painted multiplier: the attribute of that name on tets, or on vertices averaged over a tet's corners; 1 where there is none.
class Multiplier {
  public:
    Multiplier(const Body& body, const char* name)
        : body_(body), onTets_(body.attributes.tets.find(name)), onVertices_(body.attributes.vertices.find(name)), name_(name) {
        for (const Attribute* a : {onTets_, onVertices_})
            if (a && a->isString())
                throw Error(format("attribute '%s' of body '%s' is a string", name, body.name.c_str()), "make it a number");
    }
    double operator()(std::size_t tet) const {
        double value = 1;
        if (onTets_) value *= onTets_->number(tet);
        if (onVertices_) {
            double sum = 0;
            for (const std::int32_t v : body_.mesh.tets[tet]) sum += onVertices_->number(static_cast<std::size_t>(v));
            value *= sum / 4;
        }
        if (!(value >= 0) || !std::isfinite(value))
            throw Error(format("attribute '%s' of body '%s' makes %g of tet %zu", name_, body_.name.c_str(), value, tet),
                        "paint values of zero or more");
        return value;
    }

  private:
    const Body& body_;
    const Attribute *onTets_, *onVertices_;
    const char* name_;
};

std::vector<TetMaterial> makeTetMaterials(const Body& body) {
    const Multiplier stiffness(body, "stiffness"), density(body, "massdensity"), damping(body, "dampingratio"), yield(body, "yieldscale");
    std::vector<TetMaterial> rows;
    rows.reserve(body.mesh.tetCount());
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
        const Material& m = body.materials[static_cast<std::size_t>(body.tetMaterial[t])];
        LawParams p = lawParams(m);
        const double s = stiffness(t), d = damping(t), rho = m.density * density(t);
        if (!(s > 0) || !(rho > 0))
            throw Error(format("tet %zu of body '%s' has no stiffness or no mass", t, body.name.c_str()),
                        "paint 'stiffness' and 'massdensity' above zero");
        rows.push_back({m.law, {s * p.lambda, s * p.mu, d * p.phi, d * p.psi}, rho, plasticParams(m.plasticity, s * p.mu, yield(t))});
    }
    return rows;
}

void checkMaterials(Body& body) {
    if (body.materials.empty()) throw Error(format("body '%s' has no material", body.name.c_str()), "give it one");
    for (const Material& m : body.materials) validate(m);
    if (body.tetMaterial.empty()) body.tetMaterial.assign(body.mesh.tetCount(), 0);
    if (body.tetMaterial.size() != body.mesh.tetCount())
        throw Error(format("body '%s' names a material for %zu tets, it has %zu", body.name.c_str(), body.tetMaterial.size(),
                           body.mesh.tetCount()),
                    "name one for every tet, or for none");
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
}

/// Stiffness of a cube of the material around each vertex: E times the edge of its share of the volume.
void computeVertexStiffness(Body& body, const std::vector<TetMaterial>& materials) {
    std::vector<double> volume(body.mesh.vertexCount(), 0.0), youngsVolume(volume);
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
        const LawParams& p = materials[t].params;
        const double youngs = p.mu * (3 * p.lambda + 2 * p.mu) / (p.lambda + p.mu), share = restVolume(body.mesh, t) / 4;
        for (const std::int32_t v : body.mesh.tets[t]) {
            volume[static_cast<std::size_t>(v)] += share;
            youngsVolume[static_cast<std::size_t>(v)] += share * youngs;
        }
    }
    body.stiffness.resize(volume.size());
    for (std::size_t i = 0; i < volume.size(); ++i) body.stiffness[i] = youngsVolume[i] / volume[i] * std::cbrt(volume[i]);
}

void computeMassDamping(Body& body, const std::vector<TetMaterial>& materials) {
    body.massDamping.clear();
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) {
        const double rate = body.materials[static_cast<std::size_t>(body.tetMaterial[t])].massDamping;
        if (rate == 0) continue;
        body.massDamping.resize(body.mesh.vertexCount(), 0.0);
        for (const std::int32_t v : body.mesh.tets[t])
            body.massDamping[static_cast<std::size_t>(v)] += rate * materials[t].density * restVolume(body.mesh, t) / 4;
    }
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
    const std::vector<TetMaterial> materials = makeTetMaterials(*body);
    body->mass = computeLumpedMass(body->mesh, materials);
    for (std::size_t i = 0; i < body->mass.size(); ++i)
        if (!(body->mass[i] > 0))
            throw Error(format("vertex %zu of body '%s' belongs to no tet", i, body->name.c_str()), "remove unused points");
    computeMassDamping(*body, materials);
    computeVertexStiffness(*body, materials);
    if (!body->rigid) {
        body->elements = buildElementTable(body->mesh, materials);
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
