#include "core/sim/world_fracture.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/timer.h"
#include "core/body/apply_edit.h"

namespace sunder {

namespace {
BreakOptions optionsOf(const FractureSettings& settings) {
    BreakOptions options;
    options.snapAngle = settings.snapAngle;
    options.snapShare = settings.snapShare;
    options.mostCuts = settings.mostCuts;
    options.mostTets = static_cast<std::size_t>(settings.mostTets);
    return options;
}

/// The body is the step's own from now on, and may change.
Body& makeOwn(BodyWork& work) {
    if (!work.own) {
        work.own = std::make_shared<Body>(*work.body);
        work.body = work.own;
        work.stars = TetStars(work.own->mesh.tets, work.own->mesh.vertexCount());
    }
    return *work.own;
}

BreakTotals breakBody(BodyWork& work, const StepSettings& settings, TopologyEdit& edit) {
    work.tension.assign(work.body->mesh.tetCount(), 0.0);
    computeTensions(work.body->elements, work.state.x, work.tension);
    const std::vector<std::int32_t> candidates = findCandidates(*work.body, work.tension);
    if (candidates.empty()) return {};
    Body& body = makeOwn(work);
    edit = TopologyEdit(body.mesh);
    return Breaker(body, work.state.x, work.stars, edit, optionsOf(settings.fracture)).run(candidates);
}

void refresh(BodyWork& work, const StepSettings& settings, double time, const TopologyEdit& edit) {
    applyEdit(edit, work.stars, *work.own);
    applyEdit(edit, work.state);
    rebuildElements(*work.own);
    work.force.resize(work.vertexCount());
    work.implicit.reset();
    work.loads = std::make_unique<Loads>(*work.body, settings);
    work.loads->begin(time);
}
}  // namespace

bool anyBreaks(const std::vector<BodyWork>& bodies, const StepSettings& settings) {
    return settings.fracture.enabled && std::any_of(bodies.begin(), bodies.end(), [](const BodyWork& work) { return work.body->breaks(); });
}

BreakTotals breakBodies(StepContext& context, double time, std::vector<TopologyEdit>& edits) {
    const Timer timer;
    Workspace::Data& data = context.work;
    edits.assign(data.bodies.size(), {});
    BreakTotals totals;
    bool changed = false;
    for (std::size_t b = 0; b < data.bodies.size(); ++b) {
        BodyWork& work = data.bodies[b];
        if (!work.body->breaks() || work.state.sleep.asleep) continue;
        totals += breakBody(work, context.settings, edits[b]);
        if (edits[b].empty()) continue;
        refresh(work, context.settings, time, edits[b]);
        changed = true;
    }
    if (changed) {
        data.group = GroupWork{};
        data.contact.forget();
        data.contact.prepare(data.bodies, data.colliders, time, context.settings);
        const double before = context.books.mechanical();
        updatePresent(data, time, context.books);
        context.books.edits += before - context.books.mechanical();
    }
    context.report.broken += totals;
    context.report.fractureSeconds += timer.seconds();
    return totals;
}

}  // namespace sunder
