// Colliders of packed primitives, as RBD objects have them: they have to be what the same meshes are unpacked. Quarter turns and dyadic places leave the floats exact.
#include <GU/GU_PackedGeometry.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/monitor.h"
#include "core/mesh/tet_mesh.h"
#include "hdk/packed_bridge.h"
#include "tests/houdini/fixtures.h"
#include "tests/houdini/scene_network.h"
#include "tests/support/builders.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

constexpr int kStart = 1001, kFrames = 9;

/// A mesh that a packed primitive shows at turn (x - pivot) + place, the turn one of so many quarters about y.
struct Piece {
    Geometry mesh;
    Vec3 pivot, place;
    int quarters = 0;
};

UT_Vector3 toHost(const Vec3& v) { return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())}; }
Vec3 quarterTurned(Vec3 v, int quarters) {
    for (int q = 0; q < quarters; ++q) v = Vec3(v.z(), v.y(), -v.x());
    return v;
}
void add(Geometry& to, const Geometry& more) {
    const auto first = static_cast<std::int32_t>(to.pointCount());
    to.positions.insert(to.positions.end(), more.positions.begin(), more.positions.end());
    for (std::size_t p = 0; p < more.primitiveCount(); ++p) {
        std::vector<std::int32_t> corners;
        for (const std::int32_t i : more.primitivePoints(p)) corners.push_back(first + i);
        to.addPrimitive(more.primitiveKind[p], corners);
    }
}
Geometry unpacked(const std::vector<Piece>& pieces) {
    Geometry all;
    for (const Piece& piece : pieces) {
        Geometry moved = piece.mesh;
        for (Vec3& p : moved.positions) p = quarterTurned(p - piece.pivot, piece.quarters) + piece.place;
        add(all, moved);
    }
    return all;
}

void pack(GU_Detail& to, const GU_ConstDetailHandle& what, const Piece& as) {
    GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(to, what);
    packed->setPivot(toHost(as.pivot));
    UT_Matrix3D rows(0.0);
    for (int i = 0; i < 3; ++i) {
        const Vec3 axis = quarterTurned(Vec3::Unit(i), as.quarters);
        for (int j = 0; j < 3; ++j) rows(static_cast<unsigned>(i), static_cast<unsigned>(j)) = axis[j];
    }
    packed->setLocalTransform(rows);
    to.setPos3(packed->getPointOffset(0), toHost(as.place));
    to.bumpAllDataIds();
}
GU_DetailHandle packed(const std::vector<Piece>& pieces, const Geometry& loose = {}) {
    GU_DetailHandle handle = makeDetail(loose);
    for (const Piece& piece : pieces) pack(*handle.gdpNC(), makeDetail(piece.mesh), piece);
    return handle;
}
/// All of it packed once more, `levels` times.
GU_DetailHandle packedAgain(GU_DetailHandle what, int levels, const Piece& as = {{}, Vec3::Zero(), Vec3::Zero()}) {
    for (int k = 0; k < levels; ++k) {
        GU_DetailHandle outer = makeDetail({});
        pack(*outer.gdpNC(), what, as);
        what = outer;
    }
    return what;
}

Geometry block() { return geometryFromTetMesh(testing::makeBox(2, 2, 2, Vec3(0.25, 0.25, 0.25)), {}); }

/// A floor, and a ram that starts to push at the third frame, faster and faster, and stands still from the eighth on; in the sixth a second one is there behind the block.
std::vector<Piece> pieces(int frame) {
    const int k = std::min(frame - kStart, kFrames - 2);
    Geometry floor = cubeSurface(4), ram = cubeSurface(0.5), wall = cubeSurface(0.25);
    const double way = k < 2 ? 0 : (k - 1) * (k - 1) / 128.0;
    std::vector<Piece> all = {{floor, Vec3(0, 2, 0), Vec3(0, -1.0 / 64, 0)}, {ram, Vec3(0.25, -0.25, 0), Vec3(-0.25 - 1.0 / 64 + way, 0, -0.125), 1}};
    if (k >= 5) all.push_back({wall, Vec3(0, -0.125, 0), Vec3(0.75, 0, 0.125), 2});
    return all;
}

