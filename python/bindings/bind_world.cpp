#include <pybind11/stl.h>

#include <cmath>

#include "core/base/text.h"
#include "core/io/checkpoint.h"
#include "core/io/scene_json.h"
#include "core/sim/measures.h"
#include "core/sim/scene_frame.h"
#include "core/sim/snapshot.h"
#include "python/bindings/arrays.h"
#include "python/bindings/bindings.h"
#include "python/bindings/monitor.h"
#include "python/bindings/world_holder.h"

namespace sunder::python {

namespace {
/// Marks a world as being stepped.
class Stepping {
  public:
    explicit Stepping(WorldHolder& world) : world_(world) {
        if (world.stepping) throw Error("the world is being stepped by another thread", "step each world from one thread at a time");
        world.stepping = true;
    }
    ~Stepping() { world_.stepping = false; }
    Stepping(const Stepping&) = delete;
    Stepping& operator=(const Stepping&) = delete;

  private:
    WorldHolder& world_;
};

std::unique_ptr<WorldHolder> hold(WorldState state) {
    auto holder = std::make_unique<WorldHolder>();
    holder->state = std::move(state);
    return holder;
}

std::unique_ptr<WorldHolder> build(const Scene& scene, const py::object& models, const py::object& progress) {
    PythonMonitor monitor(progress);
    validate(scene.settings);
    const ModelLoader loader(scene, models);
    WorldState state = runUnlocked(monitor, [&] { return buildWorld(scene, loader.function(), &monitor); });
    monitor.issueWarnings();
    return hold(std::move(state));
}

[[noreturn]] void throwStepError(const StepReport& report) {
    const py::object type = py::module_::import("sunder._core").attr("StepError");
    py::object error = type(report.message);
    error.attr("report") = report;
    PyErr_SetObject(type.ptr(), error.ptr());
    throw py::error_already_set();
}

StepReport stepWorld(WorldHolder& world, double duration, const StepSettings& settings, const py::object& progress) {
    if (!(duration > 0) || !std::isfinite(duration)) throw Error(format("a duration of %g s", duration), "give a time above 0, such as 1 / fps");
    validate(settings);
    PythonMonitor monitor(progress);
    const Stepping stepping(world);
    const StepSettings kept = settings;  // Python may change its own meanwhile
    WorldState next = world.state;
    StepReport report = runUnlocked(monitor, [&] { return step(next, duration, kept, world.workspace, &monitor); });
    if (report.failed) throwStepError(report);
    world.state = std::move(next);
    for (const std::string& text : report.warnings) monitor.warn(text);
    monitor.issueWarnings();
    return report;
}

std::size_t bodyIndex(const WorldHolder& world, const py::object& which) {
    const auto& bodies = world.state.bodies;
    if (py::isinstance<py::int_>(which)) {
        const auto index = which.cast<std::int64_t>();
        if (index < 0 || index >= static_cast<std::int64_t>(bodies.size())) throw py::index_error(format("there are %zu bodies", bodies.size()));
        return static_cast<std::size_t>(index);
    }
    const auto name = which.cast<std::string>();
    std::vector<std::string> names;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        names.push_back(bodies[b].body->name);
        if (names.back() == name) return b;
    }
    const std::string nearest = nearestWord(name, names);
    throw Error(format("there is no body '%s'", name.c_str()), nearest.empty() ? "" : format("did you mean '%s'?", nearest.c_str()));
}

void replaceVectors(std::vector<Vec3>& values, const py::object& fresh, const char* what) {
    if (fresh.is_none()) return;
    const NumbersIn array = fresh.cast<NumbersIn>();
    const Span<const Vec3> points = pointsIn(array, what);
    if (points.size() != values.size()) throw Error(format("%s has %zu rows, the body has %zu vertices", what, points.size(), values.size()));
    for (const Vec3& p : points)
        if (!p.allFinite()) throw Error(format("%s holds numbers that are not finite", what));
    values.assign(points.begin(), points.end());
}

/// A new state with other places or velocities.
void editBody(WorldHolder& world, const py::object& which, const StepSettings& settings, const py::object& x, const py::object& v) {
    const Stepping stepping(world);
    const std::size_t b = bodyIndex(world, which);
    auto state = std::make_shared<BodyState>(*world.state.bodies[b].state);
    replaceVectors(state->x, x, "x");
    replaceVectors(state->v, v, "v");
    state->sleep = SleepState{};
    WorldState next = world.state;
    next.bodies[b].state = std::move(state);
    refreshEnergy(next, settings);
    world.state = std::move(next);
}

std::unique_ptr<WorldHolder> load(const py::buffer& bytes, const Scene& scene, const py::object& models, const py::object& progress) {
    PythonMonitor monitor(progress);
    const py::buffer_info info = bytes.request();
    const Span<const std::uint8_t> span = bytesIn(info);
    const ModelLoader loader(scene, models);
    WorldState state = runUnlocked(monitor, [&] {
        WorldState loaded = loadSnapshot(span);
        loaded.colliders = buildColliders(scene, loader.function(), &monitor);
        return loaded;
    });
    monitor.issueWarnings();
    return hold(std::move(state));
}

py::tuple readCheckpointOf(const std::string& path, const Scene& scene, const py::object& progress) {
    PythonMonitor monitor(progress);
    const ModelLoader loader(scene, py::none());
    Checkpoint checkpoint = runUnlocked(monitor, [&] {
        Checkpoint c = readCheckpoint(path);
        if (c.sceneIdentity != sceneIdentity(scene)) throw Error("the checkpoint '" + path + "' belongs to another scene", "give the scene that it was made from");
        c.world.colliders = buildColliders(scene, loader.function(), &monitor);
        return c;
    });
    monitor.issueWarnings();
    return py::make_tuple(checkpoint.frame, hold(std::move(checkpoint.world)));
}

template <class Owner, class T>
py::array viewOf(const std::shared_ptr<const Owner>& owner, const std::vector<T>& values) {
    return arrayView(values, keeperOf(owner));
}

void bindBody(py::module_& m) {
    py::class_<BodyView>(m, "WorldBody", "A body at the time at which it was asked for. Its arrays are over core's memory, for reading, and stay as they are.")
        .def_property_readonly("name", [](const BodyView& b) { return b.body->name; })
        .def_property_readonly("x", [](const BodyView& b) { return viewOf(b.state, b.state->x); }, "(n, 3) places, m")
        .def_property_readonly("v", [](const BodyView& b) { return viewOf(b.state, b.state->v); }, "(n, 3) velocities, m/s")
        .def_property_readonly("a", [](const BodyView& b) { return viewOf(b.state, b.state->a); }, "(n, 3) accelerations of the last force evaluation, m/s2")
        .def_property_readonly("rest", [](const BodyView& b) { return viewOf(b.body, b.body->mesh.rest); }, "(n, 3) places at rest, m")
        .def_property_readonly("tets", [](const BodyView& b) { return viewOf(b.body, b.body->mesh.tets); }, "(n, 4)")
        .def_property_readonly("mass", [](const BodyView& b) { return viewOf(b.body, b.body->mass); }, "(n,) kg")
        .def_property_readonly("tetMaterial", [](const BodyView& b) { return viewOf(b.body, b.body->tetMaterial); }, "(n,) row of materials")
        .def_property_readonly("materials", [](const BodyView& b) { return b.body->materials; })
        .def_property_readonly("rigid", [](const BodyView& b) { return b.body->rigid; })
        .def_property_readonly("asleep", [](const BodyView& b) { return b.state->sleep.asleep; })
        .def_property_readonly("pieces", [](const BodyView& b) { return countPieces(b.body->mesh); }, "connected parts")
        .def("measureTets", [](const BodyView& b) {
            TetMeasures t;
            {
                py::gil_scoped_release unlocked;
                t = measureTets(*b.body, b.state->x, b.state->plastic);
            }
            py::dict d;
            d["stress"] = ownedArray(std::move(t.stress));
            d["strain"] = ownedArray(std::move(t.strain));
            d["quality"] = ownedArray(std::move(t.quality));
            d["detF"] = ownedArray(std::move(t.detF));
            d["plasticStrain"] = ownedArray(std::move(t.plasticStrain));
            return d;
        }, "What a frame shows of every tet: stress (Pa), strain, quality, detF, plasticStrain.")
        .def("__repr__", [](const BodyView& b) { return format("<WorldBody '%s' of %zu tets>", b.body->name.c_str(), b.body->mesh.tetCount()); });
}

void bindReports(py::module_& m) {
    py::class_<EnergyBooks> books(m, "EnergyBooks", "Energy by kind, J.");
#define SUNDER_BOOK(field) books.def_readonly(#field, &EnergyBooks::field)
    SUNDER_BOOK(kinetic); SUNDER_BOOK(elastic); SUNDER_BOOK(gravity); SUNDER_BOOK(contact); SUNDER_BOOK(target); SUNDER_BOOK(glue); SUNDER_BOOK(damped);
    SUNDER_BOOK(friction); SUNDER_BOOK(targetDamped); SUNDER_BOOK(plastic); SUNDER_BOOK(work); SUNDER_BOOK(glueBroken); SUNDER_BOOK(departed); SUNDER_BOOK(edits);
    SUNDER_BOOK(fracture); SUNDER_BOOK(numerical);
#undef SUNDER_BOOK
    books.def("mechanical", &EnergyBooks::mechanical).def("lost", &EnergyBooks::lost);
    py::class_<BreakTotals> broken(m, "BreakTotals", "What broke.");
#define SUNDER_BROKEN(field) broken.def_readonly(#field, &BreakTotals::field)
    SUNDER_BROKEN(cuts); SUNDER_BROKEN(grazing); SUNDER_BROKEN(tooSmall); SUNDER_BROKEN(heldByParts); SUNDER_BROKEN(alongFaces); SUNDER_BROKEN(snapped);
    SUNDER_BROKEN(skipped); SUNDER_BROKEN(left); SUNDER_BROKEN(addedMass); SUNDER_BROKEN(massIsFull); SUNDER_BROKEN(area); SUNDER_BROKEN(energy); SUNDER_BROKEN(tooManyTets);
    SUNDER_BROKEN(tooMuchMemory);
#undef SUNDER_BROKEN
    py::class_<StepReport> report(m, "StepReport", "What a step did.");
#define SUNDER_REPORT(field) report.def_readonly(#field, &StepReport::field)
    SUNDER_REPORT(failed); SUNDER_REPORT(message); SUNDER_REPORT(warnings); SUNDER_REPORT(steps); SUNDER_REPORT(rejected); SUNDER_REPORT(newtonIterations);
    SUNDER_REPORT(linearIterations); SUNDER_REPORT(linearResidual); SUNDER_REPORT(newtonResidual); SUNDER_REPORT(unsolvedLoss); SUNDER_REPORT(smallestStep); SUNDER_REPORT(largestStep);
    SUNDER_REPORT(smallestDetF); SUNDER_REPORT(energy); SUNDER_REPORT(broken); SUNDER_REPORT(solvedAgain); SUNDER_REPORT(roundsUsedUp); SUNDER_REPORT(unsolvedCuts);
    SUNDER_REPORT(released); SUNDER_REPORT(bondsBroken); SUNDER_REPORT(held); SUNDER_REPORT(fractureSeconds);
    SUNDER_REPORT(contactSeconds); SUNDER_REPORT(forceSeconds); SUNDER_REPORT(assembleSeconds); SUNDER_REPORT(solveSeconds); SUNDER_REPORT(totalSeconds);
#undef SUNDER_REPORT
    report.def("__repr__", [](const StepReport& r) { return format("<StepReport: %d steps, smallest detF %.3f, %d cuts>", r.steps, r.smallestDetF, r.broken.cuts); });
}

void bindWorldClass(py::module_& m) {
    py::class_<WorldHolder>(m, "World", "All bodies at one time. It is made by buildWorld or loadSnapshot and changed by step alone.")
        .def_property("time", [](const WorldHolder& w) { return w.state.time; }, [](WorldHolder& w, double time) {
            const Stepping stepping(w);
            w.state.time = time;
        }, "s; set it to scene.timeOf(frame) after a step, so that no rounding of sums builds up")
        .def_property_readonly("stepCount", [](const WorldHolder& w) { return w.state.stepCount; })
        .def_property_readonly("energy", [](const WorldHolder& w) { return w.state.energy; }, "a copy of the books")
        .def_property_readonly("bodies", [](const WorldHolder& w) {
            std::vector<BodyView> bodies;
            for (const WorldBody& b : w.state.bodies) bodies.push_back({b.body, b.state});
            return bodies;
        })
        .def("body", [](const WorldHolder& w, const py::object& which) {
            const WorldBody& b = w.state.bodies[bodyIndex(w, which)];
            return BodyView{b.body, b.state};
        }, py::arg("which"), "by name or number")
        .def("edit", &editBody, py::arg("body"), py::arg("settings"), py::kw_only(), py::arg("x") = py::none(), py::arg("v") = py::none(),
             "Gives a body other places or velocities, wakes it, and brings the books up to date.")
        .def("copy", [](const WorldHolder& w) { return hold(w.state); }, "A world that goes its own way; what both have in common is shared.")
        .def("__repr__", [](const WorldHolder& w) { return format("<World of %zu bodies at %g s>", w.state.bodies.size(), w.state.time); });
}
}  // namespace

