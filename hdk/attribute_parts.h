#pragma once

// What reading and writing attributes have in common.

#include <GA/GA_AttributeDict.h>
#include <GU/GU_Detail.h>
#include <UT/UT_ParallelUtil.h>

#include <algorithm>
#include <utility>

#include "core/base/monitor.h"
#include "core/mesh/attributes.h"

namespace sunder::hdk {

inline constexpr std::pair<AttributeMeaning, GA_TypeInfo> kMeanings[] = {
    {AttributeMeaning::kPoint, GA_TYPE_POINT},   {AttributeMeaning::kHPoint, GA_TYPE_HPOINT},         {AttributeMeaning::kVector, GA_TYPE_VECTOR},
    {AttributeMeaning::kNormal, GA_TYPE_NORMAL}, {AttributeMeaning::kColor, GA_TYPE_COLOR},           {AttributeMeaning::kQuaternion, GA_TYPE_QUATERNION},
    {AttributeMeaning::kMatrix, GA_TYPE_TRANSFORM}, {AttributeMeaning::kTextureCoord, GA_TYPE_TEXTURE_COORD}};

inline AttributeMeaning meaningOf(GA_TypeInfo info) {
    for (const auto& [meaning, type] : kMeanings)
        if (type == info) return meaning;
    return AttributeMeaning::kNone;
}
inline GA_TypeInfo infoOf(AttributeMeaning meaning) {
    for (const auto& [m, type] : kMeanings)
        if (m == meaning) return type;
    return GA_TYPE_VOID;
}

inline const GA_AttributeDict& dictOf(const GU_Detail& detail, GA_AttributeOwner owner) {
    switch (owner) {
        case GA_ATTRIB_POINT: return detail.pointAttribs();
        case GA_ATTRIB_VERTEX: return detail.vertexAttribs();
        case GA_ATTRIB_PRIMITIVE: return detail.primitiveAttribs();
        default: return detail.attribs();
    }
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

/// Calls body(i) for [0, count), one after the other.
template <class Body>
void forEach(std::size_t count, Monitor* monitor, const Body& body) {
    constexpr std::size_t kBetween = 128 * GA_PAGE_SIZE;  // looks at the monitor
    for (std::size_t i = 0; i < count; ++i) {
        if (i % kBetween == 0) throwIfCancelled(monitor);
        body(i);
    }
}

}  // namespace sunder::hdk
