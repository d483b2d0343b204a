#include "hdk/attribute_bridge.h"

#include <GA/GA_AttributeDict.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"
#include "hdk/attribute_parts.h"
#include "hdk/compat.h"

namespace sunder::hdk {

namespace {
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
    std::vector<std::string> texts(offsets.size());
    forEach(offsets.size(), monitor, [&](std::size_t i) { texts[i] = handle.get(offsets[i]).toStdString(); });
    to.values = std::move(texts);
    return true;
}

void readGroups(const GU_Detail& detail, GA_AttributeOwner owner, const std::vector<GA_Offset>& offsets, AttributeSet& set, Monitor* monitor) {
    compat::forGroups(detail, owner, [&](const GA_ElementGroup& from) {
        if (from.getInternal()) return;
        Group& group = set.addGroup(from.getName().toStdString(), offsets.size());
        forEach(offsets.size(), monitor, [&](std::size_t i) { group.members[i] = from.containsOffset(offsets[i]) ? 1 : 0; });
    });
    std::sort(set.groups.begin(), set.groups.end(), [](const Group& a, const Group& b) { return a.name < b.name; });
}
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
    if (owner != GA_ATTRIB_DETAIL) readGroups(detail, owner, offsets, set, monitor);
    return set;
}

bool readAttribute(const GU_Detail& detail, GA_AttributeOwner owner, const char* name, const std::vector<GA_Offset>& offsets, Attribute& to) {
    const GA_Attribute* from = detail.findAttribute(owner, name);
    return from && readAttribute(*from, offsets, to, nullptr);
}

}  // namespace sunder::hdk
