// Nodes that make something of frames.
#include <GU/GU_PrimPacked.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/io/guide_text.h"
#include "core/sim/cache_debris.h"
#include "core/sim/cache_pieces.h"
#include "core/sim/cache_render.h"
#include "core/sim/cache_surface.h"
#include "core/sim/cache_topology.h"
#include "tests/houdini/fixtures.h"
#include "tests/sim/broken_frames.h"

namespace sunder::test {

namespace {
using testing::brokenFrames;
using testing::cachedFrames;
constexpr const char *kGuide = "sunder::guide::1.0", *kPieces = "sunder::pieces::1.0", *kSurface = "sunder::surface::1.0",
                     *kConstant = "sunder::constanttopology::1.0";

/// All that docs of the host's packed objects list for a point.
constexpr const char* kBulletAttributes[] = {
    "name", "active", "animated", "deforming", "v", "w", "orient", "pivot", "pscale", "scale", "restxform", "mass", "density", "computemass", "computecom", "inheritvelocity", "bounce",
    "friction", "inertialtensorstiffness", "bullet_add_impact", "bullet_ignore", "bullet_angular_sleep_threshold", "bullet_linear_sleep_threshold", "bullet_want_deactivate",
    "bullet_sleeping", "age", "life", "dead"};

std::vector<const GU_PrimPacked*> packedOf(const Network::Cooked& cooked) {
    std::vector<const GU_PrimPacked*> list;
    for (const GA_Offset o : cooked.detail.gdp()->getPrimitiveRange()) {
        const GEO_Primitive* p = cooked.detail.gdp()->getGEOPrimitive(o);
        if (p->getTypeId() == GA_PRIMPACKED) list.push_back(static_cast<const GU_PrimPacked*>(p));
    }
    return list;
}

/// As the host places it: vectors are rows.
Vec3 placed(const GU_PrimPacked& p, const UT_Vector3& at, const Vec3& x) {
    Vec3 out(at.x(), at.y(), at.z());
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out[j] += (x[i] - static_cast<double>(p.pivot()[i])) * p.localTransform()(static_cast<unsigned>(i), static_cast<unsigned>(j));
    return out;
}

SOP_Node* frameNode(Network& net, std::size_t i) { return net.geometry(brokenFrames().frames[i]); }

Geometry renderMesh() {
    Geometry g = restPieces(cachedFrames().front());
    for (AttributeSet* set : {&g.points, &g.primitives, &g.vertices, &g.detail}) *set = {};
    return g;
}
}  // namespace

TEST(HoudiniFrameNodes, ConstantTopologyIsTheCores) {
    Network net;
    const Network::Cooked cooked = net.cook(net.node(kConstant, {frameNode(net, 3), frameNode(net, 8)}));
    ASSERT_FALSE(cooked.failed()) << cooked.all();
    EXPECT_EQ(bytesOf(cooked.geometry), bytesOf(onLastTopology(cachedFrames()[3], cachedFrames()[8])));
}

TEST(HoudiniFrameNodes, PiecesAreTheCoresWithWhatBulletWants) {
    Network net;
    SOP_Node* node = net.node(kPieces, {frameNode(net, 5), frameNode(net, 8), frameNode(net, 4)});
    const Network::Cooked points = net.cook(node);
    ASSERT_FALSE(points.failed()) << points.all();
    const CachePieces pieces = collectPieces(cachedFrames()[8]);
    EXPECT_EQ(points.geometry.pointCount(), pieces.name.size());
    for (const char* name : kBulletAttributes) EXPECT_NE(points.geometry.points.find(name), nullptr) << name;
    EXPECT_EQ(points.geometry.points.find("computemass")->number(0), 0);
    net.set(node, "output", 1);
    EXPECT_EQ(bytesOf(net.cook(node).geometry), bytesOf(restPieces(cachedFrames()[8])));
    net.set(node, "output", 2);
    net.set(node, "density", 5000);
    const Network::Cooked debris = net.cook(node);
    ASSERT_FALSE(debris.failed()) << debris.all();
    CrackHistory cracks;
    cracks.add(cachedFrames()[4]);
    cracks.add(cachedFrames()[5]);
    DebrisOptions options;
    options.density = 5000;
    EXPECT_EQ(bytesOf(debris.geometry), bytesOf(DebrisSource(options).emit(cracks)));
}

TEST(HoudiniFrameNodes, PackedPiecesStandWhereTheSimulationHasThem) {
    Network net;
    const CacheFrame &frame = cachedFrames()[5], &last = cachedFrames()[8];
    SOP_Node* node = net.node(kPieces, {frameNode(net, 5), frameNode(net, 8)});
    const Network::Cooked points = net.cook(node);
    net.set(node, "output", 3);
    const Network::Cooked cooked = net.cook(node);
    ASSERT_FALSE(cooked.failed()) << cooked.all();
    EXPECT_EQ(bytesOf(cooked.geometry), bytesOf(points.geometry)) << "the points of packed pieces have all that the points alone have";
    EXPECT_NE(cooked.info.find("packed pieces"), std::string::npos);
    const std::vector<const GU_PrimPacked*> packed = packedOf(cooked);
    const CachePieces pieces = collectPieces(last);
    const std::vector<PieceMotion> motions = fitPieces(pieces, frame, last);
    ASSERT_EQ(packed.size(), pieces.name.size());
    ASSERT_GE(packed.size(), 3u);
    std::size_t polygons = 0;
    double turned = 0;
    for (std::size_t i = 0; i < packed.size(); ++i) {
        const Geometry inside = readDetail(*packed[i]->getPackedDetail().gdp());
        const UT_Vector3 at = cooked.detail.gdp()->getPos3(packed[i]->getPointOffset(0));
        polygons += inside.primitiveCount();
        for (const std::string& name : *inside.primitives.find("name")->as<std::string>()) EXPECT_EQ(name, pieces.name[i]);
        for (const Vec3& x : inside.positions)
            EXPECT_LT((placed(*packed[i], at, x) - motions[i].centre - motions[i].turn * (x - motions[i].pivot)).norm(), 1e-6) << pieces.name[i];
        turned = std::max(turned, motions[i].turn.vec().norm());
    }
    EXPECT_GT(turned, 1e-3) << "nothing turns here, so a transposed matrix would pass";
    EXPECT_EQ(polygons, restPieces(last).primitiveCount());
    EXPECT_EQ(cooked.geometry.points.find("computemass")->number(0), 0);
}

TEST(HoudiniFrameNodes, FramesShareWhatIsPacked) {
    Network net;
    SOP_Node* node = net.node(kPieces, {frameNode(net, 5), frameNode(net, 8)});
    net.set(node, "output", 3);
    const Network::Cooked first = net.cook(node);
    node->standinInputs[0] = frameNode(net, 6);
    const Network::Cooked second = net.cook(node);
    ASSERT_FALSE(second.failed()) << second.all();
    const auto same = [&](const Network::Cooked& a, const Network::Cooked& b) { return packedOf(a)[0]->getPackedDetail().gdp() == packedOf(b)[0]->getPackedDetail().gdp(); };
    EXPECT_TRUE(same(first, second));
    EXPECT_NE(bytesOf(first.geometry), bytesOf(second.geometry));
    node->standinInputs[1] = frameNode(net, 7);
    const Network::Cooked other = net.cook(node);
    ASSERT_FALSE(other.failed()) << other.all();
    EXPECT_FALSE(same(first, other)) << "another last frame has other pieces";
}

// what is packed is kept as long as the data ids of all that it was made of are the same
TEST(HoudiniFrameNodes, PackedPiecesFollowGroupsAndDetailAttributes) {
    Network net;
    const GU_DetailHandle last = makeDetail(brokenFrames().frames[8]);
    const auto copyWith = [&](const std::function<void(GU_Detail&)>& change) {
        auto* copy = new GU_Detail;
        copy->replaceWith(*last.gdp());
        change(*copy);
        GU_DetailHandle handle;
        handle.allocateAndSet(copy);
        return net.geometry_(handle);
    };
    SOP_Node* node = net.node(kPieces, {frameNode(net, 5), net.geometry_(last)});
    net.set(node, "output", 3);
    const auto packed = [&] { return packedOf(net.cook(node))[0]->getPackedDetail(); };
    const GU_ConstDetailHandle first = packed();
    node->standinInputs[1] = copyWith([](GU_Detail&) {});
    EXPECT_EQ(packed().gdp(), first.gdp());
    node->standinInputs[1] = copyWith([](GU_Detail& d) { d.newPrimitiveGroup("late")->bumpDataId(); });
    const GU_ConstDetailHandle second = packed();
    EXPECT_NE(second.gdp(), first.gdp());
    node->standinInputs[1] = copyWith([](GU_Detail& d) { d.addFloatTuple(GA_ATTRIB_DETAIL, "late", 1)->bumpDataId(); });
    EXPECT_NE(packed().gdp(), second.gdp());
}

TEST(HoudiniFrameNodes, SurfaceIsTheCoresAndItsCacheChangesNothing) {
    const Geometry render = renderMesh();
    Network net;
    SOP_Node* mesh = net.geometry(render);
    SOP_Node* node = net.node(kSurface, {mesh, nullptr});
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{7}, std::size_t{8}}) {
        node->standinInputs[1] = frameNode(net, i);
        const Network::Cooked cooked = net.cook(node);
        ASSERT_FALSE(cooked.failed()) << cooked.all();
        Geometry floats = render;
        for (Vec3& p : floats.positions) p = p.cast<float>().cast<double>();
        EXPECT_EQ(bytesOf(cooked.geometry), bytesOf(RenderMap(floats, cachedFrames()[i]).deform(floats, cachedFrames()[i]))) << i;
        if (i == 7) node->standinDropCache();
    }
    EXPECT_NE(net.cook(node).info.find("points split"), std::string::npos);
}

