#include <SIM/SIM_ForceGravity.h>
#include <standin/call.h>
#include <standin/dop.h>
#include <standin/standin.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "tests/standin/step_watch.h"

namespace standin {

void registerSim(const Plugin& plugin) {
    IMPLEMENT_DATAFACTORY(SIM_ForceGravity);
    if (auto* hook = reinterpret_cast<void (*)(void*)>(plugin.symbol("initializeSIM"))) hook(nullptr);
}

namespace {
GU_DetailHandle copyOf(const GU_Detail& geometry) {
    auto* copy = new GU_Detail;
    copy->replaceWith(geometry);
    GU_DetailHandle handle;
    handle.allocateAndSet(copy);
    return handle;
}
}  // namespace

int DopNetwork::addObject(const std::string& name, const GU_Detail& geometry) {
    Spec spec;
    spec.name = name;
    spec.geometry = standin::copyOf(geometry);
    specs_.push_back(std::move(spec));
    return static_cast<int>(specs_.size()) - 1;
}
int DopNetwork::addCollider(const std::string& name, const GU_Detail& geometry) {
    const int i = addObject(name, geometry);
    specs_.back().collider = true;
    return i;
}
void DopNetwork::attach(int object, const std::string& className, const std::string& dataName) {
    for (std::size_t i = 0; i < specs_.size(); ++i)
        if (object == static_cast<int>(i) || (object < 0 && !specs_[i].collider)) specs_[i].data.emplace_back(className, dataName);
}
void DopNetwork::attachGeometry(int object, const std::string& dataName, const GU_Detail& geometry) {
    specs_[static_cast<std::size_t>(object)].geometries.emplace_back(dataName, standin::copyOf(geometry));
}
void DopNetwork::set(const std::string& dataName, const std::string& option, const Option& value, ParmOperation operation, int fromFrame) {
    settings_.push_back({dataName, option, value, operation, fromFrame < 0 ? startFrame_ : fromFrame, only_});
}

std::shared_ptr<SIM_Object> DopNetwork::makeObject(std::size_t i) const {
    const Spec& spec = specs_[i];
    auto object = std::make_shared<SIM_Object>(spec.name, static_cast<int>(i));
    if (showsSops)
        static_cast<SIM_SopGeometry*>(object->createNamedSubData(SIM_GEOMETRY_DATANAME, "SIM_SopGeometry", 0))->standinShow(spec.geometry);
    else
        static_cast<SIM_GeometryCopy*>(object->createNamedSubData(SIM_GEOMETRY_DATANAME, "SIM_GeometryCopy", 0))->setOwnGeometry(spec.geometry.gdp());
    for (const auto& [className, name] : spec.data) object->createNamedSubData(name.c_str(), className.c_str(), 0);
    for (const auto& [name, shape] : spec.geometries)
        static_cast<SIM_GeometryCopy*>(object->createNamedSubData(name.c_str(), "SIM_GeometryCopy", 0))->setOwnGeometry(shape.gdp());
    return object;
}
std::set<int> DopNetwork::create(Timestep& step, int frame) const {
    std::set<int> made;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
        if (specs_[i].from != frame && (frame != startFrame_ || specs_[i].from > frame)) continue;
        step.push_back(makeObject(i));
        made.insert(static_cast<int>(i));
    }
    return made;
}
std::set<int> DopNetwork::all(const Timestep& step) const {
    std::set<int> ids;
    for (const auto& object : step) ids.insert(object->getObjectId());
    return ids;
}

namespace {
std::shared_ptr<SIM_Data> emptyLike(const SIM_Data& data) {
    std::shared_ptr<SIM_Data> made(data.standinFactory().standinMake(&data.standinFactory()));
    made->initialize();
    return made;
}
void writeText(std::ostream& out, const std::string& text) {
    out << text.size() << ' ';
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}
std::string readText(std::istream& in) {
    std::size_t size = 0;
    in >> size;
    in.get();
    if (!in || size > (std::size_t{1} << 32)) throw std::runtime_error("the saved simulation is cut short");
    std::string text(size, '\0');
    in.read(text.data(), static_cast<std::streamsize>(size));
    if (!in) throw std::runtime_error("the saved simulation is cut short");
    return text;
}
}  // namespace