class Warnings : public Monitor {
  public:
    void warn(const std::string& text) override { texts.push_back(text); }
    std::vector<std::string> texts;
};

enum class Form { kUnpacked, kPacked, kPartly, kNested };
GU_DetailHandle shape(int frame, Form form) {
    const std::vector<Piece> all = pieces(frame);
    if (form == Form::kUnpacked) return makeDetail(unpacked(all));
    if (form == Form::kPartly) return packed({all.begin() + 1, all.end()}, unpacked({all[0]}));
    if (form == Form::kPacked) return packed(all);
    // turned back as a whole, so that it stands where it has to
    std::vector<Piece> turned = all;
    for (Piece& piece : turned) {
        piece.quarters = (piece.quarters + 3) % 4;
        piece.place = quarterTurned(piece.place - Vec3(0.5, 0, 0), 3) + Vec3(1, 0, 0);
    }
    return packedAgain(packedAgain(packed(turned), 1), 1, {{}, Vec3(1, 0, 0), Vec3(0.5, 0, 0), 1});
}

DopNetwork makeNetwork(Form form, bool isExplicit = true) {
    operators();
    DopNetwork net(24, kStart);
    net.addObject("block", *makeDetail(block()).gdp());
    net.addCollider("pieces", *shape(kStart, form).gdp());
    net.attach(-1, "SIM_SunderSolver", "Solver");
    net.attach(-1, "SIM_SunderMaterial", "SunderMaterial");
    net.set("Solver", "startFrame", int64{kStart});
    net.set("Solver", "integrator", int64{isExplicit ? 0 : 1});
    net.set("SunderMaterial", "youngs", 1e6);
    net.set("SunderMaterial", "stiffnessDamping", 1e-3);
    net.show = [form](double frame, int, GU_Detail& d) { d.replaceWith(*shape(static_cast<int>(std::lround(frame)), form).gdp()); };
    return net;
}
std::string shown(const DopNetwork& net, int frame) { return bytesOf(readDetail(net.geometry(frame, 0))); }
std::vector<std::string> framesOf(DopNetwork& net) {
    std::vector<std::string> all;
    EXPECT_TRUE(net.play(kStart + kFrames - 1)) << trouble(net);
    for (int f = kStart; f < kStart + kFrames && net.has(f); ++f) all.push_back(shown(net, f));
    return all;
}
double lowestX(const GU_Detail& d) {
    double x = 1e300;
    for (const GA_Offset o : d.getPointRange()) x = std::min(x, static_cast<double>(d.getPos3(o).x()));
    return x;
}
}  // namespace

TEST(HoudiniDopPacked, PackedCollidersAreWhatTheyAreUnpacked) {
    for (const bool isExplicit : {true, false}) {
        DopNetwork plain = makeNetwork(Form::kUnpacked, isExplicit);
        const std::vector<std::string> expected = framesOf(plain);
        ASSERT_GT(lowestX(plain.geometry(kStart + kFrames - 1, 0)), 0.1);  // it was pushed
        for (const Form form : {Form::kPacked, Form::kPartly, Form::kNested}) {
            DopNetwork net = makeNetwork(form, isExplicit);
            EXPECT_EQ(framesOf(net) == expected, true) << static_cast<int>(form) << " " << isExplicit;
        }
    }
}

TEST(HoudiniDopPacked, AnotherNumberOfThemIsAnotherTopology) {
    DopNetwork net = makeNetwork(Form::kPacked);
    ASSERT_TRUE(net.play(kStart + 4)) << trouble(net);
    EXPECT_FALSE(net.says("topology"));
    EXPECT_FALSE(net.says("left out"));
    ASSERT_TRUE(net.play(kStart + 5)) << trouble(net);
    EXPECT_TRUE(net.says("collider 'pieces' has another topology")) << trouble(net);
}