/// The mesh in smaller triangles that share no points, across pages, with values of every kind at its vertices.
Geometry paintedMesh() {
    const Geometry coarse = renderMesh();
    Geometry g;
    for (std::size_t p = 0; p < coarse.primitiveCount(); ++p) {
        const auto t = coarse.primitivePoints(p);
        Vec3 corner[3];
        for (std::size_t k = 0; k < 3; ++k) corner[k] = coarse.positions[static_cast<std::size_t>(t[k])].cast<float>().cast<double>();
        const auto first = static_cast<std::int32_t>(g.pointCount());
        for (int k = 0; k < 3; ++k) g.positions.push_back(corner[k]);
        for (int k = 0; k < 3; ++k) g.positions.push_back((0.5 * (corner[k] + corner[(k + 1) % 3])).cast<float>().cast<double>());
        for (const std::array<std::int32_t, 3>& f : {std::array<std::int32_t, 3>{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}})
            g.addPrimitive(PrimitiveKind::kPolygon, std::vector<std::int32_t>{first + f[0], first + f[1], first + f[2]});
    }
    const std::size_t n = g.vertexCount();
    g.vertices.attributes.reserve(4);
    auto& weight = g.vertices.add<double>("weight", n, 2);
    auto& corner = g.vertices.add<std::int32_t>("corner", n);
    auto& seam = g.vertices.add<std::string>("seam", n);
    Group& hard = g.vertices.addGroup("hard", n);
    for (std::size_t v = 0; v < n; ++v) {
        weight[2 * v] = 1.0 / static_cast<double>(v + 1);
        corner[v] = static_cast<std::int32_t>(v);
        seam[v] = "seam" + std::to_string(v % 7);
        hard.members[v] = v % 3 == 0 ? 1 : 0;
    }
    auto& uv = g.points.add<float>("uv", g.pointCount(), 2, AttributeMeaning::kTextureCoord);
    for (std::size_t i = 0; i < uv.size(); ++i) uv[i] = 1 + static_cast<float>(i);
    return g;
}
template <class T>
void expectStarts(const AttributeSet& all, const AttributeSet& first, const char* name) {
    const Attribute *now = all.find(name), *before = first.find(name);
    ASSERT_TRUE(now && now->as<T>() && now->tupleSize == before->tupleSize) << name;
    EXPECT_TRUE(std::equal(before->as<T>()->begin(), before->as<T>()->end(), now->as<T>()->begin())) << name;
}

