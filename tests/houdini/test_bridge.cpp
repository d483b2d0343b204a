#include <GEO/GEO_Primitive.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "core/io/geometry_io.h"
#include "hdk/geometry_bridge.h"
#include "tests/houdini/fixtures.h"
#include "tests/support/polls.h"

namespace sunder::test {

namespace {
/// Tets, polygons of several sizes and open curves, in turns.
Geometry mixed() {
    Geometry g = paintedBlock(2);
    const std::vector<std::int32_t> polygon = {0, 1, 4, 3, 5}, curve = {5, 6, 7, 8}, triangle = {2, 4, 8};
    Geometry out;
    out.positions = g.positions;
    out.points = g.points;
    out.addPrimitive(PrimitiveKind::kCurve, curve);
    for (std::size_t p = 0; p < 6; ++p) {
        out.addPrimitive(PrimitiveKind::kTet, g.primitivePoints(p));
        out.addPrimitive(PrimitiveKind::kPolygon, p % 2 ? polygon : triangle);
    }
    auto& uv = out.vertices.add<float>("uv", out.vertexCount(), 3, AttributeMeaning::kTextureCoord);
    for (std::size_t i = 0; i < uv.size(); ++i) uv[i] = static_cast<float>(i);
    auto& name = out.primitives.add<std::string>("name", out.primitiveCount());
    for (std::size_t i = 0; i < name.size(); ++i) name[i] = i % 3 ? "a" : "";
    return out;
}

class Warnings : public Monitor {
  public:
    void warn(const std::string& text) override { texts += text + "\n"; }
    std::string texts;
};

using testing::Polls;
}  // namespace

TEST(HoudiniBridge, ReadsDetailsWithHolesInTheOrderOfIndices) {
    const Geometry g = paintedBlock(11);
    ASSERT_GT(g.pointCount(), 1024u);  // P crosses a page
    const GU_DetailHandle handle = makeDetail(g);
    ASSERT_GT(handle.gdp()->getNumPointOffsets(), handle.gdp()->getNumPoints());
    EXPECT_EQ(bytesOf(hdk::geometryFromDetail(*handle.gdp())), bytesOf(g));
}

TEST(HoudiniBridge, WritesWhatAnIndependentReaderFinds) {
    const Geometry g = mixed();
    GU_DetailHandle handle;
    handle.allocateAndSet(new GU_Detail);
    hdk::writeDetail(*handle.gdpNC(), g);
    EXPECT_TRUE(handle.gdp()->standinStale().empty());
    EXPECT_EQ(bytesOf(readDetail(*handle.gdp())), bytesOf(g));
}

TEST(HoudiniBridge, WritesAllThatTakesSeveralPages) {
    const Geometry g = paintedBlock(11);
    ASSERT_GT(g.vertexCount(), 4 * static_cast<std::size_t>(GA_PAGE_SIZE));
    GU_DetailHandle handle;
    handle.allocateAndSet(new GU_Detail);
    hdk::writeDetail(*handle.gdpNC(), g);
    EXPECT_EQ(bytesOf(readDetail(*handle.gdp())), bytesOf(g));
}

TEST(HoudiniBridge, MixedPrimitivesComeBackTheSame) {
    const Geometry g = mixed();
    EXPECT_EQ(bytesOf(hdk::geometryFromDetail(*makeDetail(g).gdp())), bytesOf(g));
}

TEST(HoudiniBridge, TetsAreNegativeAndPolygonsClockwiseInHoudini) {
    const Geometry g = paintedBlock(2);
    GU_DetailHandle handle;
    handle.allocateAndSet(new GU_Detail);
    hdk::writeDetail(*handle.gdpNC(), g);
    const GU_Detail& d = *handle.gdp();
    for (const GA_Offset o : d.getPrimitiveRange()) {
        Vec3 x[4];
        for (int k = 0; k < 4; ++k) {
            const UT_Vector3 p = d.getPos3(d.vertexPoint(d.getPrimitiveVertexOffset(o, k)));
            x[k] = Vec3(p.x(), p.y(), p.z());
        }
        EXPECT_LT((x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]), 0);
    }
    const Geometry cube = cubeSurface();
    hdk::writeDetail(*handle.gdpNC(), cube);
    for (const GA_Offset o : d.getPrimitiveRange()) {
        Vec3 x[3];
        for (int k = 0; k < 3; ++k) {
            const UT_Vector3 p = d.getPos3(d.vertexPoint(d.getPrimitiveVertexOffset(o, k)));
            x[k] = Vec3(p.x(), p.y(), p.z());
        }
        EXPECT_LT((x[1] - x[0]).cross(x[2] - x[0]).dot(x[0] + x[2]), 0);  // the right-hand normal points inward
    }
}

