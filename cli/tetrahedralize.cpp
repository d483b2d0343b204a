#include "core/meshing/tetrahedralize.h"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/progress.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/io/geometry_io.h"
#include "core/io/scene_json_units.h"

namespace sunder::cli {

namespace {
struct Options {
    std::string in, out, method = "auto", maxSize, cellSize, diagnosed;
    int threads = 0;
    bool json = false, splitBoundary = false;
    TetrahedralizeOptions meshing;
};

constexpr const char* kTetrahedralizeHelp =
    R"(Polygons in, tets out, with all attributes. Lengths may have units (5mm, 0.1). The surface is diagnosed first; what is
wrong with it is printed, and --diagnosed writes it back with a group for every finding.

examples:
  sunder tetrahedralize bunny.obj bunny.bgeo.sc
  sunder tetrahedralize dirty.obj solid.bgeo.sc --method lattice --cell-size 2cm
  sunder tetrahedralize dirty.obj solid.bgeo.sc --diagnosed trouble.bgeo.sc)";

constexpr double kDegrees = 180 / M_PI;

double length(const std::string& text, const char* option) {
    if (text.empty()) return 0;
    double value = 0;
    try {
        value = parseQuantity(text, kLength);
    } catch (const Error& e) {
        throw UsageError(format("%s: %s", option, e.what()), e.remedy());
    }
    if (value < 0)
        throw UsageError(format("%s %s is negative", option, text.c_str()), "write a length above 0");
    return value;
}

void printJson(const TetrahedralizeResult& r) {
    using Json = nlohmann::ordered_json;
    Json findings = Json::array();
    for (const Finding& f : r.diagnosis.findings)
        findings.push_back({{"name", f.name}, {"count", f.count}, {"text", f.text}, {"remedy", f.remedy}});
    const Json json = {{"method", nameOf(r.method)},
                       {"vertices", r.mesh.vertexCount()},
                       {"tets", r.mesh.tetCount()},
                       {"smallestDihedral", r.quality.smallestDihedral * kDegrees},
                       {"largestDihedral", r.quality.largestDihedral * kDegrees},
                       {"smallestQuality", r.quality.smallestQuality},
                       {"cellSize", r.cellSize},
                       {"lostFaces", r.lostPrimitives.size()},
                       {"closedHoles", r.closedHoles.size()},
                       {"explanations", r.explanations},
                       {"findings", findings}};
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void printText(const TetrahedralizeResult& r, const std::string& out) {
    std::cout << r.diagnosis.summary();
    for (const std::string& text : r.explanations) std::cout << text << '\n';
    std::cout << format("%zu tets, %zu vertices, dihedral angles from %.1f degrees, written to %s\n",
                        r.mesh.tetCount(), r.mesh.vertexCount(), r.quality.smallestDihedral * kDegrees,
                        out.c_str());
}

void run(Options& o) {
    o.meshing.method = meshingMethodFromName(o.method);
    o.meshing.maxSize = length(o.maxSize, "--max-size");
    o.meshing.cellSize = length(o.cellSize, "--cell-size");
    o.meshing.keepBoundary = !o.splitBoundary;
    setThreadCount(o.threads);
    Progress progress(ProgressStyle::kSilent);
    CommandMonitor monitor(progress);
    formatOfPath(o.out);  // an ending that cannot be written is better known before the work
    Geometry surface = readGeometry(o.in, &monitor);
    const TetrahedralizeResult result = tetrahedralize(surface, o.meshing, &monitor);
    if (!o.diagnosed.empty()) {
        addTetrahedralizeGroups(surface, result);
        writeGeometry(o.diagnosed, surface);
    }
    writeGeometry(o.out, geometryFromResult(result));
    if (o.json)
        printJson(result);
    else
        printText(result, o.out);
}
}  // namespace

void addTetrahedralize(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("tetrahedralize", "Fill a surface with tetrahedra");
    command->add_option("IN", options->in, "surface (.obj .ply .stl .geo .bgeo .bgeo.sc)")->required();
    command->add_option("OUT", options->out, "tets (.bgeo.sc .bgeo .bgeo.gz .geo)")->required();
    command->add_option("--method", options->method, "auto, tetgen or lattice")->capture_default_str();
    command->add_option("--max-size", options->maxSize, "largest edge wanted")->type_name("LENGTH");
    command->add_option("--cell-size", options->cellSize, "lattice: side of a cell")->type_name("LENGTH");
    command->add_option("--target-tets", options->meshing.targetTets, "lattice: about how many tets")
        ->capture_default_str();
    command
        ->add_option("--sizing-attribute", options->meshing.sizingAttribute,
                     "point attribute with the wanted edge length")
        ->type_name("NAME");
    command->add_option("--radius-edge-ratio", options->meshing.radiusEdgeRatio, "tetgen: quality bound")
        ->capture_default_str();
    command->add_flag("--split-boundary", options->splitBoundary,
                      "tetgen: allow new vertices on the surface");
    command->add_option("--time-limit", options->meshing.timeLimit, "tetgen: seconds, 0 for none")
        ->capture_default_str();
    command
        ->add_option("--diagnosed", options->diagnosed,
                     "also write the surface with a group for every finding")
        ->type_name("FILE");
    command->add_option("--threads", options->threads, "threads to use, 0 for all")
        ->check(CLI::Range(0, 4096));
    command->add_flag("--json", options->json, "report as JSON");
    command->footer(kTetrahedralizeHelp);
    command->callback([options, &invocation] {
        invocation.json = options->json;
        invocation.run = [options] { run(*options); };
    });
}

}  // namespace sunder::cli
