#include <GA/GA_Handle.h>
#include <GU/GU_Detail.h>
#include <standin/standin.h>

#include <algorithm>

namespace {
std::atomic<GA_DataId> nextDataId{1};
}

namespace standin {
GA_DataId freshDataId() { return nextDataId++; }
void requirePage(exint page, GA_Offset offset) {
    if (static_cast<exint>(offset) / GA_PAGE_SIZE != page) violation("a page handle was used off its page");
}
}  // namespace standin

int GA_AIFTuple::getTupleSize(const GA_Attribute* attribute) const { return attribute->getTupleSize(); }
GA_Storage GA_AIFTuple::getStorage(const GA_Attribute* attribute) const { return attribute->standinStorage(); }
int GA_AIFStringTuple::getTupleSize(const GA_Attribute* attribute) const { return attribute->getTupleSize(); }

GA_Attribute::GA_Attribute(GA_Detail& detail, GA_AttributeOwner owner, std::string name, GA_Storage storage, int tupleSize, fpreal initial)
    : detail_(detail), owner_(owner), name_(std::move(name)), storage_(storage), tupleSize_(tupleSize), initial_(initial), dataId_(standin::freshDataId()) {}

const GA_AIFTuple* GA_Attribute::getAIFTuple() const {
    static const GA_AIFTuple tuple;
    return standinIsString() ? nullptr : &tuple;
}
const GA_AIFStringTuple* GA_Attribute::getAIFStringTuple() const {
    static const GA_AIFStringTuple tuple;
    return standinIsString() ? &tuple : nullptr;
}

void GA_Attribute::touch() {
    detail_.standinRequireWritable(name_.c_str());
    dirty_.store(true, std::memory_order_relaxed);
}
/// A host may replace the whole page of a value: two threads must not write to one. Parts of a loop may be run by two.
void GA_Attribute::touch(GA_Offset o) {
    touch();
    const std::uint64_t part = standin::partOfLoop();
    const auto page = static_cast<std::size_t>(static_cast<exint>(o) / GA_PAGE_SIZE);
    if (part == 0 || page >= writers_.size() || writers_[page].load(std::memory_order_relaxed) == part) return;
    const std::uint64_t other = writers_[page].exchange(part);
    if (other >= standin::firstPartOfLoop()) standin::violation("two parts of a parallel loop wrote to the same page of '" + name_.toStdString() + "'");
}
void GA_Attribute::setTypeInfo(GA_TypeInfo info) {
    touch();
    options_.setTypeInfo(info);
}
void GA_Attribute::bumpDataId() {
    dataId_ = standin::freshDataId();
    dirty_ = false;
}

std::size_t GA_Attribute::place(GA_Offset o, int c) const {
    detail_.standinRequireThere(name_.c_str());
    const bool there = owner_ == GA_ATTRIB_GLOBAL ? static_cast<exint>(o) == 0 : detail_.map(owner_).isOffsetActive(o);
    if (!there) {
        standin::violation("attribute '" + name_.toStdString() + "' was asked at an offset that is a hole or beyond the end (an index taken for an offset?)");
        return 0;
    }
    if (c < 0 || c >= tupleSize_) {
        standin::violation("attribute '" + name_.toStdString() + "' was asked for a component that it has not");
        return 0;
    }
    return static_cast<std::size_t>(static_cast<exint>(o) * tupleSize_ + c);
}
double GA_Attribute::standinNumber(GA_Offset o, int c) const {
    const std::size_t i = place(o, c);
    return standinIsFloat() ? floats_[i] : static_cast<double>(integers_[i]);
}
int64 GA_Attribute::standinInteger(GA_Offset o, int c) const {
    const std::size_t i = place(o, c);
    return standinIsFloat() ? static_cast<int64>(floats_[i]) : integers_[i];
}
const std::string& GA_Attribute::standinText(GA_Offset o) const { return texts_[place(o, 0)]; }

