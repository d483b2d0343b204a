#include "core/base/text.h"
#include "core/io/guide_text.h"
#include "core/sim/guide_geometry.h"
#include "hdk/verb.h"
#include "sop/nodes.h"

namespace sunder::sop {

namespace {
/// In the order of the menu, which is that of scene files.
enum GuideShape { kDrawn, kPlane, kSphere, kCurve, kGrain, kBrick, kRadial, kVoronoi };

SceneGuide guideDefaults() {
    SceneGuide guide;
    guide.name = "guide1";
    return guide;
}

class Guide : public hdk::Verb {
    const char* operation() const override { return "Making guides"; }

    void cookVerb(hdk::HostMonitor& monitor) override {
        SceneGuide guide = readParms<SceneGuide>(guideDefaults());
        const auto shape = choice("shape");
        if (shape == kDrawn) return writeDrawn(guide, monitor);
        readShape(guide, shape, monitor);
        Geometry carrier;  // what is not drawn travels as text, on a point
        carrier.positions = {guide.transform.translate};
        carrier.points.add<std::string>("sunderguide", 1) = {guideToText(guide)};
        write(carrier);
        setInfo(format("guide '%s'", guide.name.c_str()));
    }

    void writeDrawn(const SceneGuide& guide, hdk::HostMonitor& monitor) {
        Geometry drawn = input(0, "curves or a surface where the solid is to be weak", monitor);
        markGuide(drawn, guide);
        write(drawn);
        setInfo(format("guide '%s' of %zu curves and %zu polygons", guide.name.c_str(), drawn.countOf(PrimitiveKind::kCurve), drawn.countOf(PrimitiveKind::kPolygon)));
    }

    void readShape(SceneGuide& guide, std::int64_t shape, hdk::HostMonitor& monitor) {
        switch (shape) {
            case kPlane: guide.shape = readParms(PlaneGuide(), "plane"); break;
            case kSphere: guide.shape = readParms(SphereGuide(), "sphere"); break;
            case kCurve: {
                CurveGuide curve = readParms(CurveGuide(), "curve");
                curve.points = firstCurve(input(0, "a curve", monitor));
                guide.shape = curve;
                break;
            }
            case kGrain: guide.shape = readParms(GrainPattern(), "grain"); break;
            case kBrick: guide.shape = readParms(BrickPattern(), "brick"); break;
            case kRadial: guide.shape = readParms(RadialPattern(), "radial"); break;
            default: guide.shape = readParms(VoronoiPattern(), "voronoi"); break;
        }
        validateGuide(guide);
    }
};

const char* kGuideInputs[] = {"Curves and Surfaces", nullptr};
}  // namespace

void addGuide(OP_OperatorTable& table) {
    hdk::DialogWriter dialog("guide");
    dialog.own("ordinal", "shape", "Shape", "0", "what is weak: the curves and surfaces of the input, the first of its curves swept, or a surface or pattern by numbers",
               {"file", "Drawn", "plane", "Plane", "sphere", "Sphere", "curve", "Swept Curve", "grain", "Grain", "brick", "Brick", "radial", "Radial", "voronoi", "Voronoi"});
    dialog.add(guideDefaults());
    dialog.add(PlaneGuide(), "plane").add(SphereGuide(), "sphere").add(CurveGuide(), "curve").add(GrainPattern(), "grain").add(BrickPattern(), "brick");
    dialog.add(RadialPattern(), "radial").add(VoronoiPattern(), "voronoi");
    hdk::registerSop(table, {"sunder::guide::1.0", "Sunder Guide", "SOP_sunder-guide", 0, 1, kGuideInputs, SOP_NodeVerb::COOK_GENERIC, dialog.script(),
                             []() -> SOP_NodeCache* { return new Guide; }});
}

}  // namespace sunder::sop