/// Copies go through a fresh object and makeEqual, so what makeEqual forgets is lost and what it aliases is found out.
DopNetwork::Timestep DopNetwork::copyOf(const Timestep& from) const {
    Timestep to;
    for (const auto& object : from) {
        auto copy = std::make_shared<SIM_Object>(object->getName().toStdString(), object->getObjectId());
        for (const auto& [name, data] : object->standinData) {
            copy->standinData[name] = emptyLike(*data);
            copy->standinData[name]->makeEqual(data.get());
            if (standin::bytesOf(*copy->standinData[name]) != standin::bytesOf(*data)) violation("makeEqual of " + std::string(data->getDataType()) + " has lost something");
        }
        to.push_back(std::move(copy));
    }
    return to;
}
std::string DopNetwork::bytesOf(const Timestep& step) const {
    std::ostringstream out;
    out << step.size() << ' ';
    for (const auto& object : step) {
        writeText(out, object->getName().toStdString());
        out << object->getObjectId() << ' ' << object->standinData.size() << ' ';
        for (const auto& [name, data] : object->standinData) {
            writeText(out, name);
            writeText(out, data->getDataType());
            writeText(out, standin::bytesOf(*data));
        }
    }
    return out.str();
}
/// Options come from the nodes again; all else from the bytes.
bool DopNetwork::readBytes(Timestep& step, const std::string& bytes) const {
    std::istringstream in(bytes);
    std::size_t objects = 0;
    in >> objects;
    in.get();
    if (objects > specs_.size()) return false;
    for (std::size_t i = 0; i < objects; ++i) {
        const std::string objectName = readText(in);
        std::size_t id = 0, count = 0;
        in >> id >> count;
        if (id >= specs_.size()) return false;
        auto object = std::make_shared<SIM_Object>(objectName, static_cast<int>(id));
        in.get();
        for (std::size_t k = 0; k < count; ++k) {
            const std::string name = readText(in), type = readText(in), content = readText(in);
            const SIM_DataFactory* factory = findFactory(type);
            if (!factory) return false;
            std::shared_ptr<SIM_Data> data(factory->standinMake(factory));
            data->initialize();
            UT_IStream stream(content);
            if (!data->load(stream)) return false;
            if (stream.standinLeft() != 0) violation(type + " did not read all that it has saved");
            object->standinData[name] = std::move(data);
        }
        step.push_back(std::move(object));
    }
    return true;
}
DopNetwork::Timestep DopNetwork::throughBytes(const Timestep& from) const {
    Timestep to;
    if (!readBytes(to, bytesOf(from))) violation("data could not be loaded from what it has saved");
    for (std::size_t i = 0; i < to.size(); ++i)
        for (const auto& [name, data] : from[i]->standinData)
            if (data->standinOptionsUser) to[i]->standinData[name]->standinOptionsUser->standinOptions = data->standinOptionsUser->standinOptions;
    return to;
}

void DopNetwork::applySettings(Timestep& step, int frame, const std::set<int>& made) const {
    for (const Setting& s : settings_) {
        if (frame < s.from) continue;
        for (const auto& object : step) {
            if (s.operation == ParmOperation::kSetInitial && made.count(object->getObjectId()) == 0) continue;
            SIM_Data* data = object->getNamedSubData(s.data.c_str());
            if (!data || (s.object >= 0 && object->getObjectId() != s.object)) continue;
            auto& values = data->standinOptionsUser->standinOptions.standinValues;
            const auto place = values.find(s.option);
            if (place == values.end() || place->second.index() != s.value.index()) throw std::runtime_error("no option " + s.option + " of that type");
            place->second = s.value;
        }
    }
}
void DopNetwork::connect(Timestep& step) const {
    std::vector<SIM_Object*> colliders;
    for (const auto& object : step)
        if (isCollider(*object)) colliders.push_back(object.get());
    for (const auto& object : step) object->standinColliders = colliders;
    for (const auto& object : step)  // the objects of a solver affect each other
        for (const auto& other : step)
            if (!isCollider(*other) && other != object) object->standinColliders.push_back(other.get());
}

void DopNetwork::showColliders(Timestep& step, double frame) const {
    for (const auto& object : step) {
        if (!isCollider(*object)) continue;
        const int id = object->getObjectId();
        if (show && !showsSops) {
            GU_DetailHandle now;
            now.allocateAndSet(new GU_Detail);
            now.gdpNC()->replaceWith(*specs_[static_cast<std::size_t>(id)].geometry.gdp());
            show(frame, id, *now.gdpNC());
            static_cast<SIM_GeometryCopy*>(object->getNamedSubData(SIM_GEOMETRY_DATANAME))->setOwnGeometry(now.gdp());
        }
        if (stand) stand(frame, id, object->standinTransform);
    }
}

void DopNetwork::drawData(Timestep& step, double frame) const {
    if (!draw) return;
    for (const auto& object : step)
        for (const auto& [className, name] : specs_[static_cast<std::size_t>(object->getObjectId())].data) {
            auto* data = className == SIM_GeometryCopy::classname() ? object->getNamedSubData(name.c_str()) : nullptr;
            if (!data) continue;
            GU_DetailHandle now;
            now.allocateAndSet(new GU_Detail);
            draw(frame, object->getObjectId(), name, *now.gdpNC());
            static_cast<SIM_GeometryCopy*>(data)->setOwnGeometry(now.gdp());
        }
}

