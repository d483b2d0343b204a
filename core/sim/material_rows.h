#pragma once

#include <functional>
#include <string>

#include "core/base/monitor.h"
#include "core/body/body.h"
#include "core/mesh/geometry.h"

namespace sunder {

/// The attribute by which geometry names its materials, as text: of primitives, or of the whole for all primitives that have none of their own.
inline constexpr const char* kMaterialAttribute = "sundermaterial";

/// Makes a material of its text; `owner` is for messages. Given from outside because sim does not know the file formats.
using MaterialReader = std::function<Material(const std::string& text, const std::string& owner)>;

/// Whether a geometry names a material, of some of its primitives at least.
bool namesMaterials(const Geometry& geometry);

/// Gives a body what its geometry names: one row for every text, in the order of tets, behind that of `own`, which all other tets get and which is left out if there are none. The attribute goes out of
/// `attributes`: from now on the rows count. With no reader nothing of the geometry counts. Throws Error with a remedy for what is not a material; the monitor is told if only some tets have one.
void addMaterials(Body& body, MeshAttributes& attributes, const Material& own, const MaterialReader* read, Monitor* monitor);

/// What frames show of a body's tets: the texts again, empty where geometry named nothing.
std::vector<std::string> materialTexts(const Body& body);

}  // namespace sunder
