#include "core/sim/world_fracture.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/timer.h"
#include "core/body/apply_edit.h"
#include "core/fracture/crack_debt.h"
#include "core/sim/break_zone.h"
#include "core/sim/glue.h"

namespace sunder {

namespace {
constexpr double kAltitudeShare = 0.25;  // where steps do not depend on the size of tets

BreakOptions optionsOf(const StepSettings& all, bool solvedAgain) {
    const FractureSettings& settings = all.fracture;
    BreakOptions options;
    options.altitudeShare = all.integrator == Integrator::kExplicit ? 1 : kAltitudeShare;
    options.snapAngle = settings.snapAngle;
    options.snapShare = settings.snapShare;
    options.mostCuts = settings.mostCuts;
    options.mostTets = static_cast<std::size_t>(settings.mostTets);
    if (solvedAgain) options.mostRings = 2;
    options.smallestPiece = settings.smallestPiece * settings.smallestPiece * settings.smallestPiece;
    return options;
}

/// Tets that a body may have where all others stay as they are.
std::size_t tetsThatFit(const std::vector<BodyWork>& bodies, std::size_t body, double mostMemory) {
    double others = 0;
    for (const BodyWork& work : bodies) others += static_cast<double>(work.body->mesh.tetCount());
    others -= static_cast<double>(bodies[body].body->mesh.tetCount());
    return static_cast<std::size_t>(std::clamp(1e9 * mostMemory / kBytesATet - others, 0.0, 1e15));
}

/// The body is the step's own from now on, and may change. A copy of all of it, once a step.
void makeOwn(BodyWork& work, const StepSettings& settings, double time) {
    if (work.own) return;
    work.own = std::make_shared<Body>(*work.body);
    work.body = work.own;
    if (work.own->columnHeight.empty())
        for (const double reach : buildContactShape(*work.own).reach) work.own->columnHeight.push_back(reach / kContactReach);
    if (work.links.empty()) work.links = buildTetLinks(work.own->mesh);
    makeLoads(work, settings);
    work.loads->begin(time);
}

std::vector<NodeFailure> findFailures(BodyWork& work, const BreakScope& scope, double dt) {
    if (!work.body->breaks() || work.state.sleep.asleep) return {};
    work.tension.assign(work.body->mesh.tetCount(), 0.0);
    computeTensions(work.body->elements, work.state.x, work.state.plastic, work.tension);
    std::vector<std::int32_t> candidates = findCandidates(*work.body, work.tension, scope.time);
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(), [&](std::int32_t v) { return work.state.sleep.isStill(static_cast<std::size_t>(v)); }),
                     candidates.end());
    if (candidates.empty()) return {};
    if (work.stars.vertexCount() == 0) work.stars = TetStars(work.body->mesh.tets, work.body->mesh.vertexCount());
    work.state.damage.resize(work.vertexCount(), 0);
    return keepEarliest(findFailures(*work.body, work.state, work.stars, candidates, scope, work.state.damage), work.state.x, waveSpeed(*work.body) * dt);
}

BreakTotals breakBody(BodyWork& work, const std::vector<NodeFailure>& failures, const StepSettings& settings, BreakOptions options, TopologyEdit& edit) {
    edit = TopologyEdit(work.own->mesh);
    edit.keepsStep = settings.integrator == Integrator::kExplicit;
    options.mostCuts -= work.cuts;
    const BreakTotals totals = Breaker(*work.own, work.state, work.stars, edit, options).run(failures);
    work.cuts += totals.cuts;
    return totals;
}

/// Loads at the cost of what the edit changed, but with soft targets, whose springs add up vertex by vertex.
void updateLoads(BodyWork& work, const StepSettings& settings, double time, const TopologyEdit& edit) {
    const std::vector<Tet>& tets = work.body->mesh.tets;
    if (work.surface) patchLoadSurface(edit, tets, work.stars, work.links, *work.surface);
    if (!work.loads->hasTargets()) return work.loads->follow(findReach(edit, tets, work.stars).vertices);
    makeLoads(work, settings);
    work.loads->begin(time);
}

void refresh(BodyWork& work, const StepSettings& settings, double time, TopologyEdit& edit) {
    applyEdit(edit, work.stars, *work.own);
    shareForces(edit, *work.own, work.push);
    applyEdit(edit, work.state);
    addDebts(edit, *work.own, work.state);
    work.renumbered = patchTetLinks(edit, work.body->mesh.tets, work.stars, work.links);
    updateElements(edit, *work.own);
    work.force.resize(work.vertexCount());
    work.implicit.reset();
    work.releaseForce.clear();
    work.pieceOfVertex.clear();
    updateLoads(work, settings, time, edit);
}
}  // namespace

