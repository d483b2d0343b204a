// Every verb as the host may cook it: with no node, with a cache of before, several at once; and with inputs that are wrong in every way.
#include <GU/GU_PrimPacked.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "core/io/geometry_io.h"
#include "core/sim/cache_pieces.h"
#include "tests/houdini/fixtures.h"
#include "tests/sim/broken_frames.h"

namespace sunder::test {

namespace {
using testing::brokenFrames;
using testing::cachedFrames;

/// A verb with inputs and parameters that give something.
struct Recipe {
    const char* type;
    std::vector<Geometry> inputs;
    std::vector<std::pair<const char*, double>> numbers;
};
Geometry skin() {
    Geometry g = restPieces(cachedFrames().front());
    for (AttributeSet* set : {&g.points, &g.primitives, &g.vertices, &g.detail}) *set = {};
    return g;
}
const std::vector<Recipe>& recipes() {
    const auto& frames = brokenFrames().frames;
    static const std::vector<Recipe> all = {
        {"sunder::tetrahedralize::1.0", {cubeSurface()}, {{"method", 2}, {"cellSize", 0.25}}},
        {"sunder::material::1.0", {paintedBlock(1)}, {{"density", 7800}, {"stiffness", 2}}},
        {"sunder::guide::1.0", {cubeSurface()}, {{"strength", 0.5}}},
        {"sunder::guide::1.0", {}, {{"shape", 7}}},
        {"sunder::pieces::1.0", {frames[5], frames[8], frames[4]}, {{"output", 0}}},
        {"sunder::pieces::1.0", {frames[5], frames[8], frames[4]}, {{"output", 1}}},
        {"sunder::pieces::1.0", {frames[5], frames[8], frames[4]}, {{"output", 2}}},
        {"sunder::pieces::1.0", {frames[5], frames[8], frames[4]}, {{"output", 3}}},
        {"sunder::surface::1.0", {skin(), frames[8]}, {}},
        {"sunder::constanttopology::1.0", {frames[3], frames[8]}, {}}};
    return all;
}

standin::CookRequest requestOf(const Recipe& recipe) {
    standin::CookRequest request;
    request.verb = SOP_NodeVerb::lookupVerb(operators().getOperator(recipe.type)->getName());
    for (const Geometry& g : recipe.inputs) request.inputs.push_back(makeDetail(g));
    for (const auto& [name, value] : recipe.numbers) request.values.numbers[name] = {value};
    return request;
}
std::string made(const standin::CookRequest& request) {
    const standin::CookResult result = standin::cook(request);
    for (const standin::Message& m : result.messages) EXPECT_LT(m.severity, UT_ERROR_ABORT) << m.text;
    return bytesOf(readDetail(*result.geometry.gdp()));
}
std::string madeByANode(const Recipe& recipe) {
    Network net;
    std::vector<SOP_Node*> inputs;
    for (const Geometry& g : recipe.inputs) inputs.push_back(net.geometry(g));
    SOP_Node* node = net.node(recipe.type, inputs);
    for (const auto& [name, value] : recipe.numbers) net.set(node, name, value);
    return bytesOf(net.cook(node).geometry);
}
}  // namespace

TEST(HoudiniVerbs, CookWithoutANodeAndWithAnyCache) {
    std::set<std::string> types;
    for (const Recipe& recipe : recipes()) {
        types.insert(recipe.type);
        const std::string expected = madeByANode(recipe);
        EXPECT_GT(expected.size(), 100u) << recipe.type;
        standin::CookRequest request = requestOf(recipe);
        EXPECT_EQ(made(request), expected) << recipe.type;
        const std::unique_ptr<SOP_NodeCache> kept(request.verb->allocCache());
        request.cache = kept.get();
        for (int k = 0; k < 2; ++k) EXPECT_EQ(made(request), expected) << recipe.type << k;
    }
    for (const auto& op : operators().standinList) EXPECT_EQ(types.count(op->getName().toStdString()), 1u) << op->getName().toStdString() << " is not among them";
}

TEST(HoudiniVerbs, WhatTheOutputHeldIsGone) {
    for (const Recipe& recipe : recipes()) {
        standin::CookRequest request = requestOf(recipe);
        const std::string expected = made(request);
        request.leftover = true;
        EXPECT_EQ(made(request), expected) << recipe.type;
    }
}

// the last times that Escape is asked for are those between what is written
TEST(HoudiniVerbs, StoppedWhileTheyWriteTheyLeaveNothing) {
    for (const Recipe& recipe : recipes()) {
        const std::string type = recipe.type;
        if (type == "sunder::material::1.0" || (type == "sunder::pieces::1.0" && recipe.numbers[0].second == 3)) continue;  // writes in place; writes points and no more
        const standin::CookRequest request = requestOf(recipe);
        standin::interruptAfter(-1);
        const std::string expected = made(request);
        const long polls = standin::interruptPolls();
        for (long last = 1; last <= std::min(4L, polls); ++last) {
            standin::interruptAfter(polls - last);
            const standin::CookResult stopped = standin::cook(request);
            standin::interruptAfter(-1);
            EXPECT_TRUE(stopped.says("interrupted")) << type << last;
            EXPECT_EQ(bytesOf(readDetail(*stopped.geometry.gdp())), bytesOf(Geometry())) << type << last;
            EXPECT_EQ(made(request), expected) << type << last;
        }
    }
}

TEST(HoudiniVerbs, KeyedParametersAreThoseOfTheCooksTime) {
    standin::CookRequest request = requestOf({"sunder::material::1.0", {paintedBlock(1)}, {}});
    request.values.keys["density"] = [](fpreal time) { return 1000 + 100 * time; };
    request.values.keys["law"] = [](fpreal time) { return time > 1 ? 3.0 : 0.0; };
    request.values.keys["stiffness"] = [](fpreal time) { return 1 + time; };
    for (const double time : {0.0, 0.5, 1.5}) {
        request.time = time;
        const std::string keyed = made(request);
        Recipe still{"sunder::material::1.0", {paintedBlock(1)}, {{"density", 1000 + 100 * time}, {"law", time > 1 ? 3 : 0}, {"stiffness", 1 + time}}};
        EXPECT_EQ(keyed, madeByANode(still)) << time;
    }
}

namespace {
/// Verbs that remember what they were given, with something else.
std::vector<Recipe> others() {
    const auto& frames = brokenFrames().frames;
    return {{"sunder::surface::1.0", {skin(), frames[5]}, {}}, {"sunder::pieces::1.0", {frames[5], frames[7]}, {{"output", 3}}}};
}
/// Of packed primitives what is in them, too.
std::string madePacked(const standin::CookRequest& request) {
    const standin::CookResult result = standin::cook(request);
    std::string all = bytesOf(readDetail(*result.geometry.gdp()));
    for (const GA_Offset o : result.geometry.gdp()->getPrimitiveRange())
        if (const auto* packed = dynamic_cast<const GU_PrimPacked*>(result.geometry.gdp()->getGEOPrimitive(o))) all += bytesOf(readDetail(*packed->getPackedDetail().gdp()));
    return all;
}
}  // namespace

// a thread that waits in a cook may be given another one
TEST(HoudiniVerbs, CookWithinEachOther) {
    std::vector<standin::CookRequest> foreign;
    for (const Recipe& recipe : others()) foreign.push_back(requestOf(recipe));
    for (const Recipe& recipe : recipes()) {
        const standin::CookRequest request = requestOf(recipe);
        const std::string expected = madePacked(request);
        std::atomic<std::size_t> runs{0};
        standin::setForeignTask([&] {
            const std::size_t run = runs++;
            if (run < 8) standin::cook(foreign[run % foreign.size()]);
        });
        EXPECT_EQ(madePacked(request), expected) << recipe.type;
        standin::setForeignTask(nullptr);
        EXPECT_TRUE(runs > 0 || recipe.inputs.empty()) << recipe.type;
    }
}

TEST(HoudiniVerbs, CookSeveralAtOnce) {
    std::vector<Recipe> all = recipes();
    for (const Recipe& recipe : others()) all.push_back(recipe);
    std::vector<std::string> expected;
    std::vector<standin::CookRequest> requests;
    for (const Recipe& recipe : all) {
        expected.push_back(madeByANode(recipe));
        requests.push_back(requestOf(recipe));
    }
    constexpr std::size_t kOfEach = 4, kRounds = 3;  // with the same inputs, all of them at a time
    std::atomic<bool> go{false};
    std::vector<std::string> cooked(kOfEach * all.size() * kRounds);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < cooked.size(); k += kRounds)
        threads.emplace_back([&, k] {
            while (!go) std::this_thread::yield();
            for (std::size_t round = 0; round < kRounds; ++round) cooked[k + round] = made(requests[k / kRounds % all.size()]);
        });
    go = true;
    for (std::thread& t : threads) t.join();
    for (std::size_t k = 0; k < cooked.size(); ++k) EXPECT_EQ(cooked[k], expected[k / kRounds % all.size()]) << all[k / kRounds % all.size()].type;
}

