#include "core/base/text.h"
#include "core/meshing/tetrahedralize.h"
#include "hdk/verb.h"
#include "sop/nodes.h"

namespace sunder::sop {

namespace {
enum TetrahedralizeOutput { kTets, kDiagnosis };

class Tetrahedralize : public hdk::Verb {
    const char* operation() const override { return "Filling a surface with tetrahedra"; }

    void cookVerb(hdk::HostMonitor& monitor) override {
        const TetrahedralizeOptions options = readParms<TetrahedralizeOptions>();
        const auto output = choice("output");
        Geometry surface = input(0, "polygons that enclose a solid", monitor);
        const TetrahedralizeResult result = tetrahedralize(surface, options, &monitor);
        if (output == kDiagnosis) {
            addTetrahedralizeGroups(surface, result);
            write(surface);
        } else {
            write(geometryFromResult(result));
        }
        report(result, output == kTets && !surface.vertices.attributes.empty());
    }

    /// Harmless trouble warns, it does not stop.
    void report(const TetrahedralizeResult& r, bool hadVertices) {
        for (const Finding& f : r.diagnosis.findings) warn(f.text + " " + f.remedy);
        if (!r.diagnosis.isCleanSolid())
            for (const std::string& text : r.explanations) warn(text);
        setInfo(format("%zu tets, %zu points, by %s, dihedral angles from %.1f degrees%s", r.mesh.tetCount(), r.mesh.vertexCount(), nameOf(r.method),
                       r.quality.smallestDihedral * 180 / M_PI, hadVertices ? ", attributes of vertices at points" : ""));
    }
};

const char* kTetrahedralizeInputs[] = {"Surface", nullptr};
}  // namespace

void addTetrahedralize(OP_OperatorTable& table) {
    hdk::DialogWriter dialog("tetrahedralize");
    dialog.own("ordinal", "output", "Output", "0", "the tets, or the surface with a group for every finding about it",
               {"tets", "Tetrahedra", "diagnosis", "Surface with Diagnosis Groups"});
    dialog.add(TetrahedralizeOptions());
    hdk::registerSop(table, {"sunder::tetrahedralize::1.0", "Sunder Tetrahedralize", "SOP_sunder-tetrahedralize", 1, 1, kTetrahedralizeInputs, SOP_NodeVerb::COOK_GENERIC,
                             dialog.script(), []() -> SOP_NodeCache* { return new Tetrahedralize; }});
}

}  // namespace sunder::sop
