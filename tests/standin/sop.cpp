#include <OP/OP_OperatorTable.h>
#include <standin/call.h>
#include <standin/cook.h>
#include <standin/standin.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>

namespace {
UT_ErrorSeverity worst(const std::vector<standin::Message>& messages) {
    UT_ErrorSeverity severity = UT_ERROR_NONE;
    for (const standin::Message& m : messages) severity = std::max(severity, m.severity);
    return severity;
}
}  // namespace

// ---- operators and nodes

OP_Operator::OP_Operator(const char* name, const char* english, OP_Constructor constructor, PRM_Template* templates, unsigned minSources, unsigned maxSources,
                         CH_LocalVariable*, unsigned flags, const char** inputLabels, int, const char* tab)
    : name_(name), english_(english), constructor_(constructor), templates_(templates), minSources_(minSources), maxSources_(maxSources), flags_(flags),
      inputLabels_(inputLabels), tab_(tab ? tab : "") {
    if (minSources_ > maxSources_) standin::violation(std::string(name) + " needs more inputs than it may have");
}
std::vector<std::string> OP_Operator::standinInputLabels() const {
    std::vector<std::string> labels;
    for (const char** l = inputLabels_; l && *l; ++l) labels.emplace_back(*l);
    return labels;
}
bool OP_OperatorTable::addOperator(OP_Operator* op) {
    std::unique_ptr<OP_Operator> owned(op);
    if (getOperator(op->getName())) {
        standin::violation("the operator '" + op->getName().toStdString() + "' is there twice");
        return false;
    }
    standinList.push_back(std::move(owned));
    return true;
}
OP_Operator* OP_OperatorTable::getOperator(const char* name) const {
    for (const auto& op : standinList)
        if (op->getName() == name) return op.get();
    return nullptr;
}
OP_ERROR OP_Node::error() const { return worst(standinMessages); }
void OP_Node::addError(int, const char* text) { standinMessages.push_back({UT_ERROR_ABORT, text}); }
void OP_Node::addWarning(int, const char* text) { standinMessages.push_back({UT_ERROR_WARNING, text}); }

// ---- verbs

namespace {
std::mutex verbMutex;
std::map<std::string, SOP_NodeVerb*>& verbs() {
    static std::map<std::string, SOP_NodeVerb*> all;
    return all;
}
}  // namespace
void SOP_NodeVerb::registerVerb(SOP_NodeVerb* verb) {
    const std::lock_guard<std::mutex> guard(verbMutex);
    verbs()[verb->name().toStdString()] = verb;
}
const SOP_NodeVerb* SOP_NodeVerb::lookupVerb(const char* name) {
    const std::lock_guard<std::mutex> guard(verbMutex);
    const auto place = verbs().find(name);
    return place == verbs().end() ? nullptr : place->second;
}

bool SOP_NodeVerb::CookParms::hasInput(exint i) const { return i >= 0 && i < nInputs() && !standinInputs[static_cast<std::size_t>(i)].isNull(); }
const GU_Detail* SOP_NodeVerb::CookParms::inputGeo(exint i) const {
    if (!hasInput(i)) return nullptr;
    if (i == 0 && standinStolen) standin::violation("input 0 was read although the verb cooks in place and has stolen it");
    return standinInputs[static_cast<std::size_t>(i)].gdp();
}
void SOP_NodeVerb::CookParms::sopAddError(int, const char* text) const { standinMessages->push_back({UT_ERROR_ABORT, text}); }
void SOP_NodeVerb::CookParms::sopAddWarning(int, const char* text) const { standinMessages->push_back({UT_ERROR_WARNING, text}); }
void SOP_NodeVerb::CookParms::sopAddMessage(int, const char* text) const { standinMessages->push_back({UT_ERROR_MESSAGE, text}); }
UT_ErrorSeverity SOP_NodeVerb::CookParms::error() const { return worst(*standinMessages); }

// ---- parameters by name

