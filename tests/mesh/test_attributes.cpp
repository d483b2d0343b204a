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

// Half a turn about x and its negative are the same, so between them is no other turn.
TEST(Attributes, QuaternionsOfEitherSignMixAlike) {
    AttributeSet set;
    set.add<float>("orient", 3, 4, AttributeMeaning::kQuaternion) = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f, -0.6f, 0, 0, -0.8f};
    set.add<float>("plain", 3, 4) = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f, -0.6f, 0, 0, -0.8f};
    const std::vector<std::int32_t> parents = {0, 1, 0, 2, 1, 2};
    const std::vector<double> weights = {0.5, 0.5, 0.5, 0.5, 0.3, 0.7};
    const AttributeSet mixed = interpolateAttributes(set, parents, weights, 2);
    AttributeSet grown = set;
    appendAttributes(grown, std::vector<ElementParents>{{0, 1, 0.5}, {0, 2, 0.5}, {1, 2, 0.7}});
    const auto &orient = *mixed.find("orient")->as<float>(), &appended = *grown.find("orient")->as<float>();
    for (std::size_t i = 0; i < orient.size(); ++i) EXPECT_EQ(orient[i], appended[12 + i]) << "component " << i;
    const double half = std::sqrt(0.1);  // sine of half the angle between 0 and 73.7 degrees
    for (const std::size_t first : {0u, 4u}) {
        EXPECT_NEAR(orient[first], half, 1e-6);
        EXPECT_NEAR(orient[first + 3], std::sqrt(0.9), 1e-6);
    }
    EXPECT_NEAR(orient[8], 0.6, 1e-6);
    EXPECT_NEAR(orient[11], 0.8, 1e-6);
    EXPECT_NEAR(mixed.find("plain")->as<float>()->at(8), -0.24, 1e-6) << "only quaternions mean the same with the other sign";
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
