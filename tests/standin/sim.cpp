#include <SIM/SIM_DataFilter.h>
#include <SIM/SIM_Object.h>
#include <standin/call.h>
#include <standin/detail_bytes.h>
#include <standin/standin.h>

#include <mutex>
#include <ostream>

namespace {
std::vector<std::unique_ptr<SIM_DataFactory>>& factories() {
    static std::vector<std::unique_ptr<SIM_DataFactory>> all;
    return all;
}
const SIM_DataFactory* builtIn(const char* name) {
    static const SIM_DataFactory object{"SIM_Object", "Object", nullptr, nullptr};
    static const SIM_DataFactory copy{"SIM_GeometryCopy", "Geometry", nullptr, [](const SIM_DataFactory* f) -> SIM_Data* { return new SIM_GeometryCopy(f); }};
    static const SIM_DataFactory sop{"SIM_SopGeometry", "Geometry", nullptr, [](const SIM_DataFactory* f) -> SIM_Data* { return new SIM_SopGeometry(f); }};
    if (std::strcmp(name, "SIM_SopGeometry") == 0) return &sop;
    return std::strcmp(name, "SIM_Object") == 0 ? &object : &copy;
}
}  // namespace

namespace standin {
void addFactory(SIM_DataFactory factory) {
    if (findFactory(factory.standinClass)) return;
    factories().push_back(std::make_unique<SIM_DataFactory>(std::move(factory)));
}
const SIM_DataFactory* findFactory(const std::string& className) {
    if (className == "SIM_GeometryCopy" || className == "SIM_SopGeometry") return builtIn(className.c_str());
    for (const auto& f : factories())
        if (f->standinClass == className) return f.get();
    return nullptr;
}
std::vector<const SIM_DataFactory*> allFactories() {
    std::vector<const SIM_DataFactory*> list;
    for (const auto& f : factories()) list.push_back(f.get());
    return list;
}
}  // namespace standin

// ---- options

SIM_OptionsUser::SIM_OptionsUser(SIM_Data* owner) { owner->standinOptionsUser = this; }

UT_OptionType SIM_Options::getOptionType(const char* name) const {
    const auto place = standinValues.find(name);
    if (place == standinValues.end()) return UT_OPTION_INVALID;
    constexpr UT_OptionType types[] = {UT_OPTION_INT, UT_OPTION_BOOL, UT_OPTION_FPREAL, UT_OPTION_STRING, UT_OPTION_VECTOR3};
    return types[place->second.index()];
}
template <class T>
T SIM_Options::typed(const char* name) const {
    const auto place = standinValues.find(name);
    if (place == standinValues.end() || !std::holds_alternative<T>(place->second)) {
        standin::violation(std::string("the option '") + name + "' is not there, or was read as another type");
        return T();
    }
    return std::get<T>(place->second);
}
int64 SIM_Options::getOptionI(const char* name) const { return typed<int64>(name); }
bool SIM_Options::getOptionB(const char* name) const { return typed<bool>(name); }
fpreal SIM_Options::getOptionF(const char* name) const { return typed<fpreal>(name); }
void SIM_Options::getOptionS(const char* name, UT_String& value) const {
    const std::string text = typed<std::string>(name);
    const char* lent = standin::lend(text);
    if (lent)
        value = lent;
    else
        value = text;
}
UT_Vector3D SIM_Options::getOptionV3(const char* name) const { return typed<UT_Vector3D>(name); }

namespace {
/// Options as the templates declare them.
void setDefaults(SIM_Options& options, const PRM_Template* templates) {
    for (const PRM_Template* t = templates; t && t->getToken(); ++t) {
        const standin::Parm& p = t->standinParm();
        const auto number = [&](std::size_t i) { return p.defaults.size() > i ? std::stod(p.defaults[i]) : 0.0; };
        if (p.isText())
            options.standinValues[p.name] = p.defaults.empty() ? std::string() : p.defaults[0];
        else if (p.type == "toggle")
            options.standinValues[p.name] = number(0) != 0;
        else if (p.type == "integer" || p.type == "ordinal")
            options.standinValues[p.name] = static_cast<int64>(number(0));
        else if (p.size == 3)
            options.standinValues[p.name] = UT_Vector3D(number(0), number(1), number(2));
        else
            options.standinValues[p.name] = number(0);
    }
}
}  // namespace

// ---- data