void extendDepths(const std::vector<TopologyEdit>& edits, std::vector<std::vector<double>>& depths) {
    for (std::size_t b = 0; b < depths.size(); ++b)
        for (const VertexOrigin& o : edits[b].newVertices)
            depths[b].push_back((1 - o.weight) * depths[b][static_cast<std::size_t>(o.a)] + o.weight * depths[b][static_cast<std::size_t>(o.b)]);
}

void payForCracks(StepContext& context, double time, double dt) {
    for (BodyWork& work : context.work.bodies)
        if (!work.state.debts.empty() && !work.state.sleep.asleep)
            context.books.fracture += payDebts(*work.body, heldVertices(*work.body, work.state, time, time + dt).fixed, dt, work.state);
}

bool anyBreaks(const std::vector<BodyWork>& bodies, const StepSettings& settings) {
    return settings.fracture.enabled && std::any_of(bodies.begin(), bodies.end(), [](const BodyWork& work) { return work.body->breaks(); });
}

namespace {
/// Where each body may break at a time.
class BreakScopes {
  public:
    BreakScopes(const StepContext& context, double time) {
        for (const BodyWork& work : context.work.bodies) {
            active_.push_back(findActivePlaces(context.settings.fracture.zones, work.body->name, time, context.work.colliders));
            scopes_.push_back({time, active_.back().get()});
        }
    }
    const BreakScope& of(std::size_t body) const { return scopes_[body]; }

  private:
    std::vector<std::unique_ptr<const ActivePlaces>> active_;
    std::vector<BreakScope> scopes_;
};

std::vector<std::vector<NodeFailure>> findAllFailures(StepContext& context, const BreakScopes& scopes, double dt) {
    const Timer timer;
    std::vector<std::vector<NodeFailure>> failures;
    for (std::size_t b = 0; b < context.work.bodies.size(); ++b) failures.push_back(findFailures(context.work.bodies[b], scopes.of(b), dt));
    context.report.criterionSeconds += timer.seconds();
    return failures;
}

BreakTotals splitBodies(StepContext& context, const BreakMoment& now, const BreakScopes& scopes, const std::vector<std::vector<NodeFailure>>& failures,
                        std::vector<TopologyEdit>& edits) {
    const Timer copying;
    std::vector<BodyWork>& bodies = context.work.bodies;
    for (std::size_t b = 0; b < bodies.size(); ++b)
        if (!failures[b].empty()) makeOwn(bodies[b], context.settings, now.time);
    context.report.compactSeconds += copying.seconds();
    const Timer splitting;
    BreakTotals totals;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        if (failures[b].empty()) continue;
        BreakOptions options = optionsOf(context.settings, now.solvedAgain);
        options.scope = scopes.of(b);
        options.memoryTets = tetsThatFit(bodies, b, context.settings.fracture.mostMemory);
        totals += breakBody(bodies[b], failures[b], context.settings, options, edits[b]);
        if (!edits[b].empty()) {
            refresh(bodies[b], context.settings, now.time, edits[b]);
            followEdit(context.work.glue, b, edits[b], bodies[b].body->mesh);
        }
        totals.addedMass += edits[b].addedMass;
        totals.massIsFull |= edits[b].massIsFull;
    }
    context.work.group = GroupWork{};
    context.work.contact.follow(bodies, edits);
    context.report.splitSeconds += splitting.seconds();
    return totals;
}
}  // namespace

BreakTotals breakBodies(StepContext& context, const BreakMoment& now, std::vector<TopologyEdit>& edits) {
    const Timer timer;
    Workspace::Data& data = context.work;
    edits.assign(data.bodies.size(), {});
    const BreakScopes scopes(context, now.time);
    const std::vector<std::vector<NodeFailure>> failures = findAllFailures(context, scopes, now.dt);
    BreakTotals totals;
    if (std::any_of(failures.begin(), failures.end(), [](const auto& list) { return !list.empty(); })) {
        std::vector<std::vector<double>> depths = data.contact.depths(data.bodies);
        updatePresent(data, now.time, context.books);
        const double before = context.books.mechanical();
        totals = splitBodies(context, now, scopes, failures, edits);
        extendDepths(edits, depths);
        data.contact.allowBeyond(data.bodies, depths, now.time);
        allowGlued(data);
        updatePresent(data, now.time, context.books);
        context.books.edits += before - context.books.mechanical();
    }
    context.report.broken += totals;
    context.report.fractureSeconds += timer.seconds();
    return totals;
}

}  // namespace sunder
