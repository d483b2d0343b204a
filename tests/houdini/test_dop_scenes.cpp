// Scene files in a DOP network: frames have to be those of the scene.
#include <gtest/gtest.h>

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

}  // namespace sunder::test