void SOP_NodeParmsOptions::requireCooking(const char* name) const {
    if (!standinCooking || standinThread != std::this_thread::get_id())
        standin::violation(std::string("parameter '") + name + "' was read outside of the cook of its verb");
    if (standin::inParallelLoop()) standin::violation(std::string("parameter '") + name + "' was read within a parallel loop");
}
const standin::Parm& SOP_NodeParmsOptions::find(const char* name, bool text) const {
    requireCooking(name);
    for (const PRM_Template* t = templates_; t->getToken(); ++t) {
        const standin::Parm& p = t->standinParm();
        if (p.name != name) continue;
        if (text && !p.isText() && !p.isMenu()) standin::violation(std::string("parameter '") + name + "' was read as a text");
        if (!text && p.isText()) standin::violation(std::string("parameter '") + name + "' was read as a number");
        return p;
    }
    standin::violation(std::string("there is no parameter '") + name + "'");
    static const standin::Parm none;
    return none;
}
double SOP_NodeParmsOptions::standinNumber(const char* name, int component, fpreal time) const {
    const standin::Parm& p = find(name, false);
    if (component < 0 || component >= p.size) standin::violation(std::string("parameter '") + name + "' has no such component");
    const auto key = standinValues.keys.find(name);
    if (key != standinValues.keys.end()) return key->second(time);
    const auto set = standinValues.numbers.find(name);
    if (set != standinValues.numbers.end()) return set->second.at(static_cast<std::size_t>(component));
    if (p.isMenu()) {
        const std::string token = standinText(name);
        for (std::size_t i = 0; i < p.menu.size(); ++i)
            if (p.menu[i].first == token) return static_cast<double>(i);
        return 0;
    }
    return p.defaults.empty() ? 0 : std::stod(p.defaults[static_cast<std::size_t>(component)]);
}
std::string SOP_NodeParmsOptions::standinText(const char* name) const {
    const standin::Parm& p = find(name, true);
    const auto set = standinValues.texts.find(name);
    if (set != standinValues.texts.end()) return set->second;
    const auto number = standinValues.numbers.find(name);
    if (p.isMenu() && number != standinValues.numbers.end()) return p.menu.at(static_cast<std::size_t>(number->second[0])).first;
    if (p.defaults.empty()) return p.isMenu() ? p.menu[0].first : "";
    const bool isNumber = p.type == "ordinal" && p.defaults[0].find_first_not_of("0123456789") == std::string::npos;
    return isNumber ? p.menu.at(static_cast<std::size_t>(std::stoi(p.defaults[0]))).first : p.defaults[0];
}

const SOP_NodeParmsOptions& SOP_NodeCacheOptions::options() const {
    if (!parms_) standin::violation("a parameter was read outside of the cook of its verb");
    return parms_->parms<SOP_NodeParmsOptions>();
}
exint SOP_NodeCacheOptions::evalInt(const char* name, int component, fpreal time) const { return static_cast<exint>(options().standinNumber(name, component, time)); }
fpreal SOP_NodeCacheOptions::evalFloat(const char* name, int component, fpreal time) const { return options().standinNumber(name, component, time); }
namespace {
/// Good until the call is over.
void hand(UT_String& to, const std::string& text) {
    const char* lent = standin::lend(text);
    if (lent)
        to = lent;
    else
        to = text;
}
/// The values of a node as its parameters have them now.
SOP_NodeParmsOptions parmsOf(const OP_Node& node, const char* name) {
    if (standin::inSolve()) standin::violation(std::string("parameter '") + name + "' of '" + node.getName().toStdString() + "' was evaluated inside a solve");
    SOP_NodeParmsOptions parms(node.getOperator()->standinTemplates());
    parms.standinValues = node.standinValues;
    parms.standinCooking = true;
    parms.standinThread = std::this_thread::get_id();
    return parms;
}
}  // namespace
void SOP_NodeCacheOptions::evalString(UT_String& value, const char* name, int, fpreal) const { hand(value, options().standinText(name)); }
exint OP_Node::evalInt(const char* name, int component, fpreal time) const { return static_cast<exint>(parmsOf(*this, name).standinNumber(name, component, time)); }
fpreal OP_Node::evalFloat(const char* name, int component, fpreal time) const { return parmsOf(*this, name).standinNumber(name, component, time); }
void OP_Node::evalString(UT_String& value, const char* name, int, fpreal) const { hand(value, parmsOf(*this, name).standinText(name)); }
OP_ERROR SOP_NodeCacheOptions::doCook(const SOP_NodeVerb*, const SOP_NodeVerb::CookParms& parms) {
    parms_ = &parms;
    gdp = parms.gdh().gdpNC();
    OP_Context context = parms.getContext();
    const OP_ERROR result = cookMySop(context);
    gdp = nullptr;
    parms_ = nullptr;
    return result;
}

// ---- cooking

namespace standin {

bool CookResult::failed() const { return worst(messages) >= UT_ERROR_ABORT; }
bool CookResult::says(const std::string& part) const {
    return std::any_of(messages.begin(), messages.end(), [&](const Message& m) { return m.text.find(part) != std::string::npos; });
}

namespace {
class Frozen {
  public:
    explicit Frozen(const std::vector<GU_ConstDetailHandle>& handles) : handles_(handles) { freeze(1); }
    ~Frozen() { freeze(-1); }
    Frozen(const Frozen&) = delete;
    Frozen& operator=(const Frozen&) = delete;