void bindWorld(py::module_& m) {
    bindBody(m);
    bindReports(m);
    bindWorldClass(m);
    m.def("buildWorld", &build, py::arg("scene"), py::arg("models") = py::none(), py::arg("progress") = py::none(),
          "The world of a scene at its start. `models` may hold geometries for paths that the scene names, in place of files.");
    m.def("step", &stepWorld, py::arg("world"), py::arg("duration"), py::arg("settings"), py::arg("progress") = py::none(),
          "Steps the world by a duration in s. Raises StepError, KeyboardInterrupt or Cancelled; then the world is as it was.");
    m.def("frameGeometry", [](const WorldHolder& w, std::int64_t frame) {
        const WorldState state = w.state;
        PythonMonitor monitor(py::none{});
        return GeometryHolder(runUnlocked(monitor, [&] { return frameGeometry(state, frame); }));
    }, py::arg("world"), py::arg("frame"), "What a frame of a simulation shows.");
    m.def("saveSnapshot", [](const WorldHolder& w) {
        const WorldState state = w.state;
        PythonMonitor monitor(py::none{});
        return bytesOut(runUnlocked(monitor, [&] { return saveSnapshot(state); }));
    }, py::arg("world"), "All that is needed to go on to the same bits, without the colliders, which the scene has.");
    m.def("loadSnapshot", &load, py::arg("bytes"), py::arg("scene"), py::arg("models") = py::none(), py::arg("progress") = py::none());
    m.def("writeCheckpoint", [](const std::string& path, const Scene& scene, std::int64_t frame, const WorldHolder& w) {
        const WorldState state = w.state;
        PythonMonitor monitor(py::none{});
        runUnlocked(monitor, [&] { writeCheckpoint(path, {sceneIdentity(scene), frame, state}); });
    }, py::arg("path"), py::arg("scene"), py::arg("frame"), py::arg("world"), "A checkpoint as `sunder simulate --resume` takes it.");
    m.def("readCheckpoint", &readCheckpointOf, py::arg("path"), py::arg("scene"), py::arg("progress") = py::none(), "(frame, world) of a checkpoint of this scene.");
}

}  // namespace sunder::python
