#include "core/sim/world_fracture.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/timer.h"
#include "core/body/apply_edit.h"
#include "core/sim/break_zone.h"
#include "core/sim/glue.h"

namespace sunder {

namespace {
BreakOptions optionsOf(const FractureSettings& settings) {
    BreakOptions options;
    options.snapAngle = settings.snapAngle;
    options.snapShare = settings.snapShare;
    options.mostCuts = settings.mostCuts;
    options.mostTets = static_cast<std::size_t>(settings.mostTets);
    options.smallestPiece = settings.smallestPiece * settings.smallestPiece * settings.smallestPiece;
    return options;
}

/// The body is the step's own from now on, and may change.
Body& makeOwn(BodyWork& work) {
    if (!work.own) {
        work.own = std::make_shared<Body>(*work.body);
        work.body = work.own;
        if (work.own->columnHeight.empty())
            for (const double reach : buildContactShape(*work.own).reach) work.own->columnHeight.push_back(reach / kContactReach);
    }
    return *work.own;
}

std::vector<NodeFailure> findFailures(BodyWork& work, const BreakScope& scope) {
    if (!work.body->breaks() || work.state.sleep.asleep) return {};
    work.tension.assign(work.body->mesh.tetCount(), 0.0);
    computeTensions(work.body->elements, work.state.x, work.state.plastic, work.tension);
    const std::vector<std::int32_t> candidates = findCandidates(*work.body, work.tension, scope.time);
    if (candidates.empty()) return {};
    if (work.stars.vertexCount() == 0) work.stars = TetStars(work.body->mesh.tets, work.body->mesh.vertexCount());
    return findFailures(*work.body, work.state, work.stars, candidates, scope);
}

BreakTotals breakBody(BodyWork& work, const std::vector<NodeFailure>& failures, const FractureSettings& settings, const BreakScope& scope, TopologyEdit& edit) {
    Body& body = makeOwn(work);
    edit = TopologyEdit(body.mesh);
    BreakOptions options = optionsOf(settings);
    options.mostCuts -= work.cuts;
    options.scope = scope;
    const BreakTotals totals = Breaker(body, work.state, work.stars, edit, options).run(failures);
    work.cuts += totals.cuts;
    return totals;
}

void refresh(BodyWork& work, const StepSettings& settings, double time, const TopologyEdit& edit) {
    applyEdit(edit, work.stars, *work.own);
    applyEdit(edit, work.state);
    updateElements(edit, *work.own);
    work.force.resize(work.vertexCount());
    work.implicit.reset();
    work.surface.reset();
    work.releaseForce.clear();
    makeLoads(work, settings);
    work.loads->begin(time);
}
}  // namespace

void extendDepths(const std::vector<TopologyEdit>& edits, std::vector<std::vector<double>>& depths) {
    for (std::size_t b = 0; b < depths.size(); ++b)
        for (const VertexOrigin& o : edits[b].newVertices)
            depths[b].push_back((1 - o.weight) * depths[b][static_cast<std::size_t>(o.a)] + o.weight * depths[b][static_cast<std::size_t>(o.b)]);
}

bool anyBreaks(const std::vector<BodyWork>& bodies, const StepSettings& settings) {
    return settings.fracture.enabled && std::any_of(bodies.begin(), bodies.end(), [](const BodyWork& work) { return work.body->breaks(); });
}

BreakTotals breakBodies(StepContext& context, double time, std::vector<TopologyEdit>& edits) {
    const Timer timer;
    Workspace::Data& data = context.work;
    edits.assign(data.bodies.size(), {});
    std::vector<std::vector<NodeFailure>> failures;
    std::vector<std::unique_ptr<const ActivePlaces>> active;
    std::vector<BreakScope> scopes;
    for (BodyWork& work : data.bodies) {
        active.push_back(findActivePlaces(context.settings.fracture.zones, work.body->name, time, data.colliders));
        scopes.push_back({time, active.back().get()});
        failures.push_back(findFailures(work, scopes.back()));
    }
    BreakTotals totals;
    if (std::any_of(failures.begin(), failures.end(), [](const auto& list) { return !list.empty(); })) {
        std::vector<std::vector<double>> depths = data.contact.depths(data.bodies);
        updatePresent(data, time, context.books);
        const double before = context.books.mechanical();
        for (std::size_t b = 0; b < data.bodies.size(); ++b) {
            if (failures[b].empty()) continue;
            totals += breakBody(data.bodies[b], failures[b], context.settings.fracture, scopes[b], edits[b]);
            if (edits[b].empty()) continue;
            refresh(data.bodies[b], context.settings, time, edits[b]);
            followEdit(data.glue, b, edits[b], data.bodies[b].body->mesh);
        }
        data.group = GroupWork{};
        data.contact.forget();
        data.contact.prepare(data.bodies, data.colliders, time, context.settings);
        extendDepths(edits, depths);
        data.contact.allowBeyond(data.bodies, depths, time);
        allowGlued(data);
        updatePresent(data, time, context.books);
        context.books.edits += before - context.books.mechanical();
    }
    context.report.broken += totals;
    context.report.fractureSeconds += timer.seconds();
    return totals;
}

}  // namespace sunder