  private:
    void freeze(int by) const {
        for (const GU_ConstDetailHandle& h : handles_)
            if (!h.isNull()) h.gdp()->standinFreeze(by);
    }
    const std::vector<GU_ConstDetailHandle>& handles_;
};

void checkAfter(const CookRequest& request, const CookResult& result, int interruptsBefore) {
    const std::string who = request.verb->name().toStdString();
    for (const GU_ConstDetailHandle& h : request.inputs)
        if (h.standinLocks() != 0) violation(who + " left a lock on an input");
    if (result.geometry.standinLocks() != 0) violation(who + " left a lock on its output");
    if (openInterrupts() != interruptsBefore) violation(who + " left an interrupt open");
    const std::vector<std::string> stale = result.geometry.gdp()->standinStale();
    if (!stale.empty()) violation(who + " wrote '" + stale[0] + "' and left its data id as it was");
}
}  // namespace

CookResult cook(const CookRequest& request) {
    const int interrupts = openInterrupts();
    std::unique_ptr<SOP_NodeParms> parms(request.verb->allocParms());
    if (auto* options = dynamic_cast<SOP_NodeParmsOptions*>(parms.get())) {
        options->standinValues = request.values;
        options->standinCooking = true;
        options->standinThread = std::this_thread::get_id();
    }
    std::unique_ptr<SOP_NodeCache> fresh(request.cache ? nullptr : request.verb->allocCache());
    CookResult result;
    auto* output = new GU_Detail;
    result.geometry.allocateAndSet(output);
    const SOP_NodeVerb::CookMode mode = request.verb->cookMode(parms.get());
    const bool has0 = !request.inputs.empty() && !request.inputs[0].isNull();
    if ((mode == SOP_NodeVerb::COOK_INPLACE || mode == SOP_NodeVerb::COOK_DUPLICATE) && has0) output->replaceWith(*request.inputs[0].gdp());
    if (mode == SOP_NodeVerb::COOK_GENERIC && request.leftover) {
        output->appendPointBlock(3);
        output->addFloatTuple(GA_ATTRIB_POINT, "leftover", 1);
        output->bumpAllDataIds();
    }
    {
        const Frozen frozen(request.inputs);
        SOP_NodeVerb::CookParms p;
        p.standinParms = parms.get();
        p.standinInputs = request.inputs;
        p.standinStolen = mode == SOP_NodeVerb::COOK_INPLACE && request.stealInput;
        p.standinOutput = &result.geometry;
        p.standinCache = request.cache ? request.cache : fresh.get();
        p.standinContext = OP_Context(request.time);
        p.standinNode = request.node;
        p.standinMessages = &result.messages;
        const Call call(Call::kCook);
        try {
            request.verb->cook(p);
        } catch (...) {
            violation("an exception left the cook of " + request.verb->name().toStdString());
        }
    }
    if (auto* options = dynamic_cast<SOP_NodeParmsOptions*>(parms.get())) options->standinCooking = false;
    checkAfter(request, result, interrupts);
    return result;
}

}  // namespace standin

SOP_Node::~SOP_Node() { delete myNodeVerbCache; }
void SOP_Node::standinDropCache() {
    delete myNodeVerbCache;
    myNodeVerbCache = nullptr;
}
const char* SOP_Node::inputLabel(unsigned) const { return "Input"; }
OP_ERROR SOP_Node::cookMyselfAsVerb(OP_Context& context) {
    if (!mySopFlags.standinManages) standin::violation("a node that cooks by a verb does not manage its data ids");
    standin::CookRequest request;
    request.verb = cookVerb();
    if (!myNodeVerbCache) myNodeVerbCache = request.verb->allocCache();
    request.cache = myNodeVerbCache;
    request.node = this;
    request.values = standinValues;
    request.time = context.getTime();
    request.stealInput = standinStealInput;
    for (SOP_Node* input : standinInputs) {
        request.inputs.push_back(input ? input->getCookedGeoHandle(context) : GU_ConstDetailHandle());
        if (input && input->error() >= UT_ERROR_ABORT) standinMessages.push_back({UT_ERROR_ABORT, "input failed"});
    }
    if (error() >= UT_ERROR_ABORT) return error();
    standin::CookResult result = standin::cook(request);
    standinMessages.insert(standinMessages.end(), result.messages.begin(), result.messages.end());
    output_ = result.geometry;
    return error();
}
GU_ConstDetailHandle SOP_Node::getCookedGeoHandle(OP_Context& context) {
    standinMessages.clear();
    output_.clear();
    if (standinInputs.size() < getOperator()->standinMinSources()) {
        standinMessages.push_back({UT_ERROR_ABORT, "Not enough sources specified."});
        return output_;
    }
    cookMySop(context);
    return output_;
}
