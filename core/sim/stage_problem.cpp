#include "core/sim/stage_problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/timer.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 2048, kBodyGrain = 16;
const ContactMemory kNothing;  // what colliders remember

bool isViscous(const Body& body) {
    return std::any_of(body.elements.chunks.begin(), body.elements.chunks.end(), [](const ElementChunk& c) { return c.viscous; });
}

/// Every vertex by itself.
SparsePattern diagonalPattern(std::size_t count) {
    SparsePattern p;
    for (std::size_t i = 0; i < count; ++i) {
        p.rowFirst.push_back(static_cast<std::int32_t>(i));
        p.column.push_back(static_cast<std::int32_t>(i));
        p.diagonal.push_back(static_cast<std::int32_t>(i));
    }
    p.rowFirst.push_back(static_cast<std::int32_t>(count));
    return p;
}

void ensureWork(BodyWork& work) {
    if (work.implicit) return;
    work.implicit = std::make_unique<ImplicitWork>();
    work.implicit->pattern = work.body->rigid ? diagonalPattern(work.vertexCount()) : buildSparsePattern(work.body->elements);
    if (work.body->rigid) work.implicit->matrix.values.resize(9 * work.vertexCount());
    work.implicit->matrix.pattern = &work.implicit->pattern;
}
}  // namespace

StageProblem::StageProblem(std::vector<BodyWork*> bodies, Workspace::Data& work, const StepSettings& settings, StepReport& report, Monitor* monitor)
    : bodies_(std::move(bodies)), work_(work), group_(work.group), settings_(settings), report_(report), monitor_(monitor),
      newmark_(settings.integrator == Integrator::kNewmark) {
    const Timer timer;
    for (BodyWork* body : bodies_) ensureWork(*body);
    report.symbolicSeconds += timer.seconds();
    offset_.push_back(0);
    for (BodyWork* body : bodies_) {
        offset_.push_back(offset_.back() + body->vertexCount());
        viscous_.push_back(isViscous(*body->body) ? 1 : 0);
        mass_.insert(mass_.end(), body->body->mass.begin(), body->body->mass.end());
    }
    contacts_ = work.contact.active() && bodies_.size() == work.bodies.size();
    for (std::size_t b = bodies_.size(); contacts_ && b < work.contact.bodyCount(); ++b) {
        offset_.push_back(offset_.back() + work.contact.shape(b).area.size());
        mass_.resize(offset_.back(), 0.0);
    }
}

bool StageProblem::fail(const std::string& message) {
    const std::string who = bodies_.size() == 1 ? format("body '%s'", name().c_str()) : format("%zu bodies", bodies_.size());
    report_.message = who + format(" at %g s, step %g s: ", time_, dt_) + message;
    return false;
}

bool StageProblem::letGoOfHeld() {
    const bool remembers = std::any_of(bodies_.begin(), bodies_.end(), [](const BodyWork* body) {
        return !body->state.contact.entries.empty() || !body->state.contact.ledEntries.empty();
    });
    if (!contacts_ || !remembers || work_.contact.heldCount() == 0) return false;
    for (BodyWork* body : bodies_) {
        body->state.contact.entries.clear();
        body->state.contact.ledEntries.clear();
        if (newmark_) std::fill(body->state.a.begin(), body->state.a.end(), Vec3::Zero());  // that of forces which are no more
    }
    report_.warnings.push_back(format("at %g s no step could be found in which all that has gone too deep is held, and it was let go; use finer cells or more substeps", time_));
    return true;
}

void StageProblem::gatherStart() {
    for (auto* list : {&xStart_, &vStart_, &aStart_}) list->clear();
    for (const BodyWork* body : bodies_) {
        const BodyState& s = body->state;
        xStart_.insert(xStart_.end(), s.x.begin(), s.x.end());
        vStart_.insert(vStart_.end(), s.v.begin(), s.v.end());
        aStart_.insert(aStart_.end(), s.a.begin(), s.a.end());
    }
    ledEnd_.clear();
    std::vector<Vec3> x, v;
    for (std::size_t c = 0; bodies_.size() + c < bodyCount(); ++c) {
        work_.contact.placeCollider(c, time_, x, v);
        xStart_.insert(xStart_.end(), x.begin(), x.end());
        vStart_.insert(vStart_.end(), v.begin(), v.end());
        work_.contact.placeCollider(c, time_ + dt_, x, v);
        ledEnd_.insert(ledEnd_.end(), x.begin(), x.end());
    }
    aStart_.resize(placeCount(), Vec3::Zero());
}