void GA_Attribute::standinSet(GA_Offset o, int c, double value) {
    touch(o);
    if (!standinIsFloat()) return standinSet(o, c, static_cast<int64>(value));
    floats_[place(o, c)] = storage_ == GA_STORE_REAL64 ? value : static_cast<double>(static_cast<float>(value));
}
void GA_Attribute::standinSet(GA_Offset o, int c, int64 value) {
    touch(o);
    if (standinIsFloat()) return standinSet(o, c, static_cast<double>(value));
    switch (storage_) {
        case GA_STORE_BOOL:
        case GA_STORE_UINT8: value = static_cast<uint8>(value); break;
        case GA_STORE_INT8: value = static_cast<int8>(value); break;
        case GA_STORE_INT16: value = static_cast<int16>(value); break;
        case GA_STORE_INT32: value = static_cast<int32>(value); break;
        default: break;
    }
    integers_[place(o, c)] = value;
}
void GA_Attribute::standinSet(GA_Offset o, const std::string& value) {
    touch(o);
    texts_[place(o, 0)] = value;
}

void GA_Attribute::standinResize(exint offsets) {
    const auto n = static_cast<std::size_t>(offsets * tupleSize_);
    if (standinIsString())
        texts_.resize(static_cast<std::size_t>(offsets));
    else if (standinIsFloat())
        floats_.resize(n, initial_);
    else
        integers_.resize(n, static_cast<int64>(initial_));
    if (const auto pages = static_cast<std::size_t>((offsets + GA_PAGE_SIZE - 1) / GA_PAGE_SIZE); pages != writers_.size()) writers_ = std::vector<std::atomic<std::uint64_t>>(pages);
    dirty_ = true;
}
void GA_Attribute::standinCopy(const GA_Attribute& from) {
    options_ = from.options_;
    dataId_ = from.dataId_;
    dirty_ = from.dirty_.load();
    floats_ = from.floats_;
    integers_ = from.integers_;
    texts_ = from.texts_;
    writers_ = std::vector<std::atomic<std::uint64_t>>(from.writers_.size());
}

GA_AttributeDict::iterator GA_AttributeDict::begin(GA_AttributeScope scope) const {
    std::vector<GA_Attribute*> list;
    if (scope == GA_SCOPE_PUBLIC)
        for (const auto& a : standinList) list.push_back(a.get());
    return iterator(std::move(list));
}
GA_Attribute* GA_AttributeDict::standinFind(const char* name) const {
    for (const auto& a : standinList)
        if (a->getName() == name) return a.get();
    return nullptr;
}

void GA_ElementGroup::touch() {
    detail_.standinRequireWritable(name_.c_str());
    dirty_.store(true, std::memory_order_relaxed);
}
bool GA_ElementGroup::containsOffset(GA_Offset o) const {
    detail_.standinRequireThere(name_.c_str());
    const auto i = static_cast<std::size_t>(static_cast<exint>(o));
    return i < standinMembers.size() && standinMembers[i] != 0;
}
void GA_ElementGroup::addOffset(GA_Offset o) {
    touch();
    const auto i = static_cast<std::size_t>(static_cast<exint>(o));
    if (i >= standinMembers.size()) standinMembers.resize(i + 1, 0);
    standinMembers[i] = 1;
}
void GA_ElementGroup::removeOffset(GA_Offset o) {
    touch();
    const auto i = static_cast<std::size_t>(static_cast<exint>(o));
    if (i < standinMembers.size()) standinMembers[i] = 0;
}
GA_Size GA_ElementGroup::entries() const { return std::count(standinMembers.begin(), standinMembers.end(), 1); }
void GA_ElementGroup::bumpDataId() {
    dataId_ = standin::freshDataId();
    dirty_ = false;
}
GA_ElementGroup* GA_ElementGroupTable::standinFind(const char* name) const {
    for (const auto& g : standinList)
        if (g->getName() == name) return g.get();
    return nullptr;
}
