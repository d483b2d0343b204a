#pragma once

#include <GU/GU_Detail.h>

#include <vector>

#include "core/base/monitor.h"
#include "core/mesh/attributes.h"

namespace sunder::hdk {

/// Where the elements of a core geometry are in a detail.
struct ElementOrder {
    std::vector<GA_Offset> points, vertices, primitives;
};
/// Offsets of all points or primitives in the order of their indices.
std::vector<GA_Offset> offsetsByIndex(const GU_Detail& detail, GA_AttributeOwner owner);

/// All numeric and string attributes but P, and all groups, by name, of the elements at `offsets`.
AttributeSet readAttributes(const GU_Detail& detail, GA_AttributeOwner owner, const std::vector<GA_Offset>& offsets, Monitor* monitor);
/// The same back; data ids of what is written are bumped.
void writeAttributes(GU_Detail& detail, GA_AttributeOwner owner, const AttributeSet& set, const std::vector<GA_Offset>& offsets);

}  // namespace sunder::hdk
