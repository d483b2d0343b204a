#include "core/sim/late_bodies.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sim/body_work.h"

namespace sunder {

namespace {
/// Bodies that run have their groups as bits, by the order in which the scene names them.
void requireSameGroups(const Scene& scene, std::size_t there) {
    Scene before = scene;
    before.bodies.resize(there);
    const std::vector<std::string> old = contactGroups(before), now = contactGroups(scene);
    if (!std::equal(old.begin(), old.end(), now.begin()))
        throw Error(format("'%s' or another body that appears late names a contact group that is new", scene.bodies[there].name.c_str()), "name that group on a body that is there from the start, too");
}

/// Contact counts colliders behind bodies.
void moveColliders(WorldBody& body, std::int32_t there, std::int32_t by) {
    const auto isLed = [&](const ContactEntry& e) { return e.body >= there || e.other >= there; };
    const ContactMemory& known = body.state->contact;
    if (std::none_of(known.entries.begin(), known.entries.end(), isLed) && std::none_of(known.ledEntries.begin(), known.ledEntries.end(), isLed)) return;
    BodyState state = *body.state;
    for (auto* list : {&state.contact.entries, &state.contact.ledEntries})
        for (ContactEntry& e : *list)
            for (std::int32_t* number : {&e.body, &e.other})
                if (*number >= there) *number += by;
    body.state = std::make_shared<const BodyState>(std::move(state));
}

std::vector<std::vector<double>> depthsOf(const WorldState& world, const StepSettings& settings) {
    Workspace workspace;
    Workspace::Data& data = workspace.data();
    prepare(data, world, settings);
    data.contact.detect(data.bodies, world.time);
    return data.contact.depths(data.bodies);
}

/// What vertices are deeper in others than before is allowed; elsewhere nothing changes, not even by rounding. The largest depth, m.
double allowDeeper(WorldState& world, const std::vector<std::vector<double>>& before, const std::vector<std::vector<double>>& now) {
    double most = 0;
    for (std::size_t b = 0; b < now.size(); ++b) {
        const auto deeper = [&](std::size_t i) { return now[b][i] - (b < before.size() ? before[b][i] : 0); };
        std::shared_ptr<BodyState> changed;
        for (std::size_t i = 0; i < now[b].size(); ++i) {
            if (!(deeper(i) > 0)) continue;
            if (!changed) {
                changed = std::make_shared<BodyState>(*world.bodies[b].state);
                changed->contact.allowance.resize(now[b].size(), 0.0);
            }
            changed->contact.allowance[i] += deeper(i);
            most = std::max(most, deeper(i));
        }
        if (changed) world.bodies[b].state = std::move(changed);
    }
    return most;
}
}  // namespace

std::vector<std::string> addLateBodies(WorldState& world, const Scene& scene, const GeometryLoader& load, Monitor* monitor) {
    const std::size_t there = world.bodies.size(), count = scene.bodies.size() - there;
    if (!scene.glue.empty())
        throw Error(format("'%s' appears late and is glued", scene.glue[0].a.c_str()), "create it in the same frame as what it is glued to, or do without glue");
    requireSameGroups(scene, there);
    WorldState grown = world;
    buildBodies(grown, scene, load, monitor);
    for (std::size_t b = 0; b < there; ++b) moveColliders(grown.bodies[b], static_cast<std::int32_t>(there), static_cast<std::int32_t>(count));
    std::vector<std::string> warnings;
    const double most = allowDeeper(grown, depthsOf(world, scene.settings), depthsOf(grown, scene.settings));
    if (most > 0)
        warnings.push_back(format("'%s' or another body that appears late overlaps others, by %.3g m at most; they are driven apart with separationSpeed = %g m/s", scene.bodies[there].name.c_str(), most,
                                  scene.settings.separationSpeed));
    const double before = world.energy.balance();
    refreshEnergy(grown, scene.settings);
    grown.energy.work += grown.energy.balance() - before;
    world = std::move(grown);
    return warnings;
}

}  // namespace sunder