void StageProblem::holdVertices() {
    held_.clear();
    fixed_.clear();
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        held_.push_back(heldVertices(*bodies_[b]->body, bodies_[b]->state, time_, time_ + dt_));
        if (held_[b].fixed.empty()) continue;
        fixed_.resize(offset_.back(), 0);
        std::copy(held_[b].fixed.begin(), held_[b].fixed.end(), fixed_.begin() + static_cast<std::ptrdiff_t>(offset_[b]));
    }
    if (ledEnd_.empty()) return;
    fixed_.resize(offset_[bodies_.size()], 0);
    fixed_.resize(placeCount(), 1);
}

void StageProblem::hold(Span<Vec3> x) const {
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        for (std::size_t k = 0; k < held_[b].vertices.size(); ++k)
            x[offset_[b] + static_cast<std::size_t>(held_[b].vertices[k])] = held_[b].position[k];
    std::copy(ledEnd_.begin(), ledEnd_.end(), x.end() - static_cast<std::ptrdiff_t>(ledEnd_.size()));
}

/// A rigid body flies freely, its axis turning with it.
void StageProblem::predictRigid(std::size_t b) {
    const Span<const Vec3> x = part<const Vec3>(xStart_, b), v = part<const Vec3>(vStart_, b), a = part<const Vec3>(aStart_, b);
    const std::vector<double>& mass = bodies_[b]->body->mass;
    const RigidFrame frame = rigidFrame(mass, x);
    const RigidField velocity = rigidPart(frame, mass, x, v);
    freeTurn_[b] = turnFreely(frame, velocity.turn, dt_);
    Vec3 shift = dt_ * velocity.centre, turn = freeTurn_[b].turn;
    if (newmark_) {
        const RigidField acceleration = rigidPart(frame, mass, x, a);
        shift += 0.25 * dt_ * dt_ * acceleration.centre;
        turn += 0.25 * dt_ * dt_ * acceleration.turn;
    }
    moveRigidly(frame, shift, turn, x, part<Vec3>(xPredicted_, b));
}

void StageProblem::begin(double time, double dt) {
    time_ = time;
    dt_ = dt;
    inertia_ = (newmark_ ? 4 : 1) / (dt * dt);
    rate_ = (newmark_ ? 2 : 1) / dt;
    factorServes_ = coupled_ = false;
    storedAtStart_.reset();
    gatherStart();
    holdVertices();
    chooseKinds();
    solveFor({});
    known_.assign(bodies_.size(), {});
    for (std::size_t b = 0; b < bodies_.size(); ++b) bodies_[b]->loads->beginStage({time, dt, rate_, newmark_}, part<const Vec3>(xStart_, b));
    v_.resize(placeCount());
    scratch_.resize(placeCount());
    xPredicted_.resize(placeCount());
    placeGradient_.resize(placeCount());
    parallelFor(placeCount(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            xPredicted_[i] = xStart_[i] + dt * vStart_[i];
            if (newmark_) xPredicted_[i] += (0.25 * dt * dt) * aStart_[i];
        }
    });
    freeTurn_.resize(bodies_.size());
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (isRigid(b)) predictRigid(b);
    // viscosity of the shape at the start keeps its force a gradient; newmark, of second order, looks ahead instead
    xViscous_ = xStart_;
    if (newmark_) lookAhead();
    if (contacts_) beginContact();
    if (bodies_.size() == work_.bodies.size()) glue_.begin(work_.glue, offset_);
}

void StageProblem::lookAhead() {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        if (!viscous_[b]) continue;
        for (std::size_t i = offset_[b]; i < offset_[b + 1]; ++i) xViscous_[i] += dt_ * vStart_[i];
        // viscosity goes with the volume in laws with a barrier; a tet that would turn inside out has none to go by
        const Body& body = *bodies_[b]->body;
        if (needsPositiveDet(body) && !(computeEnergy(body.elements, part<const Vec3>(xViscous_, b), flowOf(b)).smallestDetF > 0))
            std::copy(xStart_.begin() + static_cast<std::ptrdiff_t>(offset_[b]), xStart_.begin() + static_cast<std::ptrdiff_t>(offset_[b + 1]),
                      xViscous_.begin() + static_cast<std::ptrdiff_t>(offset_[b]));
    }
}