TEST(HoudiniBridge, AgreesWithTheReaderOfFiles) {
    const Geometry g = mixed();
    const std::vector<std::uint8_t> bytes = encodeGeometry(g, GeometryFormat::kBgeo);
    const Geometry file = decodeGeometry(bytes, GeometryFormat::kBgeo, "mixed");
    EXPECT_EQ(bytesOf(hdk::geometryFromDetail(*makeDetail(g).gdp())), bytesOf(file));
}

TEST(HoudiniBridge, LeavesOutWhatItDoesNotKnowAndSaysSo) {
    const GU_DetailHandle handle = makeDetail(cubeSurface());
    GU_Detail& d = const_cast<GU_Detail&>(*handle.gdp());
    d.standinAddPrimitive(std::make_unique<GEO_Primitive>(GA_PRIMVOLUME, false), {d.pointOffset(GA_Index(0))});
    d.standinResizeAfterBlock();
    Warnings warnings;
    EXPECT_EQ(hdk::geometryFromDetail(d, &warnings).primitiveCount(), 6u);
    EXPECT_NE(warnings.texts.find("1 primitives are left out"), std::string::npos) << warnings.texts;
}

TEST(HoudiniBridge, AnEmptyDetailIsAnEmptyGeometry) {
    GU_DetailHandle handle;
    handle.allocateAndSet(new GU_Detail);
    EXPECT_EQ(hdk::geometryFromDetail(*handle.gdp()).pointCount(), 0u);
    hdk::writeDetail(*handle.gdpNC(), Geometry());
    EXPECT_EQ(handle.gdp()->getNumPoints(), 0);
    EXPECT_TRUE(handle.gdp()->standinStale().empty());
}

TEST(HoudiniBridge, OneAttributeBumpsItsOwnDataIdAlone) {
    const Geometry g = paintedBlock(2);
    const GU_DetailHandle handle = makeDetail(g);
    GU_Detail& d = const_cast<GU_Detail&>(*handle.gdp());
    const GA_DataId p = d.getP()->getDataId(), before = d.findAttribute(GA_ATTRIB_POINT, "stiffness")->getDataId();
    hdk::writeAttribute(d, GA_ATTRIB_POINT, {"stiffness", 1, AttributeMeaning::kNone, std::vector<float>(g.pointCount(), 2)});
    EXPECT_EQ(d.getP()->getDataId(), p);
    EXPECT_NE(d.findAttribute(GA_ATTRIB_POINT, "stiffness")->getDataId(), before);
    EXPECT_TRUE(d.standinStale().empty());
    const Geometry after = readDetail(d);
    for (const float s : *after.points.find("stiffness")->as<float>()) EXPECT_EQ(s, 2);
}

TEST(HoudiniBridge, SameBytesForAnyNumberOfThreads) {
    const Geometry g = paintedBlock(11);
    const std::string expected = bytesOf(g);
    for (const int threads : {1, 2, 7}) {
        standin::setThreads(threads);
        GU_DetailHandle out;
        out.allocateAndSet(new GU_Detail);
        hdk::writeDetail(*out.gdpNC(), hdk::geometryFromDetail(*makeDetail(g).gdp()));
        EXPECT_EQ(bytesOf(readDetail(*out.gdp())), expected) << threads;
    }
    standin::setThreads(3);
}

