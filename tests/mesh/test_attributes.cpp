#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/mesh/attributes.h"

namespace sunder {

namespace {
AttributeSet makeSet() {
    AttributeSet set;
    set.add<float>("Cd", 3, 3, AttributeMeaning::kColor) = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    set.add<double>("orient", 3, 4, AttributeMeaning::kQuaternion) = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2};
    set.add<std::int32_t>("part", 3) = {10, 20, 30};
    set.add<std::string>("name", 3) = {"a", "b", "c"};
    set.addGroup("top", 3).members = {1, 0, 1};
    return set;
}
}  // namespace

TEST(Attributes, GatherCopiesEveryBit) {
    AttributeSet set = makeSet();
    set.find("Cd")->as<float>()->at(0) = -0.0f;
    set.find("Cd")->as<float>()->at(1) = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::int32_t> source = {2, 0, 0};
    const AttributeSet out = gatherAttributes(set, source);
    const auto& colour = *out.find("Cd")->as<float>();
    EXPECT_TRUE(std::signbit(colour[3]));
    EXPECT_TRUE(std::isnan(colour[4]));
    EXPECT_EQ(out.find("orient")->as<double>()->at(3), 2.0);  // not renormalised
    EXPECT_EQ(*out.find("name")->as<std::string>(), (std::vector<std::string>{"c", "a", "a"}));
    EXPECT_EQ(out.findGroup("top")->members, (std::vector<std::uint8_t>{1, 1, 1}));
}

TEST(Attributes, InterpolationMixesFloatsAndTakesTheRestFromTheStrongestParent) {
    const AttributeSet set = makeSet();
    const std::vector<std::int32_t> parents = {0, 1, 1, 2};
    const std::vector<double> weights = {0.25, 0.75, 0.5, 0.5};
    const AttributeSet out = interpolateAttributes(set, parents, weights, 2);
    const auto& colour = *out.find("Cd")->as<float>();
    EXPECT_FLOAT_EQ(colour[0], 0.25f);
    EXPECT_FLOAT_EQ(colour[1], 0.75f);
    EXPECT_EQ(*out.find("part")->as<std::int32_t>(), (std::vector<std::int32_t>{20, 20}));
    EXPECT_EQ(*out.find("name")->as<std::string>(), (std::vector<std::string>{"b", "b"}));
    EXPECT_EQ(out.findGroup("top")->members, (std::vector<std::uint8_t>{0, 0}));
    const auto& orient = *out.find("orient")->as<double>();
    for (int i = 0; i < 2; ++i) {
        double lengthSq = 0;
        for (int c = 0; c < 4; ++c) lengthSq += orient[static_cast<std::size_t>(4 * i + c)] * orient[static_cast<std::size_t>(4 * i + c)];
        EXPECT_NEAR(lengthSq, 1, 1e-15);
    }
}

TEST(Attributes, ValidateNamesTheArrayOfTheWrongLength) {
    const AttributeSet set = makeSet();
    set.validate(3, "points");
    try {
        set.validate(4, "points");
        FAIL() << "no error";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("Cd"), std::string::npos);
    }
}

}  // namespace sunder