void StageProblem::beginContact() {
    ContactBodies all;
    all.offset = offset_;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        all.shapes.push_back(&work_.contact.shape(b));
        all.memory.push_back(&bodies_[b]->state.contact);
    }
    for (std::size_t b = bodies_.size(); b < bodyCount(); ++b) {
        all.shapes.push_back(&work_.contact.shape(b));
        all.memory.push_back(&kNothing);
    }
    SideBodies sides;
    if (settings_.keepSides) sides = work_.contact.sideBodies(all.memory);
    {
        const Timed timed(report_.contactSeconds);
        const ContactSet& set = contactsAt(xStart_);
        contact_.begin(std::move(all), {rate_, newmark_}, set, xStart_, vStart_);
        contactAtStart_ = contact_.energy(set, nullptr);
    }
    if (!settings_.keepSides) return;
    contact_.keepSides(std::move(sides), vStart_);
    updateSides(xStart_);
    heldAtStart_ = work_.contact.heldCount() > 0;
}

const ContactSet& StageProblem::contactsAt(Span<const Vec3> x, bool withClusters) {
    std::vector<Span<const Vec3>> parts;
    for (std::size_t b = 0; b < bodyCount(); ++b) parts.push_back(part(x, b));
    return work_.contact.detect(parts, withClusters);
}

void StageProblem::safeShares(Span<const Vec3> from, Span<const Vec3> to, Span<double> share) {
    std::fill(share.begin(), share.end(), 1.0);
    if (!contacts_) return;
    Timer timer;
    std::vector<Span<const Vec3>> start, end;
    for (std::size_t b = 0; b < bodyCount(); ++b) {
        start.push_back(part(from, b));
        end.push_back(part(to, b));
    }
    work_.contact.safeShares(start, end, share);
    report_.contactSeconds += timer.seconds();
}

std::vector<std::pair<std::size_t, std::size_t>> StageProblem::touching() const {
    if (!contacts_) return {};
    return work_.contact.touchingPairs();
}

bool StageProblem::allows(Span<const Vec3> x) {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const Body& body = *bodies_[b]->body;
        if (needsPositiveDet(body) && !(computeEnergy(body.elements, part(x, b), flowOf(b)).smallestDetF > 0)) return false;
    }
    return true;
}

bool StageProblem::allCorotated() const {
    return std::all_of(bodies_.begin(), bodies_.end(), [](const BodyWork* body) {
        const auto& chunks = body->body->elements.chunks;
        return std::all_of(chunks.begin(), chunks.end(), [](const ElementChunk& c) { return c.law == ElasticLawId::kCorotated && c.plastic == PlasticLawId::kNone; });
    });
}

void StageProblem::updateVelocity(Span<const Vec3> x) {
    parallelFor(x.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            v_[i] = rate_ * (x[i] - xStart_[i]);
            if (newmark_) v_[i] -= vStart_[i];
        }
    });
    // the mean of two speeds cannot follow a motion that starts or stops: it would swing about it for ever
    if (!newmark_) return;
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        for (std::size_t k = 0; k < held_[b].vertices.size(); ++k)
            v_[offset_[b] + static_cast<std::size_t>(held_[b].vertices[k])] = held_[b].velocity[k];
}

double StageProblem::inertiaValue(std::size_t b, Span<const Vec3> x, Span<Vec3> minusGradient) const {
    return parallelReduce(x.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) {
            const std::size_t k = offset_[b] + i;
            const Vec3 away = x[i] - xPredicted_[k];
            sum += 0.5 * inertia_ * mass_[k] * away.squaredNorm();
            if (!minusGradient.empty()) minusGradient[i] -= (inertia_ * mass_[k]) * away;
        }
        return sum;
    });
}

