#include <GA/GA_ElementGroup.h>
#include <GA/GA_Handle.h>

#include "core/base/text.h"
#include "core/io/material_text.h"
#include "core/sim/material_rows.h"
#include "hdk/attribute_bridge.h"
#include "hdk/geometry_bridge.h"
#include "hdk/verb.h"
#include "sop/nodes.h"

namespace sunder::sop {

namespace {
/// Painted attributes of points that multiply parameters of the same meaning (docs/scene.md), and what the node multiplies them by.
struct Painted {
    const char *name, *label, *help;
};
constexpr Painted kPainted[] = {
    {"stiffness", "Stiffness Scale", "multiplies the point attribute stiffness, which multiplies Young's modulus"},
    {"massdensity", "Density Scale", "multiplies the point attribute massdensity, which multiplies the density"},
    {"dampingratio", "Damping Scale", "multiplies the point attribute dampingratio, which multiplies the damping"},
    {"fracturethreshold", "Fracture Threshold Scale", "multiplies the point attribute fracturethreshold, which multiplies the toughness"},
    {"yieldscale", "Yield Scale", "multiplies the point attribute yieldscale, which multiplies the yield stress"},
    {"friction", "Friction Scale", "multiplies the point attribute friction, which multiplies the friction of the object with others"},
};

/// What the node works on: all, or a group.
struct Scope {
    std::vector<GA_Offset> primitives;  ///< get the material
    std::vector<std::uint8_t> points;   ///< by index: 1 where paint is multiplied
};

class MaterialVerb : public hdk::Verb {
    const char* operation() const override { return "Assigning a material"; }

    void cookVerb(hdk::HostMonitor&) override {
        const Material material = readParms<Material>();
        validate(material);
        const std::string group = text("group");
        if (!hasInput(0) || gdp->getNumPoints() == 0) throw Error("input 1 is not wired, or empty", "wire the tets of a solid to it");
        const Scope scope = scopeOf(group);
        if (scope.primitives.empty())
            throw Error(group.empty() ? "input 1 has points alone" : format("no primitive has all of its points in the group '%s'", group.c_str()),
                        group.empty() ? "wire the tets of a solid to it" : "name a group of primitives, or of more points");
        assign(materialToText(material), scope);
        if (group.empty()) gdp->destroyAttribute(GA_ATTRIB_DETAIL, kMaterialAttribute);  // nothing would have it
        for (const Painted& p : kPainted) multiply(p.name, scope);
        setInfo(format("%s: %g kg/m3, %g Pa, %s; %zu of %lld primitives", material.name.empty() ? "custom" : material.name.c_str(), material.density, material.youngs,
                       material.fracture.enabled ? "breaks" : "does not break", scope.primitives.size(), static_cast<long long>(gdp->getNumPrimitives())));
    }

    /// A group of primitives and their points or, if there is none of the name, of points and what has no other points.
    Scope scopeOf(const std::string& group) const {
        const GU_Detail& detail = *gdp;
        const GA_PrimitiveGroup* primitives = group.empty() ? nullptr : detail.findPrimitiveGroup(group.c_str());
        const GA_PointGroup* points = group.empty() || primitives ? nullptr : detail.findPointGroup(group.c_str());
        if (!group.empty() && !primitives && !points)
            throw Error(format("there is no group '%s' of primitives or points", group.c_str()), "name one of the input's, or leave it empty for all");
        Scope scope;
        scope.points.assign(static_cast<std::size_t>(detail.getNumPoints()), primitives ? 0 : 1);
        const auto indexOf = [&](GA_Offset o) { return static_cast<std::size_t>(static_cast<exint>(detail.pointIndex(o))); };
        if (points)
            for (const GA_Offset o : detail.getPointRange()) scope.points[indexOf(o)] = points->containsOffset(o) ? 1 : 0;
        for (const GA_Offset o : detail.getPrimitiveRange()) {
            bool isIn = !primitives || primitives->containsOffset(o);
            const GA_Size corners = detail.getPrimitiveVertexCount(o);
            const auto pointOf = [&](GA_Size i) { return indexOf(detail.vertexPoint(detail.getPrimitiveVertexOffset(o, i))); };
            for (GA_Size i = 0; points && i < corners; ++i) isIn &= scope.points[pointOf(i)] != 0;
            if (!isIn) continue;
            scope.primitives.push_back(o);
            for (GA_Size i = 0; primitives && i < corners; ++i) scope.points[pointOf(i)] = 1;
        }
        return scope;
    }

    /// Other primitives keep theirs.
    void assign(const std::string& text, const Scope& scope) {
        GA_Attribute* attribute = gdp->addStringTuple(GA_ATTRIB_PRIMITIVE, kMaterialAttribute, 1);
        GA_RWHandleS handle(attribute);
        const UT_StringHolder shared(text.c_str());
        for (const GA_Offset o : scope.primitives) handle.set(o, shared);
        attribute->bumpDataId();
    }

    void multiply(const char* name, const Scope& scope) {
        const double scale = number(name);
        if (!(scale >= 0)) throw Error(format("the parameter '%s' is %g", name, scale), "give a value of at least 0");
        if (scale == 1) return;
        // the default of new ones is 1: what is merged with geometry that has none of it is as it was
        const GA_Attribute* painted = gdp->findAttribute(GA_ATTRIB_POINT, name);
        if (!painted) painted = gdp->addFloatTuple(GA_ATTRIB_POINT, name, 1, GA_Defaults(1));
        const GA_ROHandleF handle(painted);
        if (handle.isInvalid()) throw Error(format("the point attribute '%s' is not a number", name), "make it a float, or delete it");
        const std::vector<GA_Offset> offsets = hdk::offsetsByIndex(*gdp, GA_ATTRIB_POINT);
        std::vector<float> values;
        for (std::size_t i = 0; i < offsets.size(); ++i) values.push_back(scope.points[i] ? handle.get(offsets[i]) * static_cast<float>(scale) : handle.get(offsets[i]));
        hdk::writeAttribute(*gdp, GA_ATTRIB_POINT, {name, 1, AttributeMeaning::kNone, std::move(values)});
    }
};

const char* kMaterialInputs[] = {"Solid", nullptr};
}  // namespace

void addMaterial(OP_OperatorTable& table) {
    hdk::DialogWriter dialog("material");
    dialog.own("string", "group", "Group", "", "primitives, or points and the primitives that have no others, that get the material and whose paint is multiplied; empty for all");
    dialog.add(Material());
    for (const Painted& p : kPainted) dialog.own("float", p.name, p.label, "1", p.help);
    hdk::registerSop(table, {"sunder::material::1.0", "Sunder Material", "SOP_sunder-material", 1, 1, kMaterialInputs, SOP_NodeVerb::COOK_INPLACE, dialog.script(),
                             []() -> SOP_NodeCache* { return new MaterialVerb; }});
}

}  // namespace sunder::sop
