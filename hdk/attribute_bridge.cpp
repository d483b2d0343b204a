#include "hdk/attribute_bridge.h"

#include <GA/GA_AttributeDict.h>
#include <UT/UT_ParallelUtil.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "hdk/compat.h"

namespace sunder::hdk {

namespace {
constexpr std::pair<AttributeMeaning, GA_TypeInfo> kMeanings[] = {
    {AttributeMeaning::kPoint, GA_TYPE_POINT},   {AttributeMeaning::kHPoint, GA_TYPE_HPOINT},         {AttributeMeaning::kVector, GA_TYPE_VECTOR},
    {AttributeMeaning::kNormal, GA_TYPE_NORMAL}, {AttributeMeaning::kColor, GA_TYPE_COLOR},           {AttributeMeaning::kQuaternion, GA_TYPE_QUATERNION},
    {AttributeMeaning::kMatrix, GA_TYPE_TRANSFORM}, {AttributeMeaning::kTextureCoord, GA_TYPE_TEXTURE_COORD}};

AttributeMeaning meaningOf(GA_TypeInfo info) {
    for (const auto& [meaning, type] : kMeanings)
        if (type == info) return meaning;
    return AttributeMeaning::kNone;
}
GA_TypeInfo infoOf(AttributeMeaning meaning) {
    for (const auto& [m, type] : kMeanings)
        if (m == meaning) return type;
    return GA_TYPE_VOID;
}

/// Calls body(first, last) over [0, count), in parallel.
template <class Body>
void forBlocks(std::size_t count, Monitor* monitor, const Body& body) {
    constexpr std::size_t kBetween = 512 * GA_PAGE_SIZE;  // looks at the monitor
    for (std::size_t start = 0; start < count; start += kBetween) {
        throwIfCancelled(monitor);
        UTparallelForLightItems(UT_BlockedRange<exint>(static_cast<exint>(start), static_cast<exint>(std::min(count, start + kBetween)), GA_PAGE_SIZE),
                                [&](const UT_BlockedRange<exint>& r) { body(static_cast<std::size_t>(r.begin()), static_cast<std::size_t>(r.end())); });
    }
}

template <class Value, class Handle>
std::vector<Value> readNumbers(const GA_Attribute& attribute, int tuple, const std::vector<GA_Offset>& offsets, Monitor* monitor) {
    const Handle handle(&attribute);
    std::vector<Value> values(offsets.size() * static_cast<std::size_t>(tuple));
    forBlocks(offsets.size(), monitor, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (int c = 0; c < tuple; ++c) values[i * static_cast<std::size_t>(tuple) + static_cast<std::size_t>(c)] = static_cast<Value>(handle.get(offsets[i], c));
    });
    return values;
}

Attribute::Values readNumeric(const GA_Attribute& a, const std::vector<GA_Offset>& offsets, Monitor* monitor) {
    const int tuple = a.getAIFTuple()->getTupleSize(&a);
    switch (a.getAIFTuple()->getStorage(&a)) {
        case GA_STORE_REAL64: return readNumbers<double, GA_ROHandleD>(a, tuple, offsets, monitor);
        case GA_STORE_REAL32:
        case GA_STORE_REAL16: return readNumbers<float, GA_ROHandleF>(a, tuple, offsets, monitor);
        case GA_STORE_INT64: return readNumbers<std::int64_t, GA_ROHandleID>(a, tuple, offsets, monitor);
        case GA_STORE_BOOL:
        case GA_STORE_UINT8: return readNumbers<std::uint8_t, compat::ByteReader>(a, tuple, offsets, monitor);
        default: return readNumbers<std::int32_t, GA_ROHandleI>(a, tuple, offsets, monitor);
    }
}

/// False if it is of a kind that core has no place for.
bool readAttribute(const GA_Attribute& from, const std::vector<GA_Offset>& offsets, Attribute& to, Monitor* monitor) {
    to.name = from.getName().toStdString();
    to.meaning = meaningOf(from.getOptions().typeInfo());
    if (from.getAIFTuple()) {
        to.tupleSize = from.getAIFTuple()->getTupleSize(&from);
        to.values = readNumeric(from, offsets, monitor);
        return true;
    }
    if (!from.getAIFStringTuple() || from.getAIFStringTuple()->getTupleSize(&from) != 1) return false;
    const GA_ROHandleS handle(&from);
    std::vector<std::string> texts;
    for (const GA_Offset o : offsets) texts.push_back(handle.get(o).toStdString());
    to.values = std::move(texts);
    return true;
}

const GA_AttributeDict& dictOf(const GU_Detail& detail, GA_AttributeOwner owner) {
    switch (owner) {
        case GA_ATTRIB_POINT: return detail.pointAttribs();
        case GA_ATTRIB_VERTEX: return detail.vertexAttribs();
        case GA_ATTRIB_PRIMITIVE: return detail.primitiveAttribs();
        default: return detail.attribs();
    }
}

void readGroups(const GU_Detail& detail, GA_AttributeOwner owner, const std::vector<GA_Offset>& offsets, AttributeSet& set) {
    compat::forGroups(detail, owner, [&](const GA_ElementGroup& from) {
        if (from.getInternal()) return;
        Group& group = set.addGroup(from.getName().toStdString(), offsets.size());
        for (std::size_t i = 0; i < offsets.size(); ++i) group.members[i] = from.containsOffset(offsets[i]) ? 1 : 0;
    });
    std::sort(set.groups.begin(), set.groups.end(), [](const Group& a, const Group& b) { return a.name < b.name; });
}

template <class Handle, class Value>
void writeNumbers(GA_Attribute* to, int tuple, const std::vector<Value>& values, const std::vector<GA_Offset>& offsets, Monitor* monitor) {
    Handle handle(to);
    forBlocks(offsets.size(), monitor, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (int c = 0; c < tuple; ++c) compat::setComponent(handle, offsets[i], c, values[i * static_cast<std::size_t>(tuple) + static_cast<std::size_t>(c)]);
    });
}