namespace {
/// Three triangles at an edge, and two cubes that share one.
Geometry nonManifold(bool closed) {
    if (closed) {
        Geometry g = cubeSurface();
        const Geometry other = cubeSurface();
        const auto first = static_cast<std::int32_t>(g.pointCount());
        for (const Vec3& p : other.positions) g.positions.push_back(p + Vec3(1, 1, 0));
        for (std::size_t p = 0; p < other.primitiveCount(); ++p) {
            std::vector<std::int32_t> corners;
            for (const std::int32_t i : other.primitivePoints(p)) {
                std::int32_t at = first + i;
                for (std::int32_t k = 0; k < first; ++k)
                    if (g.positions[static_cast<std::size_t>(k)] == g.positions[static_cast<std::size_t>(at)]) at = k;
                corners.push_back(at);
            }
            g.addPrimitive(PrimitiveKind::kPolygon, corners);
        }
        return g;
    }
    Geometry g;
    g.positions = {Vec3(0, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(-1, 1, 0), Vec3(-1, -1, 0)};
    for (const std::int32_t far : {2, 3, 4}) g.addPrimitive(PrimitiveKind::kPolygon, std::vector<std::int32_t>{0, 1, far});
    return g;
}

struct Wrong {
    std::string name;
    std::function<void(Geometry&)> change;
};
/// Attributes of another class, type or size than they have anywhere, over every name that a node or core looks for.
std::vector<Wrong> wrongs() {
    std::vector<Wrong> all;
    for (const char* name : {"stiffness", "massdensity", "fracturethreshold", "friction", "active", "breaktime", "force", "orient", "v", "N", "uv", "id", "parent", "parentweight", "restP", "mass", "name",
                             "insidefaces", "guide", "strength"}) {
        const std::string n = name;
        all.push_back({"text of points " + n, [n](Geometry& g) { g.points.add<std::string>(n, g.pointCount()); }});
        all.push_back({"number of points " + n, [n](Geometry& g) { g.points.add<float>(n, g.pointCount()); }});
        all.push_back({"vector of points " + n, [n](Geometry& g) { g.points.add<double>(n, g.pointCount(), 3); }});
        all.push_back({"text of primitives " + n, [n](Geometry& g) { g.primitives.add<std::string>(n, g.primitiveCount()); }});
        all.push_back({"number of primitives " + n, [n](Geometry& g) { g.primitives.add<std::int32_t>(n, g.primitiveCount()); }});
        all.push_back({"number of all " + n, [n](Geometry& g) { g.detail.add<float>(n, 1); }});
    }
    all.push_back({"sundermaterial is a number", [](Geometry& g) { g.detail.add<float>("sundermaterial", 1); }});
    all.push_back({"sundermaterial of points", [](Geometry& g) { g.points.add<std::string>("sundermaterial", g.pointCount()); }});
    return all;
}

/// A cook goes well, or is an error that says what to do and leaves nothing behind.
bool cooksOrExplains(const Recipe& recipe, const std::string& what) {
    const standin::CookResult result = standin::cook(requestOf(recipe));
    bool failed = false;
    for (const standin::Message& m : result.messages) {
        if (m.severity < UT_ERROR_ABORT) continue;
        failed = true;
        EXPECT_NE(m.text.find(". "), std::string::npos) << recipe.type << ", " << what << ": no remedy: " << m.text;
        EXPECT_EQ(m.text.find("unexpected trouble"), std::string::npos) << recipe.type << ", " << what << ": " << m.text;
    }
    if (!failed) readDetail(*result.geometry.gdp()).validate();
    return !failed;
}
}  // namespace

TEST(HoudiniVerbs, AttributesOfAWrongClassAreErrorsOrNoMatter) {
    int errors = 0;
    for (const Recipe& recipe : recipes()) {
        const double output = recipe.numbers.empty() ? 0 : recipe.numbers[0].second;
        if (std::string(recipe.type) == "sunder::pieces::1.0" && output < 2) continue;  // does nothing that packed pieces do not
        for (std::size_t i = 0; i < recipe.inputs.size(); ++i)
            for (const Wrong& wrong : wrongs()) {
                Recipe changed = recipe;
                wrong.change(changed.inputs[i]);
                errors += cooksOrExplains(changed, wrong.name + " in input " + std::to_string(i + 1)) ? 0 : 1;
            }
    }
    EXPECT_GT(errors, 50);
}

TEST(HoudiniVerbs, SurfacesThatAreNoBoundaryOfASolidAreErrorsOrWarnings) {
    for (const bool closed : {false, true})
        for (const int method : {0, 1, 2}) {
            Recipe fill{"sunder::tetrahedralize::1.0", {nonManifold(closed)}, {{"method", method}, {"cellSize", 0.25}}};
            cooksOrExplains(fill, "non-manifold");
            const standin::CookResult result = standin::cook(requestOf(fill));
            EXPECT_FALSE(result.messages.empty()) << closed << method << " nothing is said";
            EXPECT_TRUE(result.says("edge") || result.says("etGen") || (!closed && result.says("close the surface"))) << closed << method << result.messages[0].text;
        }
    for (const Recipe& recipe : recipes())
        for (std::size_t i = 0; i < recipe.inputs.size(); ++i)
            for (const bool closed : {false, true}) {
                Recipe changed = recipe;
                changed.inputs[i] = nonManifold(closed);
                cooksOrExplains(changed, "non-manifold");
            }
}

}  // namespace sunder::test
