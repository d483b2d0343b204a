#include "core/base/text.h"
#include "core/io/material_text.h"
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
};

class MaterialVerb : public hdk::Verb {
    const char* operation() const override { return "Assigning a material"; }

    void cookVerb(hdk::HostMonitor&) override {
        const Material material = readParms<Material>();
        validate(material);
        const std::string group = text("group");
        if (!hasInput(0) || gdp->getNumPoints() == 0) throw Error("input 1 is not wired, or empty", "wire the tets of a solid to it");
        Attribute shared{"sundermaterial", 1, AttributeMeaning::kNone, std::vector<std::string>{materialToText(material)}};
        hdk::writeAttribute(*gdp, GA_ATTRIB_DETAIL, shared);
        const std::vector<GA_Offset> points = hdk::offsetsByIndex(*gdp, GA_ATTRIB_POINT);
        for (const Painted& p : kPainted) multiply(p.name, points, group);
        setInfo(format("%s: %g kg/m3, %g Pa, %s", material.name.empty() ? "custom" : material.name.c_str(), material.density, material.youngs,
                       material.fracture.enabled ? "breaks" : "does not break"));
    }

    /// The group is of points; where it is not, paint stays as it is.
    void multiply(const char* name, const std::vector<GA_Offset>& points, const std::string& group) {
        const double scale = number(name);
        if (!(scale >= 0)) throw Error(format("the parameter '%s' is %g", name, scale), "give a value of at least 0");
        const GA_PointGroup* only = group.empty() ? nullptr : gdp->findPointGroup(group.c_str());
        if (!group.empty() && !only) throw Error(format("there is no point group '%s'", group.c_str()), "name one of the input's, or leave it empty for all points");
        if (scale == 1) return;
        std::vector<float> values(points.size(), 1);
        if (const GA_Attribute* painted = gdp->findAttribute(GA_ATTRIB_POINT, name)) {
            const GA_ROHandleF handle(painted);
            if (handle.isInvalid()) throw Error(format("the point attribute '%s' is not a number", name), "make it a float, or delete it");
            for (std::size_t i = 0; i < points.size(); ++i) values[i] = handle.get(points[i]);
        }
        for (std::size_t i = 0; i < points.size(); ++i)
            if (!only || only->containsOffset(points[i])) values[i] *= static_cast<float>(scale);
        hdk::writeAttribute(*gdp, GA_ATTRIB_POINT, {name, 1, AttributeMeaning::kNone, std::move(values)});
    }
};

const char* kMaterialInputs[] = {"Solid", nullptr};
}  // namespace

void addMaterial(OP_OperatorTable& table) {
    hdk::DialogWriter dialog("material");
    dialog.own("string", "group", "Group", "", "point group whose paint is multiplied; empty for all points");
    dialog.add(Material());
    for (const Painted& p : kPainted) dialog.own("float", p.name, p.label, "1", p.help);
    hdk::registerSop(table, {"sunder::material::1.0", "Sunder Material", "SOP_sunder-material", 1, 1, kMaterialInputs, SOP_NodeVerb::COOK_INPLACE, dialog.script(),
                             []() -> SOP_NodeCache* { return new MaterialVerb; }});
}

}  // namespace sunder::sop