struct AttributeWriter {
    GU_Detail& detail;
    GA_AttributeOwner owner;
    const Attribute& from;
    const std::vector<GA_Offset>& offsets;
    Monitor* monitor;

    GA_Attribute* add(GA_Storage storage) const {
        GA_Attribute* a = compat::addNumbers(detail, storage, owner, from.name.c_str(), from.tupleSize);
        if (!a) throw Error(format("the attribute '%s' cannot be made", from.name.c_str()), "rename it: Houdini allows letters, digits and _");
        a->setTypeInfo(infoOf(from.meaning));
        return a;
    }
    GA_Attribute* operator()(const std::vector<float>& v) const { return numbers<GA_RWHandleF>(GA_STORE_REAL32, v); }
    GA_Attribute* operator()(const std::vector<double>& v) const { return numbers<GA_RWHandleD>(GA_STORE_REAL64, v); }
    GA_Attribute* operator()(const std::vector<std::int32_t>& v) const { return numbers<GA_RWHandleI>(GA_STORE_INT32, v); }
    GA_Attribute* operator()(const std::vector<std::int64_t>& v) const { return numbers<GA_RWHandleID>(GA_STORE_INT64, v); }
    GA_Attribute* operator()(const std::vector<std::uint8_t>& v) const { return numbers<compat::ByteWriter>(GA_STORE_UINT8, v); }
    GA_Attribute* operator()(const std::vector<std::string>& v) const {
        GA_Attribute* a = compat::addTexts(detail, owner, from.name.c_str());
        GA_RWHandleS handle(a);
        for (std::size_t i = 0; i < offsets.size(); ++i)  // names of pieces seldom change, and asking is cheaper than a place in the host's table of strings
            if (!(handle.get(offsets[i]) == v[i].c_str())) handle.set(offsets[i], UT_StringHolder(v[i].c_str()));
        return a;
    }
    template <class Handle, class Value>
    GA_Attribute* numbers(GA_Storage storage, const std::vector<Value>& v) const {
        GA_Attribute* a = add(storage);
        writeNumbers<Handle>(a, from.tupleSize, v, offsets, monitor);
        return a;
    }
};
}  // namespace

