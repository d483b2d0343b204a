#include "dop/SIM_SunderSolver.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sim/late_bodies.h"
#include "core/sim/painted_edits.h"
#include "core/sim/world_parts.h"
#include "dop/SIM_SunderState.h"
#include "dop/constraints_of_objects.h"
#include "dop/forces_of_objects.h"
#include "dop/scene_of_objects.h"
#include "hdk/compat.h"
#include "hdk/geometry_bridge.h"
#include "hdk/guarded_cook.h"
#include "hdk/options_source.h"
#include "hdk/packed_bridge.h"

using namespace sunder;

namespace {
const std::vector<std::string> kSceneWithout = {"name", "endFrame", "settings"};  // settings stand beside, without a prefix

std::shared_ptr<const WorldPart> partOf(const SIM_Object& object) {
    const auto* state = SIM_DATA_GETCONST(object, SIM_SunderState::dataName(), SIM_SunderState);
    return state ? state->part() : nullptr;
}

/// Objects each once, as the world numbers their bodies; behind them, by their id, those that are new.
std::vector<SIM_Object*> sorted(const SIM_ObjectArray& a, const SIM_ObjectArray& b) {
    std::map<std::pair<std::int32_t, int>, SIM_Object*> byNumber;
    for (const SIM_ObjectArray* list : {&a, &b})
        for (int i = 0; i < list->entries(); ++i) {
            SIM_Object& object = *(*list)(i);
            const auto part = partOf(object);
            byNumber[{part ? part->number : INT32_MAX, object.getObjectId()}] = &object;
        }
    std::vector<SIM_Object*> all;
    for (const auto& [number, object] : byNumber) all.push_back(object);
    return all;
}

std::vector<const WorldPart*> partsOf(const std::vector<SIM_Object*>& objects) {
    std::vector<const WorldPart*> parts;
    for (const SIM_Object* object : objects) parts.push_back(partOf(*object).get());
    return parts;
}

std::vector<std::size_t> numbersOf(const std::vector<const WorldPart*>& parts) {
    std::vector<std::size_t> numbers;
    for (const WorldPart* part : parts) numbers.push_back(static_cast<std::size_t>(part->number));
    return numbers;
}

/// The world as the objects have it, with what an artist has changed since the last step. What they show goes to `shown`.
WorldState worldOf(const std::vector<SIM_Object*>& objects, const dop::ObjectScene& surroundings, Monitor& monitor, std::vector<Geometry>& shown, bool& edited) {
    const std::vector<const WorldPart*> parts = partsOf(objects);
    WorldState world = putTogether(parts);
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const auto number = static_cast<std::size_t>(parts[i]->number);
        WorldBody& body = world.bodies[number];
        shown.push_back(dop::motionOf(*objects[i], &monitor));
        if (auto state = takeEdits(body, shown.back())) {
            body.state = std::move(state);
            edited = true;
        }
    }
    std::vector<std::optional<WorldBody>> painted;  // all are held against what was shown, before any is changed
    for (std::size_t i = 0; i < objects.size(); ++i) painted.push_back(takePaint(world, static_cast<std::size_t>(parts[i]->number), shown[i]));
    for (std::size_t i = 0; i < objects.size(); ++i) {
        WorldBody& body = world.bodies[static_cast<std::size_t>(parts[i]->number)];
        if (painted[i]) {
            edited |= painted[i]->state != body.state;  // or only what is carried along
            body = *std::move(painted[i]);
        }
        if (auto renewed = dop::renewed(body, *objects[i], surroundings, world.time)) {
            body = *std::move(renewed);
            edited = true;
        }
    }
    return world;
}

/// What is common, once objects with constraint geometry that have no track yet have got one.
std::shared_ptr<const WorldCommon> withTracks(const std::shared_ptr<const WorldCommon>& before, std::vector<ConstraintTrack> tracks, WorldState& world, const std::vector<SIM_Object*>& all,
                                              Monitor& monitor) {
    dop::bindObjects(world, all, tracks, &monitor);
    WorldCommon common = before ? *before : WorldCommon();
    common.constraints = std::move(tracks);
    return std::make_shared<const WorldCommon>(std::move(common));
}