TEST(HoudiniFrameNodes, SurfaceKeepsWhatVerticesHave) {
    const Geometry mesh = paintedMesh();
    ASSERT_GT(mesh.vertexCount(), static_cast<std::size_t>(GA_PAGE_SIZE));
    Network net;
    SOP_Node* node = net.node(kSurface, {net.geometry(mesh), nullptr});
    for (const std::size_t frame : {std::size_t{0}, std::size_t{8}}) {
        node->standinInputs[1] = frameNode(net, frame);
        const Network::Cooked cooked = net.cook(node);
        ASSERT_FALSE(cooked.failed()) << cooked.all();
        const AttributeSet& vertices = cooked.geometry.vertices;
        expectStarts<double>(vertices, mesh.vertices, "weight");
        expectStarts<std::int32_t>(vertices, mesh.vertices, "corner");
        expectStarts<std::string>(vertices, mesh.vertices, "seam");
        ASSERT_NE(vertices.findGroup("hard"), nullptr);
        EXPECT_EQ(vertices.findGroup("hard")->count(), mesh.vertices.findGroup("hard")->count());
        // what points have of textures is at vertices, where inside faces have theirs
        const Attribute* uv = vertices.find("uv");
        ASSERT_TRUE(uv && uv->as<float>() && uv->tupleSize == 2 && !cooked.geometry.points.find("uv"));
        for (std::size_t v = 0; v < mesh.vertexCount(); ++v)
            for (int c = 0; c < 2; ++c) EXPECT_EQ(uv->number(v, c), mesh.points.find("uv")->number(static_cast<std::size_t>(mesh.vertexPoint[v]), c)) << v;
        EXPECT_EQ(cooked.geometry.vertexCount() > mesh.vertexCount(), frame == 8);
        double largest = 0;
        for (std::size_t v = mesh.vertexCount(); v < cooked.geometry.vertexCount(); ++v) largest = std::max(largest, std::abs(uv->number(v, 0)));
        EXPECT_TRUE(frame == 0 || largest > 0.1) << "inside faces have none";
    }
}

