// Scene files in a DOP network: frames have to be those of the scene.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/io/scene_json.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

void compare(const std::string& text, int frames) {
    const GeometryScene made(parseScene(text));
    DopNetwork net = made.network();
    const int start = static_cast<int>(made.scene.startFrame);
    ASSERT_TRUE(net.play(start + frames - 1)) << trouble(net);
    const auto expected = made.frames(frames);
    for (int f = 0; f < frames; ++f)
        for (std::size_t b = 0; b < made.scene.bodies.size(); ++b)
            EXPECT_EQ(bytesOf(readDetail(net.geometry(start + f, static_cast<int>(b)))), expected[static_cast<std::size_t>(f)][b]) << f << " " << made.scene.bodies[b].name;
}
}  // namespace

// examples/pile, a corner of it
TEST(HoudiniDopScenes, Pile) {
    compare(R"({"fps": 24, "startFrame": 1, "endFrame": 72, "seed": 4,
        "settings": {"integrator": "implicit", "substeps": 4, "newtonTolerance": 0.01, "linearTolerance": 0.01, "ground": {"friction": 0.4}},
        "bodies": [{"name": "back", "source": {"box": {"size": [0.68, 0.3, 0.04], "cells": [4, 2, 1]}}, "transform": {"translate": [0, 0.15, -0.12]},
                    "material": {"youngs": "2 MPa", "density": 600}, "contact": {"friction": 0.3, "stiffnessScale": 4, "groups": "bin", "collidesWith": "toys"}, "pins": [{"where": {"all": {}}}]},
                   {"name": "a", "source": {"box": {"size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}}, "transform": {"translate": [0, 0.06, 0]}, "velocityNoise": 0.1,
                    "material": {"youngs": "1 MPa"}, "contact": {"groups": "toys", "collidesWith": ["toys", "bin"]}},
                   {"name": "b", "source": {"sphere": {"radius": 0.06, "cells": 3}}, "transform": {"translate": [0.02, 0.18, 0.01]}, "spin": [0, 90, 0],
                    "material": {"youngs": "1 MPa"}, "contact": {"groups": "toys", "collidesWith": ["toys", "bin"]}}]})",
            5);
}

// what colliders tell of themselves: of three ledges the block meets the first and slides off the second, which is smooth
TEST(HoudiniDopScenes, CollidersHaveFrictionThicknessAndGroups) {
    compare(R"({"fps": 24, "startFrame": 1, "endFrame": 72,
        "settings": {"integrator": "implicit", "substeps": 2, "ground": {"enabled": false}},
        "colliders": [
          {"name": "rough", "source": {"box": {"size": [1, 0.2, 1], "cells": 1}}, "transform": {"translate": [0, -0.1, 0]}, "thickness": 0.05,
           "contact": {"friction": 0.9, "groups": "ledge", "collidesWith": "blocks"}},
          {"name": "smooth", "source": {"box": {"size": [1, 0.2, 1], "cells": 1}}, "transform": {"translate": [2, -0.1, 0]}, "contact": {"friction": 0, "groups": "ledge"}},
          {"name": "passed", "source": {"box": {"size": [1, 0.2, 1], "cells": 1}}, "transform": {"translate": [0, 0.02, 0]}, "contact": {"collidesWith": []}}],
        "bodies": [
          {"name": "a", "source": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "transform": {"translate": [0, 0.1, 0]}, "velocity": [1, 0, 0],
           "material": {"youngs": "1 MPa"}, "contact": {"groups": "blocks", "collidesWith": ["ledge"]}},
          {"name": "b", "source": {"box": {"size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}}, "transform": {"translate": [2, 0.1, 0]}, "velocity": [1, 0, 0],
           "material": {"youngs": "1 MPa"}, "contact": {"groups": "blocks", "collidesWith": ["ledge"]}}]})",
            6);
}

// A body alone is solved by a factorization, CHOLMOD's or Eigen's: whichever the plugin has, its frames are those of conjugate gradients to the tolerance of both.
TEST(HoudiniDopScenes, ADirectSolverIsThereWhateverThePluginIsLinkedWith) {
    const auto play = [](const char* solver) {
        const GeometryScene made(parseScene(format(R"({"fps": 24, "startFrame": 1, "endFrame": 5,
            "settings": {"integrator": "implicit", "linearSolver": "%s", "newtonTolerance": 1e-9, "linearTolerance": 1e-9, "ground": {"enabled": false}},
            "bodies": [{"name": "beam", "source": {"box": {"size": [1, 0.2, 0.2], "cells": [6, 2, 2]}}, "material": {"youngs": "1 MPa"},
                        "pins": [{"where": {"box": {"min": [-1, -1, -1], "max": [-0.49, 1, 1]}}}]}]})",
                                                        solver)));
        DopNetwork net = made.network();
        EXPECT_TRUE(net.play(5)) << trouble(net);
        return readDetail(net.geometry(5, 0));
    };
    const Geometry direct = play("cholmod"), iterative = play("cg-ic");
    ASSERT_EQ(direct.pointCount(), iterative.pointCount());
    double bent = 0, apart = 0;
    for (std::size_t i = 0; i < direct.pointCount(); ++i) {
        bent = std::max(bent, std::abs(direct.positions[i].y()) - 0.1);
        apart = std::max(apart, (direct.positions[i] - iterative.positions[i]).norm());
    }
    EXPECT_GT(bent, 0.05);
    EXPECT_LT(apart, 1e-5) << "of single precision and of the tolerances";
}

}  // namespace sunder::test
