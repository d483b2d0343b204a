#pragma once

#include <GU/GU_DetailHandle.h>
#include <standin/cook.h>
#include <standin/standin.h>

#include <string>

#include "core/mesh/geometry.h"

namespace sunder::test {

/// A detail that holds a geometry, made without the bridge, with holes among points, vertices and primitives and with offsets in another order
/// than indices.
GU_DetailHandle makeDetail(const Geometry& geometry);

/// What a detail holds but for packed primitives, read without the bridge; groups by name.
Geometry readDetail(const GU_Detail& detail);

/// All of a geometry as text, for comparisons; positions as floats.
std::string bytesOf(Geometry geometry);

/// A cube of triangles, outward, of side 1 around the origin.
Geometry cubeSurface(double side = 1);
/// A block of tets with painted attributes of every kind of storage and with groups, across several pages.
Geometry paintedBlock(int cells);

/// File of the plugin: that of the build, or the one that the variable SUNDER_PLUGIN names.
const char* pluginPath();
/// The plugin, opened by the name of its file, with its nodes.
const OP_OperatorTable& operators();
const standin::Plugin& plugin();

/// Makes and wires nodes of the plugin.
class Network {
  public:
    /// A node with fixed geometry.
    SOP_Node* geometry(const Geometry& geometry) { return geometry_(makeDetail(geometry)); }
    SOP_Node* geometry_(GU_DetailHandle handle);
    SOP_Node* node(const char* type, const std::vector<SOP_Node*>& inputs);
    void set(SOP_Node* node, const char* parm, double value) { node->standinValues.numbers[parm] = {value}; }
    void set(SOP_Node* node, const char* parm, const std::string& value) { node->standinValues.texts[parm] = value; }

    struct Cooked {
        Geometry geometry;  ///< without packed primitives
        GU_ConstDetailHandle detail;
        std::vector<standin::Message> messages;
        std::string info;

        bool failed() const;
        bool warned() const;
        bool says(const std::string& part) const;
        std::string all() const;
    };
    Cooked cook(SOP_Node* node, double time = 0);

  private:
    std::vector<std::unique_ptr<OP_Node>> nodes_;
    std::vector<std::unique_ptr<OP_Operator>> sources_;
};

}  // namespace sunder::test
