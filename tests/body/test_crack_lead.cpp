#include "core/body/crack_lead.h"

#include "core/base/error.h"
#include "core/body/apply_edit.h"
#include "core/fracture/cut.h"
#include "tests/fracture/mesh_checks.h"
#include "tests/support/builders.h"

namespace sunder {
namespace {
using namespace testing;

Body breakableBox() {
    Body body;
    body.name = "test";
    body.mesh = makeBox(3, 3, 3, Vec3(1, 1, 1));
    jitter(body.mesh, 0.2, 5);
    Material m;
    m.fracture.enabled = true;
    body.materials = {m};
    return body;
}

Vec3 centreOf(const TetMesh& mesh, std::size_t t) {
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t v : mesh.tets[t]) sum += 0.25 * mesh.rest[static_cast<std::size_t>(v)];
    return sum;
}

/// All that can lead cracks at once.
Body ledBox() {
    Body body = breakableBox();
    WeakSurface guide;
    guide.name = "guide";
    guide.shape = VoronoiPattern{0.6, 1};
    guide.width = 0.05;
    body.weakSurfaces = {guide};
    auto& part = body.attributes.tets.add<std::int32_t>("fracturepart", body.mesh.tetCount());
    for (std::size_t t = 0; t < part.size(); ++t) part[t] = centreOf(body.mesh, t).x() < 0.3 ? 7 : -1;
    auto& active = body.attributes.vertices.add<float>("active", body.mesh.vertexCount());
    for (std::size_t v = 0; v < active.size(); ++v) active[v] = body.mesh.rest[v].y() > 0.9 ? 0.0f : 1.0f;
    auto& tetActive = body.attributes.tets.add<std::int32_t>("active", body.mesh.tetCount());
    for (std::size_t t = 0; t < tetActive.size(); ++t) tetActive[t] = centreOf(body.mesh, t).z() > 0.9 ? 0 : 1;
    auto& time = body.attributes.tets.add<float>("breaktime", body.mesh.tetCount());
    for (std::size_t t = 0; t < time.size(); ++t) time[t] = centreOf(body.mesh, t).x() > 0.7 ? 2.0f : 0.0f;
    return body;
}

TEST(CrackLead, ReadsWhatIsPainted) {
    const auto body = buildBody(ledBox());
    const TetStars stars(body->mesh.tets, body->mesh.vertexCount());
    int held = 0, due = 0;
    for (std::size_t v = 0; v < body->mesh.vertexCount(); ++v) {
        const auto& around = stars.around(static_cast<std::int32_t>(v));
        bool inPart = true, tetHolds = false, late = false;
        for (const std::int32_t t : around) {
            const Vec3 c = centreOf(body->mesh, static_cast<std::size_t>(t));
            inPart &= c.x() < 0.3;
            tetHolds |= c.z() > 0.9;
            late |= c.x() > 0.7;
        }
        const bool may = !(body->mesh.rest[v].y() > 0.9) && !inPart && !tetHolds;
        EXPECT_EQ(body->lead.mayBreak(v, around), may) << v;
        EXPECT_FALSE(body->lead.isDue(v, 1.9));
        EXPECT_EQ(body->lead.isDue(v, 2.1), late) << v;
        held += !may;
        due += late;
    }
    EXPECT_GT(held, 5);
    EXPECT_GT(due, 5);
    EXPECT_EQ(body->attributes.tets.find("breaktime"), nullptr) << "it has moved to the corners";
    EXPECT_NE(body->attributes.vertices.find("breaktime"), nullptr);
}

/// What cracks leave is what a body built from the edited mesh would have, to the bit: a resume goes on with the same lead.
TEST(CrackLead, FollowsEditsAsIfBuiltAnew) {
    Body body = *buildBody(ledBox());
    BodyState state = makeBodyState(body);
    TetStars stars(body.mesh.tets, body.mesh.vertexCount());
    for (int round = 0; round < 3; ++round) {
        TopologyEdit edit(body.mesh);
        for (std::uint64_t k = 0; k < 8; ++k) {
            const std::size_t tets = body.mesh.tetCount();
            MeshEditor editor{body.mesh, state.x, body.insideFaces, stars, edit};
            const std::uint64_t key = 100 * static_cast<std::uint64_t>(round) + k;
            cutAt(editor, static_cast<std::int32_t>(randomBits(3, key) % body.mesh.vertexCount()), randomDirection(1, key, 1), {});
            body.appendTets(edit, tets);
        }
        ASSERT_FALSE(edit.newTets.empty());
        applyEdit(edit, stars, body);
    }
    const auto anew = buildBody(Body(body));
    ASSERT_EQ(body.lead.weak.size(), body.mesh.vertexCount());
    ASSERT_EQ(anew->lead.weak.size(), body.mesh.vertexCount());
    for (std::size_t v = 0; v < body.mesh.vertexCount(); ++v) {
        EXPECT_EQ(body.lead.weak[v].scale, anew->lead.weak[v].scale);
        EXPECT_EQ(body.lead.weak[v].lead, anew->lead.weak[v].lead);
    }
    EXPECT_EQ(body.lead.part, anew->lead.part);
    EXPECT_EQ(body.lead.breakTime, anew->lead.breakTime);
    EXPECT_EQ(body.lead.split, anew->lead.split);
    EXPECT_EQ(body.lead.inactive, anew->lead.inactive);
    EXPECT_EQ(body.lead.inactiveTet, anew->lead.inactiveTet);
    EXPECT_EQ(body.tetStrength, anew->tetStrength);
    EXPECT_NE(std::count(body.lead.split.begin(), body.lead.split.end(), 1), 0);
}

TEST(CrackLead, WeakSurfacesLowerTheStrengthThatCandidatesGoBy) {
    Body weak = breakableBox();
    WeakSurface guide;
    guide.shape = PlaneGuide{Vec3(0.5, 0.5, 0.5), Vec3::UnitX()};
    guide.strength = 0.1;
    weak.weakSurfaces = {guide};
    const auto body = buildBody(std::move(weak)), plain = buildBody(breakableBox());
    int weaker = 0;
    for (std::size_t t = 0; t < body->mesh.tetCount(); ++t) {
        EXPECT_TRUE(body->tetStrength[t] == plain->tetStrength[t] || body->tetStrength[t] == 0.1 * plain->tetStrength[t]);
        weaker += body->tetStrength[t] < plain->tetStrength[t];
    }
    EXPECT_GT(weaker, 10);
    EXPECT_LT(weaker, static_cast<int>(body->mesh.tetCount()));
}

TEST(CrackLead, RefusesAttributesThatMakeNoSense) {
    const auto refuse = [](const Body& body, const char* part) {
        try {
            buildBody(Body(body));
            ADD_FAILURE() << "accepted: " << part;
        } catch (const Error& e) {
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
            EXPECT_FALSE(e.remedy().empty());
        }
    };
    Body onPoints = breakableBox(), onAll = breakableBox(), asFloat = breakableBox(), asText = breakableBox(), zero = breakableBox();
    onPoints.attributes.vertices.add<std::int32_t>("fracturepart", onPoints.mesh.vertexCount());
    onAll.attributes.detail.add<std::int32_t>("fracturepart", 1);
    asFloat.attributes.tets.add<float>("fracturepart", asFloat.mesh.tetCount());
    asText.attributes.tets.add<std::string>("fracturepart", asText.mesh.tetCount());
    zero.attributes.tets.add<float>("fracturethreshold", zero.mesh.tetCount());
    refuse(onPoints, "on points");
    refuse(onAll, "whole body");
    refuse(asFloat, "float");
    refuse(asText, "not one number");
    refuse(zero, "no toughness");
}

}  // namespace
}  // namespace sunder