SIM_Data::SIM_Data(const SIM_DataFactory* factory) : factory_(factory) { standin::countData(1); }
SIM_Data::~SIM_Data() { standin::countData(-1); }
void SIM_Data::initialize() {
    if (standinOptionsUser && factory_->standinDescription) setDefaults(standinOptionsUser->standinOptions, factory_->standinDescription->standinTemplates);
    initializeSubclass();
}
void SIM_Data::makeEqual(const SIM_Data* source) {
    if (standinOptionsUser && source->standinOptionsUser) standinOptionsUser->standinOptions = source->standinOptionsUser->standinOptions;
    makeEqualSubclass(source);
}
void SIM_Data::save(std::ostream& out) const { saveSubclass(out); }
bool SIM_Data::load(UT_IStream& in) { return loadSubclass(in); }

void SIM_Geometry::makeEqualSubclass(const SIM_Data* source) {
    if (const auto* from = SIM_DATA_CASTCONST(source, SIM_Geometry)) handle_ = from->handle_;
}
void SIM_Geometry::saveSubclass(std::ostream& out) const { standin::writeDetail(out, *handle_.gdp()); }
bool SIM_Geometry::loadSubclass(UT_IStream& in) {
    auto* detail = new GU_Detail;
    handle_.allocateAndSet(detail);
    return standin::readDetail(in, *detail);
}
GU_DetailHandle& SIM_GeometryCopy::lockGeometry() {
    if (locks_++ > 0) standin::violation("geometry of an object was locked twice");
    if (handle_.isNull()) handle_.allocateAndSet(new GU_Detail);
    if (handle_.standinShared()) {
        auto* copy = new GU_Detail;
        copy->replaceWith(*handle_.gdp());
        handle_.allocateAndSet(copy);
    }
    return handle_;
}
void SIM_GeometryCopy::releaseGeometry() {
    if (--locks_ < 0) standin::violation("geometry of an object was released without a lock");
    const std::vector<std::string> stale = handle_.gdp()->standinStale();
    if (!stale.empty()) standin::violation("'" + stale[0] + "' of an object's geometry was written and its data id left as it was");
}
void SIM_GeometryCopy::setOwnGeometry(const GU_Detail* detail) {
    auto* copy = new GU_Detail;
    copy->replaceWith(*detail);
    handle_.allocateAndSet(copy);
}

void SIM_SopGeometry::standinShow(const GU_DetailHandle& shown) {
    if (handle_.isValid()) handle_.gdp()->standinFreeze(-1);
    handle_ = shown;
    if (handle_.isValid()) handle_.gdp()->standinFreeze(1);
}
void SIM_SopGeometry::makeEqualSubclass(const SIM_Data* source) {
    if (const auto* from = SIM_DATA_CASTCONST(source, SIM_SopGeometry)) standinShow(from->handle_);
}
bool SIM_SopGeometry::loadSubclass(UT_IStream& in) {
    GU_DetailHandle read;
    auto* detail = new GU_Detail;
    read.allocateAndSet(detail);
    const bool well = standin::readDetail(in, *detail);
    standinShow(read);
    return well;
}

// ---- objects

SIM_Object::SIM_Object(std::string name, int id) : SIM_Data(builtIn("SIM_Object")), name_(std::move(name)), id_(id) {}
SIM_Data* SIM_Object::getNamedSubData(const char* name) {
    const auto place = standinData.find(name);
    return place == standinData.end() ? nullptr : place->second.get();
}
SIM_Data* SIM_Object::createNamedSubData(const char* name, const char* className, int flags) {
    if (SIM_Data* there = getNamedSubData(name); there && (flags & SIM_DATA_RETURN_EXISTING) && there->standinCast(className)) return there;
    const SIM_DataFactory* factory = standin::findFactory(className);
    if (!factory) {
        standin::violation(std::string("there is no data of type ") + className);
        return nullptr;
    }
    std::shared_ptr<SIM_Data> made(factory->standinMake(factory));
    made->initialize();
    standinData[name] = made;
    return made.get();
}
void SIM_Object::filterConstSubData(SIM_ConstDataArray& found, std::nullptr_t, const SIM_DataFilter& filter, const char* startFrom, const SIM_DataFilter&) const {
    const std::string below = std::string(startFrom) + "/";
    for (const auto& [name, data] : standinData)
        if (name.compare(0, below.size(), below) == 0 && filter.acceptData(data.get(), name.c_str() + below.size())) found.standinList.push_back(data.get());
}
const SIM_Geometry* SIM_Object::getGeometry() const { return SIM_DATA_GETCONST(*this, SIM_GEOMETRY_DATANAME, SIM_Geometry); }
void SIM_Object::getAffectors(SIM_ObjectArray& affectors, const char*) const {
    affectors.add(const_cast<SIM_Object*>(this));
    for (SIM_Object* collider : standinColliders) affectors.add(collider);
}