/// Objects that are new at the end of a step of others.
void appear(WorldState& world, const Scene& scene, const std::vector<SIM_Object*>& running, const std::vector<SIM_Object*>& late, Monitor& monitor) {
    dop::ObjectScene made;
    made.scene = scene;
    made.scene.bodies.clear();
    dop::addLate(made, running, late, &monitor);
    for (const std::string& warning : addLateBodies(world, made.scene, made.loader(), &monitor)) monitor.warn(warning);
}

/// What an object is to show, and where that goes.
struct Outcome {
    GU_ConstDetailHandle whole;  ///< null where values alone change
    SIM_GeometryCopy* geometry = nullptr;
    SIM_SunderState* state = nullptr;
};

/// Throws what the host has against names or size of a geometry, while the object is as it was. `shown` is what that shows, if it has been read.
GU_ConstDetailHandle converted(const SIM_Object& object, const Geometry& frame, const Geometry* shown) {
    {
        const GU_ConstDetailHandle now = object.getGeometry()->getGeometry();
        const GU_DetailHandleAutoReadLock lock(now);
        if (lock.getGdp() && hdk::hasSameElements(*lock.getGdp(), frame, shown)) return {};
    }
    return hdk::sharedDetail(frame);
}

/// All that can fail comes before any object is changed: one of several that shows another time than the others could not be stepped again.
std::vector<Outcome> prepareObjects(const std::vector<SIM_Object*>& objects, const std::vector<Geometry>& frames, const std::vector<Geometry>& shown) {
    std::vector<Outcome> all(objects.size());
    const auto require = [&](const void* data, std::size_t i) {
        if (!data) throw Error(format("object '%s' cannot hold the result", objects[i]->getName().c_str()), "attach the solver to an Empty Object with SOP geometry");
    };
    for (std::size_t i = 0; i < all.size(); ++i) all[i].whole = converted(*objects[i], frames[i], i < shown.size() ? &shown[i] : nullptr);
    for (std::size_t i = 0; i < all.size(); ++i) require(all[i].geometry = hdk::compat::writableGeometry(*objects[i]), i);
    for (std::size_t i = 0; i < all.size(); ++i)
        require(all[i].state = SIM_DATA_CREATE(*objects[i], SIM_SunderState::dataName(), SIM_SunderState, SIM_DATA_RETURN_EXISTING), i);
    return all;
}

/// Only now are objects changed: a step that failed before has left them as they were. The first of them show `shown`.
void writeObjects(const std::vector<SIM_Object*>& objects, const WorldState& world, const WorldPart& clock, const Scene& scene, const std::vector<Geometry>& shown = {}) {
    const auto frame = static_cast<std::int64_t>(std::floor(world.time * scene.fps + 1e-6)) + scene.startFrame;
    const std::vector<WorldPart> parts = takeApart(world, clock);
    const std::vector<Geometry> frames = bodyFrames(world, frame, parts[0].common->appeared);
    std::vector<std::shared_ptr<const WorldPart>> shared;
    for (const WorldPart& part : parts) shared.push_back(std::make_shared<const WorldPart>(part));
    const std::vector<Outcome> outcomes = prepareObjects(objects, frames, shown);
    for (std::size_t i = 0; i < objects.size(); ++i) {
        const Outcome& to = outcomes[i];
        {
            SIM_GeometryAutoWriteLock lock(to.geometry);
            if (to.whole.isNull())
                hdk::writeValues(lock.getGdp(), frames[i]);
            else
                lock.getGdp().replaceWith(*to.whole.gdp());
        }
        to.geometry->pubHandleModification();
        to.state->setPart(shared[i]);
    }
}
}  // namespace

const SIM_DopDescription* SIM_SunderSolver::description() {
    static const std::string script = [] {
        hdk::DialogWriter dialog("sundersolvercore");
        for (const std::string& name : kSceneWithout) dialog.without(name);
        dialog.add(Scene());
        dialog.add(StepSettings());
        return dialog.script();
    }();
    static const SIM_DopDescription made(true, "sundersolvercore", "Sunder Solver Core", SIM_SOLVER_DATANAME, classname(), hdk::compat::makeTemplates(script, "sundersolvercore"));
    return &made;
}

