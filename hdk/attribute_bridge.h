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

// A monitor is asked between attributes, and within large ones: these throw Cancelled.

/// All numeric and string attributes but P and those `without`, and all groups, by name, of the elements at `offsets`.
AttributeSet readAttributes(const GU_Detail& detail, GA_AttributeOwner owner, const std::vector<GA_Offset>& offsets, Monitor* monitor, const std::vector<std::string>& without = {});
/// One of them by its name; false if there is none, or none that core has a place for.
bool readAttribute(const GU_Detail& detail, GA_AttributeOwner owner, const char* name, const std::vector<GA_Offset>& offsets, Attribute& to);
/// Whether a detail has these attributes, of these types, and groups and no others, so that writing them adds and leaves behind none.
bool hasTheSame(const GU_Detail& detail, GA_AttributeOwner owner, const AttributeSet& set);
/// The same back. What is there already stays as it is, with its data id; those of all else are bumped.
void writeAttributes(GU_Detail& detail, GA_AttributeOwner owner, const AttributeSet& set, const std::vector<GA_Offset>& offsets, Monitor* monitor = nullptr);

}  // namespace sunder::hdk