/// Inertia, elasticity, viscosity and loads of one body.
double StageProblem::bodyValue(std::size_t b, Span<const Vec3> x, Span<Vec3> minusGradient) {
    BodyWork& work = *bodies_[b];
    const ElementTable& elements = work.body->elements;
    const Span<const Vec3> v = part<const Vec3>(v_, b);
    const ForceTotals internal = minusGradient.empty() ? computeEnergy(elements, x, flowOf(b))
                                                       : computeForces(elements, x, {}, work.scratch, minusGradient, flowOf(b));
    double value = internal.energy + internal.plasticPotential;
    if (viscous_[b]) value += 0.5 / rate_ * computeViscousForces(elements, part<const Vec3>(xViscous_, b), v, work.scratch, minusGradient);
    return value + work.loads->objective(x, v, minusGradient) + inertiaValue(b, x, minusGradient);
}

/// Finds what is known_ of x.
void StageProblem::evaluateBodies(Span<const Vec3> x, bool withGradient) {
    updateVelocity(x);
    Timer timer;
    parallelFor(bodies_.size(), 1, [&](std::size_t b, std::size_t) {
        const Span<const Vec3> own = part(x, b);
        Known& known = known_[b];
        if ((known.hasGradient || !withGradient) && std::equal(own.begin(), own.end(), known.x.begin(), known.x.end())) return;
        known.x.assign(own.begin(), own.end());
        known.hasGradient = withGradient;
        known.minusGradient.assign(withGradient ? own.size() : 0, Vec3::Zero());
        known.value = isLed(b) ? 0 : bodyValue(b, own, known.minusGradient);
    });
    report_.forceSeconds += timer.seconds();
}

void StageProblem::forget() {
    for (Known& known : known_) known.x.clear();
}

double StageProblem::placeValue(Span<const Vec3> x, Span<Vec3> minusGradient, bool gradientNext) {
    evaluateBodies(x, !minusGradient.empty());
    valueOfBodies_.assign(bodyCount(), 0.0);
    bool finite = true;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        valueOfBodies_[b] = known_[b].value;
        finite &= std::isfinite(known_[b].value);
    }
    if (!minusGradient.empty()) {
        parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t b = first; b < last; ++b) std::copy(known_[b].minusGradient.begin(), known_[b].minusGradient.end(), part(minusGradient, b).begin());
        });
        std::fill(minusGradient.begin() + offset_[bodies_.size()], minusGradient.end(), Vec3::Zero());
    }
    if (contacts_ && finite) {
        const Timed timed(report_.contactSeconds);
        contact_.addValues(contactsAt(x, gradientNext || !minusGradient.empty()), x, minusGradient, valueOfBodies_);
    }
    if (finite) glue_.addValues(x, minusGradient, valueOfBodies_);
    const double value = std::accumulate(valueOfBodies_.begin(), valueOfBodies_.end(), 0.0);
    return std::isnan(value) ? HUGE_VAL : value;
}

double StageProblem::value(Span<const Vec3> x, Span<Vec3> minusGradient, bool gradientNext) {
    if (minusGradient.empty()) return placeValue(x, {}, gradientNext);
    const double value = placeValue(x, placeGradient_, true);
    unknowns_.at(x);
    unknowns_.reduce(x, placeGradient_, minusGradient);
    return value;
}

void StageProblem::updateContacts(Span<const Vec3> x, Span<const std::uint8_t> bodies) {
    updateVelocity(x);
    if (settings_.ground.enabled) forget();
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        if (bodies.empty() || bodies[b]) bodies_[b]->loads->updateContacts(part(x, b), part<const Vec3>(v_, b));
    if (!contacts_) return;
    const Timed timed(report_.contactSeconds);
    contact_.updateFriction(contactsAt(x, true), x, bodies);
}

void StageProblem::updateNormalForces(Span<const Vec3> x, Span<const std::uint8_t> bodies) {
    if (!contacts_) return;
    const Timed timed(report_.contactSeconds);
    contact_.updateNormalForces(contactsAt(x, true), x, bodies);
}

void StageProblem::updateSides(Span<const Vec3> x) {
    if (!contacts_ || !settings_.keepSides) return;
    const Timer timer;
    const ContactSet& set = contactsAt(x);
    std::vector<std::uint8_t> known;
    for (std::size_t b = 0; b < bodyCount(); ++b) known.push_back(work_.contact.matters(b) ? 1 : 0);
    work_.contact.noteHeld(contact_.updateSides(set, x, known));
    report_.contactSeconds += timer.seconds();
}

void StageProblem::takeFrictionBySpeed(bool bySpeed) {
    if (settings_.ground.enabled) forget();
    for (BodyWork* body : bodies_) body->loads->takeFrictionBySpeed(bySpeed);
}

