#include "hdk/verb.h"

#include <GA/GA_AttributeDict.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/timer.h"
#include "hdk/geometry_bridge.h"
#include "hdk/guarded_cook.h"

namespace sunder::hdk {

std::string Verb::text(const char* name) const {
    UT_String value;
    evalString(value, name, 0, time_);
    return value.toStdString();
}

Geometry Verb::input(int i, const char* what, HostMonitor& monitor) const {
    const GU_Detail* detail = hasInput(i) ? inputGeo(i) : nullptr;
    if (!detail) throw Error(format("input %d is not wired", i + 1), format("wire %s to it", what));
    if (detail->getNumPoints() == 0) throw Error(format("input %d is empty", i + 1), format("give it %s", what));
    return geometryFromDetail(*detail, &monitor);
}

std::uint64_t Verb::inputIdentity(int i) const {
    const GU_Detail* detail = hasInput(i) ? inputGeo(i) : nullptr;
    if (!detail) return 0;
    std::vector<std::int64_t> ids = {detail->getNumPoints(), detail->getNumPrimitives(), compat::topologyId(*detail), detail->getPrimitiveList().getDataId()};
    for (const GA_AttributeDict* dict : {&detail->pointAttribs(), &detail->vertexAttribs(), &detail->primitiveAttribs(), &detail->attribs()})
        for (GA_AttributeDict::iterator it = dict->begin(GA_SCOPE_PUBLIC); !it.atEnd(); ++it) ids.push_back((*it)->getDataId());
    for (const GA_AttributeOwner owner : {GA_ATTRIB_POINT, GA_ATTRIB_VERTEX, GA_ATTRIB_PRIMITIVE})
        compat::forGroups(*detail, owner, [&](const GA_ElementGroup& group) { ids.push_back(group.getDataId()); });
    return hashVector(ids);
}

void Verb::write(const Geometry& geometry) {
    try {
        writeDetail(*gdp, geometry, monitor_);
    } catch (...) {
        clearDetail(*gdp);
        throw;
    }
}
void Verb::writePacked(const Geometry& points, const std::vector<GU_ConstDetailHandle>& parts, const std::vector<PackedPlace>& places) {
    hdk::writePacked(*gdp, points, parts, places);
}

OP_ERROR Verb::cookMySop(OP_Context& context) {
    time_ = context.getTime();
    info_.clear();
    CookOutlet outlet;
    outlet.error = [this](const std::string& text) { addError(SOP_MESSAGE, text.c_str()); };
    outlet.interrupted = [this] { compat::reportInterrupt(*cookparms()); };
    HostMonitor monitor(operation());
    monitor_ = &monitor;
    const Timer timer;
    guardedCook(outlet, [&] { cookVerb(monitor); });
    monitor_ = nullptr;
    for (const std::string& warning : monitor.warnings()) warn(warning);
    if (!info_.empty()) info_ += format(" in %.2f s", timer.seconds());
    return error();
}

namespace {
/// A verb that is all in its cache.
class SunderVerb : public SOP_NodeVerb {
  public:
    SunderVerb(const SopType& type, PRM_Template* templates) : name_(type.name), mode_(type.mode), makeVerb_(type.makeVerb), templates_(templates) {}
    SOP_NodeParms* allocParms() const override { return new SOP_NodeParmsOptions(templates_); }
    SOP_NodeCache* allocCache() const override { return makeVerb_(); }
    UT_StringHolder name() const override { return UT_StringHolder(name_.c_str()); }
    CookMode cookMode(const SOP_NodeParms*) const override { return mode_; }
    void cook(const CookParms& parms) const override {
        if (auto* cache = static_cast<SOP_NodeCacheOptions*>(parms.cache())) cache->doCook(this, parms);
    }

  private:
    std::string name_;
    CookMode mode_;
    SOP_NodeCache* (*makeVerb_)();
    PRM_Template* templates_;
};

/// The node around any of our verbs.
class SOP_Sunder : public compat::VerbNode {
  public:
    static OP_Node* make(OP_Network* network, const char* name, OP_Operator* op) { return new SOP_Sunder(network, name, op); }
    const SOP_NodeVerb* cookVerb() const override { return SOP_NodeVerb::lookupVerb(getOperator()->getName()); }
    void getNodeSpecificInfoText(OP_Context& context, OP_NodeInfoParms& parms) override {
        SOP_Node::getNodeSpecificInfoText(context, parms);
        if (const auto* verb = dynamic_cast<const Verb*>(verbCache())) parms.append(verb->info().c_str());
    }

  private:
    SOP_Sunder(OP_Network* network, const char* name, OP_Operator* op) : VerbNode(network, name, op) {}
};
}  // namespace

void registerSop(OP_OperatorTable& table, const SopType& type) {
    const std::string& script = *new std::string(type.script);
    PRM_Template* templates = compat::makeTemplates(script, type.name);
    auto* op = new OP_Operator(type.name, type.label, SOP_Sunder::make, templates, type.minInputs, type.maxInputs, nullptr,
                               type.minInputs == 0 ? OP_FLAG_GENERATOR : 0, type.inputLabels, 1, "Sunder");
    op->setIconName(type.icon);
    SOP_NodeVerb::registerVerb(new SunderVerb(type, templates));
    table.addOperator(op);
}

}  // namespace sunder::hdk