// a detail that has the same elements keeps them, whatever the order of its offsets, and holds what a new one would
TEST(HoudiniBridge, UpdatesInPlaceWhatHasTheSameElements) {
    Geometry g = paintedBlock(4);
    GU_DetailHandle handle = makeDetail(g);
    GU_Detail& d = *handle.gdpNC();
    const auto topology = d.getTopology().getPointRef()->getDataId();
    const auto p = d.getP()->getDataId();
    for (Vec3& x : g.positions) x += Vec3(1, 0, 0);
    (*g.points.find("stiffness")->as<float>())[3] = 7;
    (*g.primitives.find("name")->as<std::string>())[2] = "other";
    g.points.findGroup("ant")->members[0] ^= 1;
    g.points.findGroup("ant")->members[1] ^= 1;
    hdk::updateDetail(d, g);
    EXPECT_TRUE(d.standinStale().empty());
    EXPECT_EQ(d.getTopology().getPointRef()->getDataId(), topology);
    EXPECT_NE(d.getP()->getDataId(), p);
    EXPECT_EQ(bytesOf(readDetail(d)), bytesOf(g));
    const Geometry motion = hdk::motionFromDetail(d, nullptr, {"name", "long"});
    EXPECT_EQ(motion.positions, g.positions);
    EXPECT_EQ(motion.primitiveCount(), g.primitiveCount());
    EXPECT_EQ(motion.points.find("stiffness")->values, g.points.find("stiffness")->values);
    EXPECT_EQ(motion.points.find("long"), nullptr);
    EXPECT_EQ(motion.primitives.find("name"), nullptr);
    EXPECT_EQ(motion.points.findGroup("ant")->members, g.points.findGroup("ant")->members);
    EXPECT_EQ(motion.primitives.groups.size(), g.primitives.groups.size());
}
// what has not changed keeps its data id, so that the host neither copies nor shows it anew
TEST(HoudiniBridge, WhatIsThereAlreadyKeepsItsDataId) {
    Geometry g = paintedBlock(4);
    const GU_DetailHandle handle = makeDetail(g);
    GU_Detail& d = const_cast<GU_Detail&>(*handle.gdp());
    const auto idsNow = [&] {
        std::map<std::string, GA_DataId> ids;
        for (const GA_AttributeDict* dict : {&d.pointAttribs(), &d.vertexAttribs(), &d.primitiveAttribs(), &d.attribs()})
            for (const auto& a : dict->standinList) ids[std::to_string(a->getOwner()) + a->getName().toStdString()] = a->getDataId();
        for (const GA_AttributeOwner owner : {GA_ATTRIB_POINT, GA_ATTRIB_VERTEX, GA_ATTRIB_PRIMITIVE})
            for (const auto& group : d.getElementGroupTable(owner).standinList) ids["group " + std::to_string(owner) + group->getName().toStdString()] = group->getDataId();
        return ids;
    };
    const auto changed = [&] {
        const auto before = idsNow();
        hdk::updateDetail(d, g);
        EXPECT_TRUE(d.standinStale().empty());
        EXPECT_EQ(bytesOf(readDetail(d)), bytesOf(g));
        std::string names;
        for (const auto& [name, id] : idsNow())
            if (id != before.at(name)) names += name + " ";
        return names;
    };
    const std::string point = std::to_string(GA_ATTRIB_POINT), primitive = std::to_string(GA_ATTRIB_PRIMITIVE), p = point + "P ";
    EXPECT_EQ(changed(), p);
    g.points.find("stiffness")->as<float>()->back() = 7;
    EXPECT_EQ(changed(), p + point + "stiffness ");
    g.points.find("stiffness")->as<float>()->back() = 0.0f;
    changed();
    g.points.find("stiffness")->as<float>()->back() = -0.0f;  // another value
    EXPECT_EQ(changed(), p + point + "stiffness ");
    g.primitives.find("name")->as<std::string>()->back() = "other";
    EXPECT_EQ(changed(), p + primitive + "name ");
    g.points.findGroup("ant")->members[1] ^= 1;
    EXPECT_EQ(changed(), p + "group " + point + "ant ");
    g.points.find("stiffness")->meaning = AttributeMeaning::kColor;
    EXPECT_EQ(changed(), p + point + "stiffness ");
}
// parts of loops that write have pages of their own, whatever holes there are and in whichever order points are
TEST(HoudiniBridge, ThreadsWriteToPagesOfTheirOwn) {
    Geometry g = paintedBlock(11);
    ASSERT_GT(g.pointCount(), static_cast<std::size_t>(GA_PAGE_SIZE));
    const GU_DetailHandle handle = makeDetail(g);
    for (AttributeSet* set : {&g.points, &g.vertices, &g.primitives})
        for (Attribute& a : set->attributes) std::visit([](auto& values) { std::reverse(values.begin(), values.end()); }, a.values);
    hdk::updateDetail(const_cast<GU_Detail&>(*handle.gdp()), g);
    EXPECT_EQ(bytesOf(readDetail(*handle.gdp())), bytesOf(g));
    hdk::writeAttribute(const_cast<GU_Detail&>(*handle.gdp()), GA_ATTRIB_POINT, {"added", 2, AttributeMeaning::kNone, std::vector<float>(2 * g.pointCount(), 3)});
    EXPECT_TRUE(handle.gdp()->standinStale().empty());
}
// what has been read just before needs no asking again, unless it is something else
TEST(HoudiniBridge, KnowsItsPrimitivesByWhatWasRead) {
    Geometry g = paintedBlock(2);
    GU_DetailHandle handle = makeDetail(g);
    const Geometry read = hdk::motionFromDetail(*handle.gdp());
    EXPECT_TRUE(hdk::hasSameElements(*handle.gdp(), g, &read));
    std::swap(g.vertexPoint[0], g.vertexPoint[1]);
    EXPECT_FALSE(hdk::hasSameElements(*handle.gdp(), g, &read));
    hdk::updateDetail(*handle.gdpNC(), g, &read);
    EXPECT_EQ(bytesOf(readDetail(*handle.gdp())), bytesOf(g));
}
// Escape is heard in time on millions of elements: every walk over all of a kind asks now and then
TEST(HoudiniBridge, AsksTheMonitorWithinEveryWalkOverElements) {
    constexpr std::size_t kTriangles = 100000, kCorners = 3 * kTriangles;
    Geometry plain;
    plain.positions.assign(kCorners, Vec3(1, 2, 3));
    for (std::int32_t p = 0; p < static_cast<std::int32_t>(kTriangles); ++p) plain.addPrimitive(PrimitiveKind::kPolygon, std::vector<std::int32_t>{3 * p, 3 * p + 1, 3 * p + 2});
    const auto polls = [](const Geometry& g) {
        GU_Detail detail;
        Polls writing, reading;
        hdk::writeDetail(detail, g, &writing);
        EXPECT_EQ(hdk::geometryFromDetail(detail, &reading).pointCount(), g.pointCount());
        return std::pair(writing.count, reading.count);
    };
    const auto [writing, reading] = polls(plain);
    const int walks = static_cast<int>(kCorners / 131072);
    for (const auto owner : {&Geometry::points, &Geometry::vertices}) {
        Geometry text = plain, group = plain;
        (text.*owner).add<std::string>("name", kCorners).assign(kCorners, "a");
        (group.*owner).addGroup("odd", kCorners).members[1] = 1;
        for (const Geometry& g : {text, group}) {
            EXPECT_GE(polls(g).first, writing + walks);
            EXPECT_GE(polls(g).second, reading + walks);
        }
    }
}
TEST(HoudiniBridge, WritesAnewWhatHasOtherElementsOrNames) {
    const Geometry block = paintedBlock(2);
    Geometry fewer = block, renamed = block, turned = block;
    renamed.points.erase("long");
    fewer.points.groups.pop_back();
    std::swap(turned.vertexPoint[0], turned.vertexPoint[1]);
    for (const Geometry& g : {fewer, renamed, turned, mixed()}) {
        GU_DetailHandle handle = makeDetail(block);
        hdk::updateDetail(*handle.gdpNC(), g);
        EXPECT_TRUE(handle.gdp()->standinStale().empty());
        EXPECT_EQ(bytesOf(readDetail(*handle.gdp())), bytesOf(g));
    }
}

}  // namespace sunder::test