double StageProblem::freeNorm(Span<const Vec3> f) const {
    return std::sqrt(parallelReduce(f.size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i)
            if (fixedUnknown_.empty() || !fixedUnknown_[i]) sum += unknowns_.weight(i) * unknowns_.weight(i) * f[i].squaredNorm();
        return sum;
    }));
}

double StageProblem::roundOff(Span<const Vec3> x) const {
    double sum = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const double omegaSq = inertia_ + bodies_[b]->body->elements.largestOmegaSq + bodies_[b]->loads->largestOmegaSq();
        for (std::size_t i = offset_[b]; i < offset_[b + 1]; ++i) sum += (mass_[i] * omegaSq) * (mass_[i] * omegaSq) * x[i].squaredNorm();
    }
    return 2.2e-16 * std::sqrt(sum);
}

double StageProblem::roundOffEnergy() const {
    return sumBodies([&](std::size_t b) { return sunder::roundOffEnergy(*bodies_[b]); });
}

double StageProblem::constantForceNorm() const {
    return std::sqrt(sumBodies([&](std::size_t b) {
        const double norm = bodies_[b]->loads->constantForceNorm();
        return norm * norm;
    }));
}

/// A rigid body's speed changes by what forces made of free flight.
void StageProblem::endRigid(std::size_t b, Span<const Vec3> x, RigidField& velocity, RigidField& acceleration) const {
    const std::vector<double>& mass = bodies_[b]->body->mass;
    const Span<const Vec3> xStart = part<const Vec3>(xStart_, b), goal = part<const Vec3>(xPredicted_, b);
    const RigidFrame start = rigidFrame(mass, xStart), predicted = rigidFrame(mass, goal), end = rigidFrame(mass, x);
    const Vec3 shift = end.centre - predicted.centre, turn = rotationBetween(mass, goal, predicted.centre, x, end.centre);
    velocity = {rigidPart(start, mass, xStart, part<const Vec3>(vStart_, b)).centre + rate_ * shift, freeTurn_[b].spin + rate_ * turn};
    acceleration = {inertia_ * shift, inertia_ * turn};
    if (!newmark_) return;
    const RigidField pulled = rigidPart(start, mass, xStart, part<const Vec3>(aStart_, b));
    velocity.centre += 0.5 * dt_ * pulled.centre;
    velocity.turn += 0.5 * dt_ * pulled.turn;
}

void StageProblem::commit(Span<const Vec3> x) {
    const bool unsolved = findUnsolved(x);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        BodyState& s = bodies_[b]->state;
        for (std::size_t i = offset_[b]; unsolved && i < offset_[b + 1]; ++i) scratch_[i] /= mass_[i];
        if (contacts_) s.contact = std::move(contactAfter_[b]);
        if (s.sleep.asleep) continue;
        if (bodies_[b]->body->elements.plastic()) computeEnergy(bodies_[b]->body->elements, part(x, b), {s.plastic, dt_, s.plastic});
        if (isRigid(b)) {
            const Span<const Vec3> end = part(x, b);
            RigidField velocity, acceleration;
            endRigid(b, end, velocity, acceleration);
            const RigidFrame frame = rigidFrame(bodies_[b]->body->mass, end);
            if (unsolved) {
                const RigidField left = rigidPart(frame, bodies_[b]->body->mass, end, part<const Vec3>(scratch_, b));
                acceleration.centre += left.centre;
                acceleration.turn += left.turn;
            }
            for (std::size_t i = 0; i < end.size(); ++i) {
                s.x[i] = end[i];
                s.v[i] = velocity.at(frame, end[i]);
                s.a[i] = acceleration.at(frame, end[i]);
            }
            continue;
        }
        for (std::size_t i = 0; i < s.x.size(); ++i) {
            const std::size_t k = offset_[b] + i;
            s.a[i] = newmark_ ? Vec3((2 / dt_) * (v_[k] - s.v[i]) - s.a[i]) : Vec3((v_[k] - s.v[i]) / dt_);
            if (unsolved) s.a[i] += scratch_[k];
            s.x[i] = x[k];
            s.v[i] = v_[k];
        }
        if (newmark_)
            for (const std::int32_t k : held_[b].vertices) s.a[static_cast<std::size_t>(k)].setZero();
    }
}

}  // namespace sunder