bool DopNetwork::solve(Timestep& step, int frame, double time, double timestep, const std::set<int>& made) {
    connect(step);
    SIM_Engine engine;
    engine.standinTime = time;
    SIM_ObjectArray objects, newObjects, feedback;
    for (const auto& object : step) {
        if (isCollider(*object)) continue;
        if (made.count(object->getObjectId()) > 0) newObjects.add(object.get());
        objects.add(object.get());
    }
    if (objects.entries() == 0) return true;
    auto* solver = SIM_DATA_GET(*objects(0), SIM_SOLVER_DATANAME, SIM_Solver);
    if (!solver) return true;
    solver->standinMessages.clear();
    const int interrupts = openInterrupts();
    const StepWatch watch(step);
    SIM_Solver::SIM_Result result = SIM_Solver::SIM_SOLVER_FAIL;
    {
        const Call call(Call::kSolve);
        try {
            result = solver->standinSolve(engine, objects, newObjects, feedback, timestep);
        } catch (...) {
            violation("an exception left a solve");
        }
    }
    watch.check(result == SIM_Solver::SIM_SOLVER_SUCCESS);
    messages_.insert(messages_.end(), solver->standinMessages.begin(), solver->standinMessages.end());
    if (openInterrupts() != interrupts) violation("the solver left an interrupt open");
    if (result != SIM_Solver::SIM_SOLVER_SUCCESS) return false;
    if (edit)
        for (const auto& object : step) {
            if (isCollider(*object)) continue;
            SIM_GeometryAutoWriteLock lock(SIM_DATA_GET(*object, SIM_GEOMETRY_DATANAME, SIM_GeometryCopy));
            edit(frame, object->getObjectId(), lock.getGdp());
        }
    return true;
}

bool DopNetwork::play(int frame) {
    messages_.clear();
    if (cache_.empty()) {
        Timestep first;
        const std::set<int> made = create(first, startFrame_);
        applySettings(first, startFrame_, made);
        showColliders(first, startFrame_);
        drawData(first, startFrame_);
        if (!solve(first, startFrame_, 0, 1 / (fps_ * substeps), made)) return false;
        cache_[startFrame_] = std::move(first);
    }
    for (int f = cache_.rbegin()->first + 1; f <= frame; ++f) {
        const std::string before = bytesOf(cache_[f - 1]);
        Timestep step = reloadEveryStep ? throughBytes(cache_[f - 1]) : copyOf(cache_[f - 1]);
        for (int s = 0; s < substeps; ++s) {
            const std::set<int> made = s + 1 == substeps ? create(step, f) : std::set<int>();
            applySettings(step, f, made);
            showColliders(step, f - 1 + static_cast<double>(s + 1) / substeps);
            drawData(step, f - 1 + static_cast<double>(s + 1) / substeps);
            const double time = (static_cast<double>(f - 1 - startFrame_) + static_cast<double>(s) / substeps) / fps_;
            const bool solved = solve(step, f, time, 1 / (fps_ * substeps), made);
            if (bytesOf(cache_[f - 1]) != before) violation("a solve has changed the data of the timestep before");
            if (!solved) return false;
        }
        cache_[f] = std::move(step);
    }
    return true;
}
void DopNetwork::scrub(int frame) {
    while (!cache_.empty() && cache_.rbegin()->first > frame) cache_.erase(std::prev(cache_.end()));
}
const GU_Detail& DopNetwork::geometry(int frame, int object) const {
    const Timestep& step = cache_.at(frame);
    const auto place = std::find_if(step.begin(), step.end(), [&](const auto& o) { return o->getObjectId() == object; });
    if (place == step.end()) throw std::runtime_error("the object is not there yet");
    return *(*place)->getGeometry()->getGeometry().gdp();
}
std::string DopNetwork::save(int frame) const { return bytesOf(cache_.at(frame)); }
bool DopNetwork::load(int frame, const std::string& bytes) {
    Timestep step;
    try {
        if (!readBytes(step, bytes)) return false;
    } catch (const std::runtime_error&) {
        return false;
    }
    applySettings(step, frame, all(step));
    cache_.clear();
    cache_[frame] = std::move(step);
    return true;
}
bool DopNetwork::says(const std::string& part) const {
    return std::any_of(messages_.begin(), messages_.end(), [&](const auto& m) { return m.text.find(part) != std::string::npos; });
}
int64 DopNetwork::memory(int frame) const {
    int64 sum = 0;
    for (const auto& object : cache_.at(frame))
        for (const auto& [name, data] : object->standinData) sum += data->getMemorySize();
    return sum;
}

}  // namespace standin
