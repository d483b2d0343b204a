#include "core/meshing/tetrahedralize.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/meshing/attribute_transfer.h"
#include "core/meshing/lattice.h"
#include "core/meshing/surface_repair.h"
#include "core/meshing/tet_cleanup.h"
#include "core/meshing/tetgen.h"

namespace sunder {

namespace {
constexpr double kDegree = M_PI / 180;
constexpr const char* kNoHelper = "its helper program is not installed";
/// Tets below this are worth an attempt to improve; the lattice promises more by itself.
constexpr double kImproveBelow = 15 * kDegree;

void validateOptions(const TetrahedralizeOptions& o) {
    const auto require = [](bool right, const char* name, double value, const char* remedy) {
        if (!right) throw Error(format("%s is %g", name, value), remedy);
    };
    require(o.maxSize >= 0 && std::isfinite(o.maxSize), "maxSize", o.maxSize,
            "give a length in metres, or 0 for no limit");
    require(o.cellSize >= 0 && std::isfinite(o.cellSize), "cellSize", o.cellSize,
            "give a length in metres, or 0 to choose it");
    require(o.targetTets > 0, "targetTets", o.targetTets, "give a count of at least 1");
    require(o.radiusEdgeRatio >= 1.1, "radiusEdgeRatio", o.radiusEdgeRatio,
            "give at least 1.1; lower bounds may never be reached");
    require(o.minDihedral >= 0 && o.minDihedral <= 18, "minDihedral", o.minDihedral, "give 0 to 18 degrees");
    require(o.timeLimit >= 0, "timeLimit", o.timeLimit, "give seconds, or 0 for no limit");
    require(o.memoryLimit >= 0, "memoryLimit", o.memoryLimit, "give bytes, or 0 for no limit");
}

/// Wanted edge length at every vertex of the repaired surface; empty if none was asked for.
std::vector<double> sizesFor(const Geometry& geometry, const RepairedSurface& surface,
                             const TetrahedralizeOptions& options) {
    std::vector<double> sizes;
    if (options.sizingAttribute.empty()) return sizes;
    const Attribute* attribute = geometry.points.find(options.sizingAttribute);
    if (!attribute || attribute->isString())
        throw Error("the surface has no numeric point attribute '" + options.sizingAttribute + "' for sizes",
                    "paint it, correct its name, or leave the sizing attribute empty");
    for (const std::int32_t p : surface.point) {
        const double size = attribute->number(static_cast<std::size_t>(p));
        if (!(size > 0) || !std::isfinite(size))
            throw Error(format("point %d asks for an edge length of %g", p, size),
                        "sizes must be positive lengths in metres");
        sizes.push_back(options.maxSize > 0 ? std::min(size, options.maxSize) : size);
    }
    return sizes;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

class Job {
  public:
    Job(const Geometry& geometry, const TetrahedralizeOptions& options, Monitor* monitor)
        : geometry_(geometry), options_(options), monitor_(monitor) {}

    TetrahedralizeResult run() {
        validateOptions(options_);
        geometry_.validate();
        requireMeshable(geometry_);
        out_.diagnosis = diagnose(geometry_, monitor_);
        repair();
        report(0.2);
        if (!tryTetgen()) useLattice();
        report(0.9);
        out_.quality = measureQuality(out_.mesh, monitor_);
        if (out_.quality.slivers > 0)
            say(format("%zu tets have a dihedral angle under 5 degrees, the smallest is %.2f",
                       out_.quality.slivers, out_.quality.smallestDihedral / kDegree));
        validate(out_.mesh);
        out_.attributes = transferAttributes(geometry_, surface_, out_.mesh, monitor_);
        report(1.0);
        return std::move(out_);
    }

  private:
    void report(double fraction) {
        throwIfCancelled(monitor_);
        if (monitor_) monitor_->progress(fraction);
    }
    void say(const std::string& sentence) { out_.explanations.push_back(sentence); }
    void warn(const std::string& sentence) {
        say(sentence);
        if (monitor_) monitor_->warn(sentence);
    }

    void repair() {
        throwIfCancelled(monitor_);
        surface_ = repairSurface(geometry_);
        if (surface_.mesh.triangles.empty())
            throw Error("every face of the surface is collapsed or cancelled by a copy",
                        "give it faces that enclose a volume");
        for (const std::string& note : surface_.notes) warn(note);
        sizes_ = sizesFor(geometry_, surface_, options_);
    }

    /// What keeps the repaired surface from tetgen, or nothing.
    std::string obstacle() {
        if (options_.helperPath.empty() && !tetgenAvailable()) return kNoHelper;
        const SurfaceDiagnosis after =
            surface_.notes.empty() ? out_.diagnosis : diagnose(surface_.mesh, monitor_);
        if (after.isCleanSolid()) return {};
        std::string text;
        for (const Finding& f : after.findings)
            if (preventsTetgen(f.kind)) text += (text.empty() ? "" : "; ") + f.text;
        return text;
    }

    /// True if the mesh is made. In auto every failure but cancellation becomes an explanation.
    bool tryTetgen() {
        if (options_.method == MeshingMethod::kLattice) return false;
        const std::string trouble = obstacle();
        const bool must = options_.method == MeshingMethod::kTetgen;
        if (!trouble.empty()) {
            if (must && trouble == kNoHelper) findTetgenHelper();  // which says where it has looked, and what to do
            if (must)
                throw Error("tetgen cannot mesh this surface: " + trouble,
                            "repair the surface, or use the lattice method");
            say("tetgen was not used: " + trouble);
            return false;
        }
        try {
            useTetgen();
            return true;
        } catch (const Error& error) {
            if (must) throw;
            warn(std::string("tetgen failed: ") + error.what());
            return false;
        }
    }

    void useTetgen() {
        TetgenOptions o;
        o.radiusEdgeRatio = options_.radiusEdgeRatio;
        o.minDihedral = options_.minDihedral;
        // The volume of a regular tet with that edge.
        o.maxVolume = std::pow(options_.maxSize, 3) / (6 * std::sqrt(2.0));
        o.sizes = sizes_;
        o.keepBoundary = options_.keepBoundary;
        o.timeLimit = options_.timeLimit;
        o.memoryLimit = options_.memoryLimit;
        o.helperPath = options_.helperPath;
        TetMesh mesh = meshTetgen(surface_.mesh, o, monitor_);
        dropCavities(mesh);
        improveTets(mesh, kImproveBelow, monitor_);
        splitPinchedVertices(mesh);
        validate(mesh);
        out_.mesh = std::move(mesh);
        out_.method = MeshingMethod::kTetgen;
        say(format("meshed by tetgen with the surface's vertices %s",
                   options_.keepBoundary ? "kept" : "kept and new ones added"));
    }

    /// TetGen fills every closed region; those with a winding number of 0 are cavities.
    void dropCavities(TetMesh& mesh) const {
        if (out_.diagnosis.shellCount < 2) return;
        const WindingNumber winding(surface_.mesh.positions, surface_.mesh.triangles);
        std::vector<std::uint8_t> keep(mesh.tetCount());
        for (std::size_t t = 0; t < keep.size(); ++t) {
            const Tet& v = mesh.tets[t];
            keep[t] =
                std::abs(winding.at((mesh.rest[v[0]] + mesh.rest[v[1]] + mesh.rest[v[2]] + mesh.rest[v[3]]) /
                                    4)) >= 0.5;
        }
        keepTets(mesh, keep);
    }

    void useLattice() {
        const HalfWinding solid(surface_.mesh);
        LatticeOptions o;
        o.cellSize = options_.cellSize;
        if (o.cellSize == 0) o.cellSize = sizes_.empty() ? options_.maxSize : median(sizes_);
        if (!sizes_.empty()) say("the lattice has one cell size: the median of the sizing attribute is used");
        o.targetTets = options_.targetTets;
        o.minComponentVolume = options_.minComponentVolume;
        LatticeMesh lattice = meshLattice(surface_.mesh, solid, o, monitor_);
        report(0.7);
        out_.mesh = std::move(lattice.mesh);
        out_.method = MeshingMethod::kLattice;
        out_.cellSize = lattice.cellSize;
        out_.surfaceDistance = lattice.surfaceDistance;
        out_.removedPieces = lattice.removedPieces;
        say(format(
            "meshed by the lattice with cells of %.4g m; its surface is within %.2g cells of the input's",
            lattice.cellSize, lattice.surfaceDistance / lattice.cellSize));
        if (lattice.surfaceDistance > 0.5 * lattice.cellSize)
            warn(
                "parts of the solid's surface are farther than half a cell from the input: a smaller cell "
                "would bring them closer");
        if (lattice.removedPieces > 0)
            warn(format("%d loose pieces with %.3g m^3 in all were dropped as dust", lattice.removedPieces,
                        lattice.removedVolume));
        reportLosses(solid);
    }

    std::vector<std::int32_t> primitivesOf(const std::vector<std::int32_t>& triangles) const {
        std::vector<std::int32_t> list;
        for (const std::int32_t t : triangles) list.push_back(surface_.mesh.face[t]);
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return list;
    }

    void reportLosses(const HalfWinding& solid) {
        const LatticeLosses losses = findLosses(surface_.mesh, solid, out_.mesh, 0.5 * out_.cellSize, monitor_);
        out_.lostPrimitives = primitivesOf(losses.lost);
        out_.buriedPrimitives = primitivesOf(losses.buried);
        for (const auto& loop : losses.closedHoles) {
            out_.closedHoles.emplace_back();
            for (const std::int32_t v : loop) out_.closedHoles.back().push_back(surface_.point[v]);
        }
        if (!out_.lostPrimitives.empty())
            warn(
                format("%zu faces lie farther than half a cell from the solid's surface: a smaller cell "
                       "would follow them",
                       out_.lostPrimitives.size()));
        if (!out_.buriedPrimitives.empty())
            say(format("%zu faces lie inside the solid", out_.buriedPrimitives.size()));
        if (!out_.closedHoles.empty()) warn(format("%zu holes were closed", out_.closedHoles.size()));
    }

    const Geometry& geometry_;
    const TetrahedralizeOptions& options_;
    Monitor* monitor_;
    RepairedSurface surface_;
    std::vector<double> sizes_;
    TetrahedralizeResult out_;
};

constexpr struct {
    MeshingMethod method;
    const char* name;
} kMethodNames[] = {
    {MeshingMethod::kAuto, "auto"}, {MeshingMethod::kTetgen, "tetgen"}, {MeshingMethod::kLattice, "lattice"}};
}  // namespace

std::string TetrahedralizeResult::explanation() const {
    std::string text;
    for (const std::string& sentence : explanations) text += sentence + "\n";
    return text;
}

TetrahedralizeResult tetrahedralize(const Geometry& surface, const TetrahedralizeOptions& options,
                                    Monitor* monitor) {
    return Job(surface, options, monitor).run();
}

Geometry geometryFromResult(const TetrahedralizeResult& result) {
    Geometry geometry = geometryFromTetMesh(result.mesh, result.attributes);
    addQuality(result.mesh, geometry.primitives);
    return geometry;
}

void addTetrahedralizeGroups(Geometry& surface, const TetrahedralizeResult& result) {
    addDiagnosisGroups(surface, result.diagnosis);
    const auto mark = [](Group& group, const std::vector<std::int32_t>& members) {
        for (const std::int32_t m : members) group.members[m] = 1;
    };
    if (!result.lostPrimitives.empty())
        mark(surface.primitives.addGroup("lost_faces", surface.primitiveCount()), result.lostPrimitives);
    if (!result.buriedPrimitives.empty())
        mark(surface.primitives.addGroup("buried_faces", surface.primitiveCount()), result.buriedPrimitives);
    if (result.closedHoles.empty()) return;
    Group& holes = surface.points.addGroup("holes_closed", surface.pointCount());
    for (const auto& loop : result.closedHoles) mark(holes, loop);
}

const char* nameOf(MeshingMethod method) {
    for (const auto& entry : kMethodNames)
        if (entry.method == method) return entry.name;
    return "";
}

MeshingMethod meshingMethodFromName(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& entry : kMethodNames) {
        if (name == entry.name) return entry.method;
        names.emplace_back(entry.name);
    }
    const std::string nearest = nearestWord(name, names);
    throw Error("there is no meshing method '" + name + "'",
                nearest.empty() ? "use auto, tetgen or lattice" : "did you mean '" + nearest + "'?");
}

}  // namespace sunder