TEST(HoudiniFrameNodes, GuideMarksWhatIsDrawn) {
    Geometry drawn = cubeSurface();
    const std::vector<std::int32_t> curve = {0, 3, 5};
    drawn.addPrimitive(PrimitiveKind::kCurve, curve);
    Network net;
    SOP_Node* node = net.node(kGuide, {net.geometry(drawn)});
    net.set(node, "name", std::string("seam"));
    net.set(node, "strength", 0.4);
    const Network::Cooked cooked = net.cook(node);
    ASSERT_FALSE(cooked.failed()) << cooked.all();
    EXPECT_EQ((*cooked.geometry.primitives.find("guide")->as<std::string>())[6], "seam");
    EXPECT_EQ(cooked.geometry.primitives.find("strength")->number(0), 0.4);
    net.set(node, "strength", 2);
    EXPECT_TRUE(net.cook(node).failed());
    Geometry points;
    points.positions = {Vec3::Zero()};
    EXPECT_TRUE(net.cook(net.node(kGuide, {net.geometry(points)})).says("Draw a curve"));
    EXPECT_TRUE(net.cook(net.node(kGuide, {})).says("Wire curves"));
}

TEST(HoudiniFrameNodes, GuidesByNumbersTravelAsText) {
    Network net;
    SOP_Node* node = net.node(kGuide, {});
    for (int shape = 1; shape < 8; ++shape) {
        net.set(node, "shape", shape);
        const Network::Cooked cooked = net.cook(node);
        if (shape == 3) {
            EXPECT_TRUE(cooked.says("not wired"));
            continue;
        }
        ASSERT_FALSE(cooked.failed()) << cooked.all();
        const Attribute* text = cooked.geometry.points.find("sunderguide");
        ASSERT_NE(text, nullptr);
        const SceneGuide guide = guideFromText((*text->as<std::string>())[0], "test");
        EXPECT_EQ(guide.shape.index(), static_cast<std::size_t>(shape));
        EXPECT_EQ(guide.name, "guide1");
    }
}