Scene SIM_SunderSolver::scene() const {
    const hdk::OptionsSource source(getOptions());
    Scene scene;
    hdk::ParmReader reader(source);
    for (const std::string& name : kSceneWithout) reader.without(name);
    reader.read(scene);
    reader.read(scene.settings);
    scene.endFrame = scene.startFrame;
    return scene;
}

void SIM_SunderSolver::solve(const std::vector<SIM_Object*>& all, double timestep, hdk::HostMonitor& monitor) {
    dop::ObjectScene made;
    made.scene = scene();
    if (made.scene.settings.fracture.smallPieces != SmallPieces::kKeep)
        throw Error("small pieces can leave in scene files alone: an object has one body", "set 'fracture_smallPieces' to keep");
    const auto firstLate = std::find_if(all.begin(), all.end(), [](const SIM_Object* o) { return !partOf(*o); });
    const std::vector<SIM_Object*> objects(all.begin(), firstLate), late(firstLate, all.end());
    if (objects.empty()) {
        dop::addObjects(made, all, &monitor);
        WorldState world = buildWorld(made.scene, made.loader(), &monitor);
        WorldPart clock;
        clock.common = withTracks(nullptr, {}, world, all, monitor);
        startBooks(world);
        return writeObjects(all, world, clock, made.scene);
    }
    dop::addSurroundings(made, objects, &monitor, late);
    bool edited = false;
    std::vector<Geometry> shown;
    const std::vector<const WorldPart*> parts = partsOf(objects);
    WorldState world = worldOf(objects, made, monitor, shown, edited);
    PartStep time = nextStep(*parts[0], timestep);
    time.clock.common = commonOf(parts);
    const ColliderShow show{time.clock.common->colliders, time.from, time.to};
    world.colliders = buildColliders(made.scene, made.loader(), &monitor, &show);
    LedConstraints led(time.clock.common->constraints);
    edited |= led.lead(world, {dop::drawnOfObjects(led.tracks(), objects, &monitor), time.from, time.to});
    dop::addForces(objects, numbersOf(parts), world, made.scene.settings, monitor);
    if (edited) refreshEnergy(world, made.scene.settings);
    Workspace workspace;
    const StepReport report = step(world, time.to - time.from, made.scene.settings, workspace, &monitor);
    for (const std::string& warning : report.warnings) monitor.warn(warning);
    if (report.failed) throw Error(report.message);
    world.time = time.to;
    if (!late.empty()) appear(world, made.scene, objects, late, monitor);
    led.settle(world);
    time.clock.common = withTracks(time.clock.common, led.tracks(), world, all, monitor);
    writeObjects(all, world, time.clock, made.scene, shown);
}

SIM_Solver::SIM_Result SIM_SunderSolver::solveObjectsSubclass(SIM_Engine&, SIM_ObjectArray& objects, SIM_ObjectArray& newObjects, SIM_ObjectArray&,
                                                              const SIM_Time& timestep) {
    const std::vector<SIM_Object*> all = sorted(objects, newObjects);
    if (all.empty()) return SIM_SOLVER_SUCCESS;
    hdk::CookOutlet outlet;
    outlet.error = [&](const std::string& text) { addError(all[0], SIM_MESSAGE, text.c_str(), UT_ERROR_ABORT); };
    outlet.interrupted = [&] { addError(all[0], SIM_MESSAGE, "interrupted", UT_ERROR_ABORT); };
    hdk::HostMonitor monitor("Solving with Sunder");
    const bool well = hdk::guardedCook(outlet, [&] { solve(all, timestep, monitor); });
    for (const std::string& warning : monitor.warnings()) addError(all[0], SIM_MESSAGE, warning.c_str(), UT_ERROR_WARNING);
    return well ? SIM_SOLVER_SUCCESS : SIM_SOLVER_FAIL;
}
