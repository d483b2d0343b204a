#include <GA/GA_AttributeDict.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"
#include "hdk/attribute_bridge.h"
#include "hdk/attribute_parts.h"
#include "hdk/compat.h"

namespace sunder::hdk {

namespace {
/// Elements at which a list of offsets can be cut so that no page is on both sides; the first is 0, the last the end.
std::vector<std::size_t> pageCuts(const std::vector<GA_Offset>& offsets) {
    const auto pageOf = [&](std::size_t i) { return static_cast<exint>(offsets[i]) / GA_PAGE_SIZE; };
    std::vector<exint> least(offsets.size());  // page from there on
    exint page = INT64_MAX;
    for (std::size_t i = offsets.size(); i-- > 0;) least[i] = page = std::min(page, pageOf(i));
    std::vector<std::size_t> cuts;
    page = -1;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        if (page < least[i]) cuts.push_back(i);
        page = std::max(page, pageOf(i));
    }
    cuts.push_back(offsets.size());
    return cuts;
}

/// Calls body(first, last) as forBlocks does, for writing: a host may replace the whole page of a value, so that no two threads may write to one.
template <class Body>
void forOwnPages(const std::vector<std::size_t>& cuts, Monitor* monitor, const Body& body) {
    forBlocks(cuts.back(), monitor, [&](std::size_t first, std::size_t last) {
        const auto from = std::lower_bound(cuts.begin(), cuts.end(), first), to = std::lower_bound(cuts.begin(), cuts.end(), last);
        if (from != to) body(*from, *to);
    });
}

/// Whether the host keeps `to` as it is when `from` is written to it.
bool fits(const GA_Attribute& to, const Attribute& from) {
    constexpr GA_Storage kStorages[] = {GA_STORE_REAL32, GA_STORE_REAL64, GA_STORE_INT32, GA_STORE_INT64, GA_STORE_UINT8};
    if (from.isString()) return to.getAIFStringTuple() != nullptr;
    const GA_AIFTuple* tuple = to.getAIFTuple();
    return tuple && tuple->getTupleSize(&to) == from.tupleSize && tuple->getStorage(&to) == kStorages[from.values.index()];
}

template <class Value>
bool areSame(Value a, Value b) {
    return std::memcmp(&a, &b, sizeof a) == 0;  // to the bit
}

/// Writes what is not there already, from the first such value of a block on: the host shares pages that stay as they are. False if nothing had to be written.
template <class Handle, class Value>
bool writeNumbers(GA_Attribute* to, std::size_t tuple, const std::vector<Value>& values, const std::vector<GA_Offset>& offsets, const std::vector<std::size_t>& cuts,
                  Monitor* monitor) {
    Handle handle(to);
    std::atomic<bool> changed{false};
    forOwnPages(cuts, monitor, [&](std::size_t first, std::size_t last) {
        const auto isThere = [&](std::size_t i) {
            for (std::size_t c = 0; c < tuple; ++c)
                if (!areSame(static_cast<Value>(handle.get(offsets[i], static_cast<int>(c))), values[i * tuple + c])) return false;
            return true;
        };
        std::size_t i = first;
        while (i < last && isThere(i)) ++i;
        if (i < last) changed.store(true, std::memory_order_relaxed);
        for (; i < last; ++i)
            for (std::size_t c = 0; c < tuple; ++c) compat::setComponent(handle, offsets[i], static_cast<int>(c), values[i * tuple + c]);
    });
    return changed;
}

/// Writes an attribute, whose data id stays if all of it was there already.
struct AttributeWriter {
    GU_Detail& detail;
    GA_AttributeOwner owner;
    const Attribute& from;
    const std::vector<GA_Offset>& offsets;
    const std::vector<std::size_t>& cuts;
    Monitor* monitor;

    void operator()(const std::vector<float>& v) const { numbers<GA_RWHandleF>(GA_STORE_REAL32, v); }
    void operator()(const std::vector<double>& v) const { numbers<GA_RWHandleD>(GA_STORE_REAL64, v); }
    void operator()(const std::vector<std::int32_t>& v) const { numbers<GA_RWHandleI>(GA_STORE_INT32, v); }
    void operator()(const std::vector<std::int64_t>& v) const { numbers<GA_RWHandleID>(GA_STORE_INT64, v); }
    void operator()(const std::vector<std::uint8_t>& v) const { numbers<compat::ByteWriter>(GA_STORE_UINT8, v); }
    void operator()(const std::vector<std::string>& v) const {
        bool changed = isNew();
        GA_Attribute* a = compat::addTexts(detail, owner, from.name.c_str());
        GA_RWHandleS handle(a);
        forEach(offsets.size(), monitor, [&](std::size_t i) {  // names of pieces seldom change, and asking is cheaper than a place in the host's table of strings
            if (handle.get(offsets[i]) == v[i].c_str()) return;
            handle.set(offsets[i], UT_StringHolder(v[i].c_str()));
            changed = true;
        });
        if (changed) a->bumpDataId();
    }
    template <class Handle, class Value>
    void numbers(GA_Storage storage, const std::vector<Value>& v) const {
        bool changed = isNew();
        GA_Attribute* a = compat::addNumbers(detail, storage, owner, from.name.c_str(), from.tupleSize);
        if (!a) throw Error(format("the attribute '%s' cannot be made", from.name.c_str()), "rename it: Houdini allows letters, digits and _");
        if (a->getOptions().typeInfo() != infoOf(from.meaning)) {
            a->setTypeInfo(infoOf(from.meaning));
            changed = true;
        }
        changed |= writeNumbers<Handle>(a, static_cast<std::size_t>(from.tupleSize), v, offsets, cuts, monitor);
        if (changed) a->bumpDataId();
    }
    bool isNew() const {
        const GA_Attribute* there = static_cast<const GU_Detail&>(detail).findAttribute(owner, from.name.c_str());
        return !there || !fits(*there, from);
    }
};

/// The same for a group.
void writeGroup(GU_Detail& detail, GA_AttributeOwner owner, const Group& from, const std::vector<GA_Offset>& offsets, Monitor* monitor) {
    bool changed = compat::findGroup(detail, owner, from.name.c_str()) == nullptr;
    GA_ElementGroup* to = compat::addGroup(detail, owner, from.name.c_str());
    if (!to) return;
    forEach(offsets.size(), monitor, [&](std::size_t i) {
        if (to->containsOffset(offsets[i]) == (from.members[i] != 0)) return;
        changed = true;
        if (from.members[i])
            to->addOffset(offsets[i]);
        else
            to->removeOffset(offsets[i]);
    });
    if (changed) to->bumpDataId();
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
    const std::vector<std::size_t> cuts = pageCuts(offsets);
    for (const Attribute& a : set.attributes) {
        throwIfCancelled(monitor);
        std::visit(AttributeWriter{detail, owner, a, offsets, cuts, monitor}, a.values);
    }
    for (const Group& g : set.groups) {
        throwIfCancelled(monitor);
        writeGroup(detail, owner, g, offsets, monitor);
    }
}

}  // namespace sunder::hdk
