#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sim/scene_shapes.h"

/// What the measures of a shape must be to each other; ranges of single values are the reader's.
namespace sunder {

namespace {
struct ShapeRules {
    const char* owner;

    void require(bool allowed, const char* kind, const std::string& what, const std::string& remedy) const {
        if (!allowed) throw Error(format("the %s '%s' has %s", kind, owner, what.c_str()), remedy);
    }
    void positive(const char* kind, const char* field, double value) const {
        require(value > 0, kind, format("%s = %g", field, value), format("make %s larger than 0", field));
    }
    void count(const char* kind, const char* field, int value, int least) const {
        require(value >= least, kind, format("%s = %d", field, value), format("make %s at least %d", field, least));
    }
    void jitter(const char* kind, double value) const {
        require(value >= 0 && value <= 0.5, kind, format("jitter = %g", value), "make jitter a share from 0 to 0.5; 0.2 hides the pattern of the cells");
    }
    void wall(const char* kind, double thickness, double radius) const {
        positive(kind, "thickness", thickness);
        require(thickness < radius, kind, format("a wall of %g m in a radius of %g m", thickness, radius), "make thickness smaller than radius");
    }

    void operator()(const FileSource&) const {}
    void operator()(const TapirShape&) const {}
    void operator()(const BoxShape& s) const {
        for (const int c : s.cells) count("box", "cells", c, 1);
        require(s.size.minCoeff() > 0, "box", format("a size of %g m by %g m by %g m", s.size.x(), s.size.y(), s.size.z()), "make every edge longer than 0");
        jitter("box", s.jitter);
    }
    void operator()(const SphereShape& s) const {
        positive("sphere", "radius", s.radius);
        count("sphere", "cells", s.cells, 2);
        jitter("sphere", s.jitter);
    }
    void operator()(const TorusShape& s) const {
        require(s.tubeRadius < s.ringRadius, "torus", format("a tube of radius %g m in a ring of radius %g m", s.tubeRadius, s.ringRadius),
                "make tubeRadius smaller than ringRadius");
    }
    void operator()(const BowlShape& s) const {
        wall("bowl", s.thickness, s.radius);
        require(s.depth > 0 && s.depth < 2 * s.radius, "bowl", format("a depth of %g m in a sphere of radius %g m", s.depth, s.radius),
                "make depth larger than 0 and smaller than twice the radius; a closed shell is hollowSphere");
        count("bowl", "cells", s.cells, 4);
        count("bowl", "layers", s.layers, 1);
    }
    void operator()(const TrayShape& s) const {
        wall("tray", s.thickness, s.radius);
        require(s.height > s.thickness, "tray", format("a rim of %g m on a base of %g m", s.height, s.thickness),
                "make height larger than thickness; a plate without a rim is a cylinder");
        count("tray", "cells", s.cells, 4);
        count("tray", "layers", s.layers, 1);
    }
    void operator()(const HollowSphereShape& s) const {
        wall("hollowSphere", s.thickness, s.radius);
        count("hollowSphere", "cells", s.cells, 4);
        count("hollowSphere", "layers", s.layers, 1);
    }
    void operator()(const CylinderShape& s) const {
        positive("cylinder", "radius", s.radius);
        positive("cylinder", "height", s.height);
        count("cylinder", "cells", s.cells, 3);
        jitter("cylinder", s.jitter);
    }
    void operator()(const TubeShape& s) const {
        wall("tube", s.thickness, s.radius);
        positive("tube", "height", s.height);
        // the surface is drawn in the plane with its height in the exponent
        require(s.height < 100 * s.radius, "tube", format("a height of %g m with a radius of %g m", s.height, s.radius), "make height smaller than 100 radii");
        count("tube", "cells", s.cells, 3);
        count("tube", "layers", s.layers, 1);
    }
    void operator()(const NotchedBlockShape& s) const {
        const double edge = s.size.x() / s.cells, room = s.holeRadius + edge;
        require(s.size.minCoeff() > 0, "notchedBlock", format("a size of %g m by %g m by %g m", s.size.x(), s.size.y(), s.size.z()),
                "make every edge longer than 0");
        count("notchedBlock", "cells", s.cells, 6);
        count("notchedBlock", "layers", s.layers, 1);
        require(s.cut >= edge && s.cut <= s.size.x() - edge, "notchedBlock", format("a cut of %g m in a width of %g m and cells of %g m", s.cut, s.size.x(), edge),
                "make cut at least one cell, and leave one");
        positive("notchedBlock", "holeRadius", s.holeRadius);
        require(s.holeHeight >= room && s.size.y() / 2 - s.holeHeight >= room && s.size.x() / 2 >= room, "notchedBlock",
                format("a hole of radius %g m at a height of %g m, which leaves no cell of %g m to the bottom, the cut or a side", s.holeRadius, s.holeHeight, edge),
                "make the hole smaller, raise `cells`, or move the hole to the middle of the lower half");
    }
};
}  // namespace

void validateShape(const BodySource& source, const std::string& owner) { std::visit(ShapeRules{owner.c_str()}, source); }

}  // namespace sunder