std::vector<GA_Offset> offsetsByIndex(const GU_Detail& detail, GA_AttributeOwner owner) {
    std::vector<GA_Offset> offsets;
    offsets.reserve(static_cast<std::size_t>(owner == GA_ATTRIB_POINT ? detail.getNumPoints() : detail.getNumPrimitives()));
    for (const GA_Offset o : owner == GA_ATTRIB_POINT ? detail.getPointRange() : detail.getPrimitiveRange()) offsets.push_back(o);
    return offsets;
}

AttributeSet readAttributes(const GU_Detail& detail, GA_AttributeOwner owner, const std::vector<GA_Offset>& offsets, Monitor* monitor, const std::vector<std::string>& without) {
    AttributeSet set;
    for (GA_AttributeDict::iterator it = dictOf(detail, owner).begin(GA_SCOPE_PUBLIC); !it.atEnd(); ++it) {
        const GA_Attribute* from = *it;
        if (!from || (owner == GA_ATTRIB_POINT && std::strcmp(from->getName().c_str(), "P") == 0)) continue;
        if (std::find(without.begin(), without.end(), from->getName().c_str()) != without.end()) continue;
        Attribute to;
        throwIfCancelled(monitor);
        if (readAttribute(*from, offsets, to, monitor))
            set.attributes.push_back(std::move(to));
        else if (monitor)
            monitor->warn(format("the attribute '%s' is left out: only numbers and single strings are used", from->getName().c_str()));
    }
    if (owner != GA_ATTRIB_DETAIL) readGroups(detail, owner, offsets, set);
    return set;
}

bool readAttribute(const GU_Detail& detail, GA_AttributeOwner owner, const char* name, const std::vector<GA_Offset>& offsets, Attribute& to) {
    const GA_Attribute* from = detail.findAttribute(owner, name);
    return from && readAttribute(*from, offsets, to, nullptr);
}

namespace {
/// Whether the host keeps `to` as it is when `from` is written to it.
bool fits(const GA_Attribute& to, const Attribute& from) {
    constexpr GA_Storage kStorages[] = {GA_STORE_REAL32, GA_STORE_REAL64, GA_STORE_INT32, GA_STORE_INT64, GA_STORE_UINT8};
    if (from.isString()) return to.getAIFStringTuple() != nullptr;
    const GA_AIFTuple* tuple = to.getAIFTuple();
    return tuple && tuple->getTupleSize(&to) == from.tupleSize && tuple->getStorage(&to) == kStorages[from.values.index()];
}
}  // namespace

bool hasTheSame(const GU_Detail& detail, GA_AttributeOwner owner, const AttributeSet& set) {
    std::size_t attributes = 0, groups = 0;
    for (GA_AttributeDict::iterator it = dictOf(detail, owner).begin(GA_SCOPE_PUBLIC); !it.atEnd(); ++it) {
        const std::string name = (*it)->getName().toStdString();
        if (owner == GA_ATTRIB_POINT && name == "P") continue;
        const Attribute* from = set.find(name);
        if (!from || !fits(**it, *from)) return false;
        ++attributes;
    }
    if (attributes != set.attributes.size()) return false;
    if (owner == GA_ATTRIB_DETAIL) return true;
    bool known = true;
    compat::forGroups(detail, owner, [&](const GA_ElementGroup& group) {
        known = known && set.findGroup(group.getName().toStdString());
        ++groups;
    });
    return known && groups == set.groups.size();
}

void writeAttributes(GU_Detail& detail, GA_AttributeOwner owner, const AttributeSet& set, const std::vector<GA_Offset>& offsets, Monitor* monitor) {
    for (const Attribute& a : set.attributes) {
        throwIfCancelled(monitor);
        std::visit(AttributeWriter{detail, owner, a, offsets, monitor}, a.values)->bumpDataId();
    }
    for (const Group& g : set.groups) {
        throwIfCancelled(monitor);
        GA_ElementGroup* to = compat::addGroup(detail, owner, g.name.c_str());
        if (!to) continue;
        for (std::size_t i = 0; i < offsets.size(); ++i)
            if (g.members[i])
                to->addOffset(offsets[i]);
            else if (to->containsOffset(offsets[i]))
                to->removeOffset(offsets[i]);
        to->bumpDataId();
    }
}

}  // namespace sunder::hdk