TEST(HoudiniDopPacked, ScrubbingReloadingAndSavingChangeNothing) {
    DopNetwork plain = makeNetwork(Form::kUnpacked);
    const std::vector<std::string> expected = framesOf(plain);
    DopNetwork net = makeNetwork(Form::kPacked);
    ASSERT_TRUE(net.play(kStart + 6));
    net.scrub(kStart + 3);
    EXPECT_EQ(framesOf(net) == expected, true);
    DopNetwork reloading = makeNetwork(Form::kNested);
    reloading.reloadEveryStep = true;
    EXPECT_EQ(framesOf(reloading) == expected, true);
    for (const int at : {3, 5, 6}) {  // in the push, and in and behind the change of their number
        DopNetwork resumed = makeNetwork(Form::kPacked);
        ASSERT_TRUE(resumed.load(kStart + at, net.save(kStart + at)));
        ASSERT_TRUE(resumed.play(kStart + kFrames - 1)) << trouble(resumed);
        for (int f = at; f < kFrames; ++f) EXPECT_EQ(shown(resumed, kStart + f) == expected[static_cast<std::size_t>(f)], true) << at << " " << f;
    }
}

TEST(HoudiniDopPacked, WhereTheObjectStandsCountsAsWell) {
    const auto net = [](Form form, bool byObject) {
        DopNetwork made = makeNetwork(form);
        made.show = [=](double frame, int, GU_Detail& d) {
            std::vector<Piece> all = pieces(static_cast<int>(std::lround(frame)));
            for (Piece& piece : all) piece.place -= byObject ? Vec3(0, 0, 0.5) : Vec3(Vec3::Zero());
            d.replaceWith(form == Form::kPacked ? *packed(all).gdp() : *makeDetail(unpacked(all)).gdp());
        };
        if (byObject) made.stand = [](double, int, UT_DMatrix4& m) { m(3, 2) = 0.5; };
        return made;
    };
    DopNetwork plain = net(Form::kUnpacked, false), standing = net(Form::kPacked, true);
    EXPECT_EQ(framesOf(standing) == framesOf(plain), true);
}

TEST(HoudiniDopPacked, EmptyOnesAreNothing) {
    DopNetwork plain = makeNetwork(Form::kUnpacked), net = makeNetwork(Form::kPacked), none = makeNetwork(Form::kPacked);
    net.show = [](double frame, int, GU_Detail& d) {
        std::vector<Piece> all = pieces(static_cast<int>(std::lround(frame)));
        all.insert(all.begin() + 1, Piece{{}, Vec3::Zero(), Vec3(5, 5, 5)});
        d.replaceWith(*packed(all).gdp());
    };
    EXPECT_EQ(framesOf(net) == framesOf(plain), true);
    none.show = [](double, int, GU_Detail& d) { d.replaceWith(*packed({{{}, Vec3::Zero(), Vec3::Zero()}}).gdp()); };
    ASSERT_TRUE(none.play(kStart + 2)) << trouble(none);
    EXPECT_TRUE(none.says("the collider 'pieces' has no polygons and is left out. Give it a surface")) << trouble(none);
}

// A file that is not there would be a collider that everything falls through.
TEST(HoudiniDopPacked, WhatCannotBeUnpackedIsAnError) {
    DopNetwork net = makeNetwork(Form::kPacked);
    const auto old = net.show;
    net.show = [&](double frame, int object, GU_Detail& d) {
        old(frame, object, d);
        if (frame < kStart + 4) return;
        d.standinAddPrimitive(std::make_unique<GU_PrimPacked>(GU_ConstDetailHandle()), {d.appendPointOffset()});
        d.standinResizeAfterBlock();
        d.bumpAllDataIds();
    };
    EXPECT_FALSE(net.play(kStart + kFrames - 1));
    EXPECT_TRUE(net.has(kStart + 3));
    EXPECT_FALSE(net.has(kStart + 4));
    EXPECT_TRUE(net.says("collider 'pieces': packed primitive 2 cannot be unpacked")) << trouble(net);
    EXPECT_TRUE(net.says("See that the file that it shows is there")) << trouble(net);
    net.show = old;
    EXPECT_TRUE(net.play(kStart + kFrames - 1)) << trouble(net);

    DopNetwork deep = makeNetwork(Form::kPacked);
    deep.show = [](double frame, int, GU_Detail& d) { d.replaceWith(*packedAgain(shape(static_cast<int>(std::lround(frame)), Form::kPacked), frame < kStart + 2 ? 15 : 16).gdp()); };
    EXPECT_TRUE(deep.play(kStart + 1)) << trouble(deep);
    EXPECT_FALSE(deep.play(kStart + 2));
    EXPECT_TRUE(deep.says("packed more than 16 levels deep") && deep.says("Unpack")) << trouble(deep);
}