TEST(HoudiniFrameNodes, WrongInputsAreErrorsWithARemedy) {
    Network net;
    SOP_Node *polygons = net.geometry(cubeSurface()), *tets = net.geometry(paintedBlock(1)), *empty = net.geometry(Geometry());
    Geometry wrong = brokenFrames().frames[8];
    wrong.points.add<std::string>("parentweight", wrong.pointCount());
    SOP_Node* wrongClass = net.geometry(wrong);
    Geometry noName = brokenFrames().frames[8];
    noName.primitives.erase("name");
    for (SOP_Node* bad : {static_cast<SOP_Node*>(nullptr), polygons, tets, empty, wrongClass}) {
        for (const Network::Cooked& cooked : {net.cook(net.node(kConstant, {bad, frameNode(net, 8)})), net.cook(net.node(kConstant, {frameNode(net, 0), bad})),
                                              net.cook(net.node(kSurface, {polygons, bad})), net.cook(net.node(kPieces, {bad}))}) {
            EXPECT_TRUE(cooked.failed());
            EXPECT_TRUE(cooked.says(". ")) << "no remedy: " << cooked.all();
            EXPECT_EQ(cooked.geometry.pointCount(), 0u);
        }
    }
    SOP_Node* nameless = net.node(kPieces, {net.geometry(noName)});
    for (const int output : {0, 3}) {
        net.set(nameless, "output", output);
        EXPECT_TRUE(net.cook(nameless).says("no 'name'. Use")) << net.cook(nameless).all();
        EXPECT_EQ(net.cook(nameless).geometry.pointCount(), 0u);
    }
    EXPECT_TRUE(net.cook(net.node(kConstant, {frameNode(net, 8), frameNode(net, 0)})).says("not of one simulation"));
    EXPECT_TRUE(net.cook(net.node(kSurface, {empty, frameNode(net, 0)})).failed());
    Geometry loose;
    loose.positions = {Vec3::Zero()};
    EXPECT_TRUE(net.cook(net.node(kSurface, {net.geometry(loose), frameNode(net, 0)})).says("no polygons"));
    Geometry far = renderMesh();
    for (Vec3& p : far.positions) p += Vec3(100, 0, 0);
    EXPECT_TRUE(net.cook(net.node(kSurface, {net.geometry(far), frameNode(net, 0)})).warned());
    SOP_Node* debris = net.node(kPieces, {frameNode(net, 5)});
    net.set(debris, "output", 2);
    EXPECT_TRUE(net.cook(debris).says("input 3 is not wired"));
}

// what a node says at the end of its cook is of what it has bound itself
TEST(HoudiniFrameNodes, NodesOfATypeRememberApart) {
    Network net;
    SOP_Node *mesh = net.geometry(renderMesh()), *node = net.node(kSurface, {mesh, frameNode(net, 8)}), *other = net.node(kSurface, {mesh, frameNode(net, 5)});
    const auto counts = [&](const Network::Cooked& cooked) { return cooked.info.substr(0, cooked.info.find(" in ")); };
    const std::string alone = counts(net.cook(node)), others = counts(net.cook(other));
    ASSERT_NE(alone, others);
    int runs = 0;
    standin::setForeignTask([&] {
        ++runs;
        other->standinDropCache();
        EXPECT_EQ(counts(net.cook(other)), others);
    });
    node->standinDropCache();
    const Network::Cooked cooked = net.cook(node);
    standin::setForeignTask(nullptr);
    EXPECT_GT(runs, 0);
    EXPECT_EQ(counts(cooked), alone);
}

TEST(HoudiniFrameNodes, ACookWithinACookIsNoTrouble) {
    Network net;
    SOP_Node *node = net.node(kConstant, {frameNode(net, 3), frameNode(net, 8)}), *foreign = net.node(kPieces, {frameNode(net, 8)});
    int runs = 0;
    standin::setForeignTask([&] {
        ++runs;
        EXPECT_FALSE(net.cook(foreign).failed());
    });
    EXPECT_EQ(bytesOf(net.cook(node).geometry), bytesOf(onLastTopology(cachedFrames()[3], cachedFrames()[8])));
    standin::setForeignTask(nullptr);
    EXPECT_GT(runs, 0);
}

}  // namespace sunder::test
