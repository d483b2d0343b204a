#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/body/rigid.h"
#include "core/sim/body_work.h"
#include "core/sim/world_contact.h"

/// What WorldContact knows of the bodies, and how that follows their edits.
namespace sunder {

namespace {
/// A vertex's own spring and those of the vertices that it meets reach it with their sum of weights, which is about two.
constexpr double kSprings = 8, kDampers = 4;

bool meetsItself(const ContactSurface& s, const ContactShape& shape) {
    return s.self == SelfContact::kAll || (s.self == SelfContact::kBetweenPieces && shape.inPieces);
}

/// What pairs may call a body or collider.
using Names = std::vector<std::string>;

Names namesOf(const Body& body) {
    Names names = {body.name};
    for (const Material& m : body.materials) names.push_back(m.name);
    return names;
}

bool fits(const ContactPair& p, const Names& a, const Names& b) {
    const auto among = [](const std::string& name, const Names& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
    return (among(p.a, a) && among(p.b, b)) || (among(p.b, a) && among(p.a, b));
}

double dampingRatio(const ContactPair& p) { return p.restitution >= 0 ? dampingRatioOfBounce(p.restitution) : -1; }

/// Bodies from `body` on, and colliders, that meet it in a way of their own.
std::vector<ContactPartner> partnersOf(std::size_t body, const std::vector<Names>& names, const std::vector<ContactPair>& pairs) {
    std::vector<ContactPartner> partners;
    for (std::size_t other = body; other < names.size() && !pairs.empty(); ++other) {
        const auto last = std::find_if(pairs.rbegin(), pairs.rend(), [&](const ContactPair& p) { return fits(p, names[body], names[other]); });
        if (last != pairs.rend()) partners.push_back({static_cast<std::int32_t>(other), Vec2(last->friction, last->dynamicFriction), dampingRatio(*last)});
    }
    return partners;
}

/// Mean over the tets of their smallest height, m.
double meanThickness(Span<const Tet> tets, Span<const Vec3> x) {
    double sum = 0;
    for (const Tet& t : tets) {
        const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
        const Vec3 u = at(1) - at(0), v = at(2) - at(0), w = at(3) - at(0);
        const double largest = std::max({u.cross(v).norm(), v.cross(w).norm(), w.cross(u).norm(), (v - u).cross(w - u).norm()});
        if (largest > 0) sum += std::abs(u.cross(v).dot(w)) / largest;
    }
    return sum / static_cast<double>(tets.size());
}
/// Smallest among the bodies of the mean size of a tet, m.
double smallestTets(const std::vector<BodyWork>& bodies) {
    double smallest = HUGE_VAL;
    for (const BodyWork& work : bodies) {
        const TetMesh& mesh = work.body->mesh;
        double sum = 0;
        for (const Tet& tet : mesh.tets) {
            Aabb box;
            for (const std::int32_t v : tet) box.extend(mesh.rest[static_cast<std::size_t>(v)]);
            sum += box.diagonal();
        }
        if (!mesh.tets.empty()) smallest = std::min(smallest, sum / static_cast<double>(mesh.tets.size()));
    }
    return smallest;
}
}  // namespace

bool WorldContact::anyMeet() const {
    for (std::size_t a = 0; a < bodies_.size(); ++a)
        for (std::size_t b = a + 1; b < shapes_.size(); ++b)
            if (meet(shapes_[a]->surface, shapes_[b]->surface)) return true;
    return false;
}

/// Of critical damping, that a shape's dampers may have.
double WorldContact::largestRatio(const ContactShape& shape) const {
    double largest = shape.dampingRatio;
    for (const ContactPair& p : pairs_) largest = std::max(largest, dampingRatio(p));
    return largest;
}

void WorldContact::boundVertex(std::size_t body, std::size_t i) {
    const ContactShape& shape = *shapes_[body];
    const double mass = bodies_[body]->mass[i];
    omegaSq_[body] = std::max(omegaSq_[body], kSprings * shape.stiffness[i] / mass);
    damping_[body] = std::max(damping_[body], kDampers * largestRatio(shape) * shape.criticalDamping[i] / mass);
}

void WorldContact::boundBodies() {
    omegaSq_.assign(bodies_.size(), 0.0);
    damping_.assign(bodies_.size(), 0.0);
    mobility_.assign(bodies_.size(), 0.0);
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        for (std::size_t i = 0; i < bodies_[b]->mass.size(); ++i) boundVertex(b, i);
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (bodies_[b]->rigid) boundRigid(b);
}

void WorldContact::addBody(BodyWork& work, std::size_t number, const std::vector<Names>& names) {
    const bool breaks = work.body->breaks();
    if (breaks && work.links.empty()) work.links = buildTetLinks(work.body->mesh);
    own_.push_back(std::make_shared<ContactShape>(breaks ? buildContactShape(*work.body, work.links) : buildContactShape(*work.body)));
    own_.back()->partners = partnersOf(number, names, pairs_);
    shapes_.push_back(own_.back());
    bodies_.push_back(work.body);
    thickness_.push_back(meanThickness(work.body->mesh.tets, work.body->mesh.rest));
}

/// A rigid body's own springs act on what yields no more than it does; else those of the other body push it, at a lever.
void WorldContact::boundRigid(std::size_t body) {
    const RigidFrame frame = rigidFrame(bodies_[body]->mass, bodies_[body]->mesh.rest);
    double leverSq = 0;
    for (const Vec3& p : bodies_[body]->mesh.rest) leverSq = std::max(leverSq, (p - frame.centre).squaredNorm());
    const double mobility = mobility_[body] = 1 / frame.mass + leverSq / Eigen::SelfAdjointEigenSolver<Mat3>(frame.inertia).eigenvalues()[0];
    // of its own dampers at most those of one side act
    const double side = std::pow(static_cast<double>(bodies_[body]->mass.size()), 2.0 / 3) / frame.mass;
    const std::vector<double>& own = shapes_[body]->criticalDamping;
    const double ownDamping = largestRatio(*shapes_[body]) * (kDampers * mobility + side) * *std::max_element(own.begin(), own.end());
    bool ownCount = false;
    double stiffness = 0, damping = 0;
    for (std::size_t b = 0; b < shapes_.size(); ++b) {
        if (b == body || !meet(shapes_[body]->surface, shapes_[b]->surface)) continue;
        const ContactShape& other = *shapes_[b];
        ownCount |= std::isinf(other.modulus);
        if (std::isinf(other.modulus)) continue;
        stiffness = std::max(stiffness, *std::max_element(other.stiffness.begin(), other.stiffness.end()));
        damping = std::max(damping, largestRatio(other) * *std::max_element(other.criticalDamping.begin(), other.criticalDamping.end()));
    }
    omegaSq_[body] = std::max(ownCount ? omegaSq_[body] : 0, kSprings * stiffness * mobility);
    damping_[body] = std::max(ownCount ? ownDamping : 0, kDampers * damping * mobility);
}

void WorldContact::rebuild(std::vector<BodyWork>& bodies) {
    bodies_.clear();
    shapes_.clear();
    own_.clear();
    edited_.assign(bodies.size(), 0);
    thickness_.clear();
    std::vector<Names> names;
    for (const BodyWork& work : bodies) names.push_back(namesOf(*work.body));
    for (const LedCollider& led : colliders_) names.push_back({led.collider->name});
    for (std::size_t b = 0; b < bodies.size(); ++b) addBody(bodies[b], b, names);
    for (const LedCollider& led : colliders_) {
        const Collider::Stretch& stretch = led.collider->stretches[led.stretch];
        thickness_.push_back(meanThickness(stretch.slab.tets, stretch.vertices[0]));
        shapes_.push_back(std::shared_ptr<const ContactShape>(led.collider, &stretch.shape));
    }
    BroadPhaseSettings settings;
    settings.growth.mostPadding = settings.growth.padding * smallestTets(bodies);
    finder_.reset(shapes_, bodies.size(), settings);
    boundBodies();
    findWhetherActive();
}

void WorldContact::findWhetherActive() {
    withItself_ = false;
    for (std::size_t b = 0; b < bodies_.size(); ++b) withItself_ |= meetsItself(shapes_[b]->surface, *shapes_[b]);
    active_ = withItself_ || anyMeet();
}

void WorldContact::follow(std::vector<BodyWork>& bodies, const std::vector<TopologyEdit>& edits) {
    if (bodies_.empty()) return;
    for (std::size_t b = 0; b < edits.size(); ++b) {
        if (edits[b].empty()) continue;
        const BodyWork& work = bodies[b];
        bodies_[b] = work.body;
        edited_[b] = 1;
        finder_.follow(b, patchContactShape({edits[b], *work.body, work.stars, work.links, work.renumbered}, *own_[b]));
        for (const std::int32_t v : findReach(edits[b], work.body->mesh.tets, work.stars).vertices) boundVertex(b, static_cast<std::size_t>(v));
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (bodies_[b]->rigid) boundRigid(b);
    if (!withItself_) findWhetherActive();
}

/// What follows from all of a body, as if made anew.
void WorldContact::settle(std::vector<BodyWork>& bodies) {
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        if (!edited_[b]) continue;
        updateModulus(*bodies_[b], *own_[b]);
        thickness_[b] = meanThickness(bodies_[b]->mesh.tets, bodies_[b]->mesh.rest);
    }
    if (std::find(edited_.begin(), edited_.end(), 1) != edited_.end()) boundBodies();
    edited_.assign(bodies.size(), 0);
}

void WorldContact::prepare(std::vector<BodyWork>& bodies, const std::vector<std::shared_ptr<const Collider>>& colliders, double time,
                           const StepSettings& settings) {
    keepSides_ = settings.keepSides;
    since_ = time;
    noteHeld({});
    if (!settings.contact || bodies.empty()) {
        active_ = false;
        bodies_.clear();
        shapes_.clear();
        colliders_.clear();
        return;
    }
    std::vector<LedCollider> led;
    for (const auto& c : colliders) led.push_back({c, c->stretchAt(time), {}, {}, {}, {}});
    bool same = bodies_.size() == bodies.size() && pairs_ == settings.contactPairs && colliders_ == led && response_ == settings.contactResponse;
    for (std::size_t b = 0; same && b < bodies.size(); ++b) same = bodies_[b] == bodies[b].body;
    if (same) {
        settle(bodies);
        setStirring(std::vector<std::uint8_t>(shapes_.size(), 1));
        return;
    }
    pairs_ = settings.contactPairs;
    response_ = settings.contactResponse;
    nodeSet_ = {};
    nodes_.clear();
    colliders_ = std::move(led);
    rebuild(bodies);
}

}  // namespace sunder