TEST(HoudiniDopPacked, OtherKindsInsideAreLeftOutWithOneWarning) {
    operators();
    GU_DetailHandle mixed = makeDetail({});
    for (int k = 0; k < 3; ++k) {
        GU_DetailHandle inside = makeDetail(cubeSurface(1));
        inside.gdpNC()->standinAddPrimitive(std::make_unique<GEO_Primitive>(GA_PRIMVOLUME, true), {inside.gdpNC()->appendPointOffset()});
        inside.gdpNC()->standinResizeAfterBlock();
        inside.gdpNC()->bumpAllDataIds();
        pack(*mixed.gdpNC(), inside, {{}, Vec3::Zero(), Vec3(2.0 * k, 0, 0)});
    }
    Warnings monitor;
    const Geometry read = hdk::unpackedFromDetail(*mixed.gdp(), &monitor);
    EXPECT_EQ(read.primitiveCount(), 18u);
    ASSERT_EQ(monitor.texts.size(), 1u);
    EXPECT_NE(monitor.texts[0].find("3 primitives are left out"), std::string::npos) << monitor.texts[0];
}

// A packed primitive's point goes with it, unless a polygon uses it, too.
TEST(HoudiniDopPacked, PointsOfPackedPrimitivesAreNoGeometry) {
    Geometry loose = cubeSurface(1);
    loose.positions.emplace_back(7, 7, 7);  // of no primitive
    GU_DetailHandle handle = packed({{cubeSurface(2), Vec3::Zero(), Vec3(4, 0, 0)}}, loose);
    auto onCorner = std::make_unique<GU_PrimPacked>(makeDetail(cubeSurface(0.5)));
    handle.gdpNC()->standinAddPrimitive(std::move(onCorner), {handle.gdp()->pointOffset(GA_Index(3))});
    handle.gdpNC()->standinResizeAfterBlock();
    const Geometry read = hdk::unpackedFromDetail(*handle.gdp());
    ASSERT_EQ(read.pointCount(), 9u + 8 + 8);
    EXPECT_EQ(read.primitiveCount(), 18u);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(read.positions[i], loose.positions[i]);
    EXPECT_EQ(read.positions[9], Vec3(3, -1, -1));
    EXPECT_EQ(read.positions[17], loose.positions[3] - Vec3(0.25, 0.25, 0.25));
    for (std::size_t p = 0; p < 6; ++p)
        for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(read.primitivePoints(p + 12)[k], cubeSurface(1).primitivePoints(p)[k] + 17);
}

TEST(HoudiniDopPacked, EscapeStopsUnpacking) {
    class Impatient : public Monitor {
      public:
        bool cancelled() override { return ++asked > 2; }
        int asked = 0;
    };
    Impatient monitor;
    const GU_DetailHandle handle = packed({5, Piece{cubeSurface(1), Vec3::Zero(), Vec3::Zero()}});
    EXPECT_THROW(hdk::unpackedFromDetail(*handle.gdp(), &monitor), Cancelled);
    EXPECT_EQ(monitor.asked, 3);

    DopNetwork net = makeNetwork(Form::kPacked), plain = makeNetwork(Form::kUnpacked);
    ASSERT_TRUE(net.play(kStart + 3));
    for (const long at : {0L, 1L, 2L}) {
        standin::interruptAfter(at);
        EXPECT_FALSE(net.play(kStart + 4)) << at;
    }
    standin::interruptAfter(-1);
    EXPECT_EQ(framesOf(net) == framesOf(plain), true);
}

}  // namespace sunder::test
