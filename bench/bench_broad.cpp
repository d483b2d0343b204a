#include <cstdlib>
#include <functional>
#include <iostream>

#ifdef SUNDER_BENCH_CGAL
#include "bench/cgal_peer.h"
#endif
#ifdef SUNDER_BENCH_FCL
#include "bench/fcl_peer.h"
#endif
#include "bench/contact_scene.h"
#include "bench/figure.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/base/timer.h"
#include "core/contact/broad_phase.h"
#include "core/contact/tree_traversal.h"
#include "core/spatial/triangle.h"

/// Broad phase of contact: pairs of boxes against CGAL, refit and pairs of triangles against FCL, cached
/// against fresh.
namespace sunder::bench {

namespace {
int rounds = 5;

struct Size {
    const char* name;
    int whole, half;  ///< cells along a cube's edge for a sphere of so many triangles, and of half as many
    bool hasTarget;
};
constexpr Size kSizes[] = {{"20k", 41, 29, false}, {"82k", 83, 58, false}, {"100k", 91, 65, true}};

/// One who does a job: seconds a round, and what came out.
struct Runner {
    std::string name;
    int threads;
    std::function<std::size_t()> run;
    std::vector<double> seconds = {};
    std::size_t result = 0;
};

void runRounds(std::vector<Runner>& runners) {
    for (int r = 0; r < rounds; ++r)
        for (Runner& runner : runners) {
            setThreadCount(runner.threads);
            Timer timer;
            runner.result = runner.run();
            runner.seconds.push_back(timer.seconds());
        }
    setThreadCount(2);
}

/// Ours with two threads first, ours with one thread second, then the peers, of which the fastest counts.
void printFigure(const std::string& name, const std::vector<Runner>& runners, double share,
                 std::vector<std::pair<std::string, double>> checks = {}) {
    Figure figure;
    figure.name = name;
    figure.unit = "ms";
    figure.rounds = rounds;
    figure.value = 1e3 * median(runners[0].seconds);
    figure.hasTarget = false;
    figure.checks = std::move(checks);
    figure.checks.push_back({"result", static_cast<double>(runners[0].result)});
    figure.checks.push_back({"one_thread_ms", 1e3 * median(runners[1].seconds)});
    for (std::size_t k = 2; k < runners.size(); ++k) {
        const double ms = 1e3 * median(runners[k].seconds);
        figure.checks.push_back({runners[k].name + "_ms", ms});
        figure.checks.push_back({runners[k].name + "_result", static_cast<double>(runners[k].result)});
        if (!figure.peer.empty() && ms >= figure.peerValue) continue;
        figure.peer = runners[k].name;
        figure.peerValue = ms;
        figure.target = share * ms;
        figure.hasTarget = share > 0;
    }
    figure.print();
}

/// All overlapping pairs of boxes, neighbours too, from nothing but the boxes.
void boxPairsFigure(const Size& size) {
    TriMesh other = makeCubeSphere(size.half, 1.0, 2);
    moveMesh(other, Vec3(0.9, 0.3, 0.2));
    const TriMesh mesh = joinMeshes(makeCubeSphere(size.half, 1.0, 1), other);
    std::vector<Aabb> boxes;
    computeBoxes(mesh, boxes);
    const auto ours = [&] {
        ContactTree tree;
        tree.build(boxes);
        std::vector<ElementPair> pairs;
        collectTreePairs(
            TreePair(tree, tree), [&](std::int32_t i, std::int32_t j) { return boxes[i].overlaps(boxes[j]); },
            pairs);
        sortPairs(pairs, boxes.size());
        return pairs.size();
    };
    std::vector<Runner> runners{{"", 2, ours}, {"", 1, ours}};
#ifdef SUNDER_BENCH_CGAL
    runners.push_back({"cgal", 1, [&] { return cgalSelfPairs(boxes, false); }});
    runners.push_back({"cgal_parallel", 2, [&] { return cgalSelfPairs(boxes, true); }});
#endif
    runRounds(runners);
    printFigure(std::string("box_pairs_") + size.name, runners, size.hasTarget ? 0.5 : 0);
}

/// Two copies of a sphere whose surfaces cross, moved a little in every round.
struct TwoCopies {
    TriMesh rest[2], mesh[2];
    std::vector<Aabb> boxes[2];
    ContactTree tree[2];
    std::vector<ElementPair> pairs;

    explicit TwoCopies(const Size& size) {
        for (int k = 0; k < 2; ++k) {
            rest[k] = makeCubeSphere(size.whole, 1.0, 1);
            moveMesh(rest[k], k * Vec3(0.9, 0.3, 0.2));
            mesh[k] = rest[k];
            refitBoxes(k);
            tree[k].build(boxes[k]);
        }
    }
    void move(int round) {
        for (int k = 0; k < 2; ++k)
            for (std::size_t v = 0; v < rest[k].positions.size(); ++v)
                mesh[k].positions[v] = (1 + 0.001 * round * (k + 1)) * rest[k].positions[v];
    }
    void refitBoxes(int k) { computeBoxes(mesh[k], boxes[k]); }
    std::size_t refit(int k) {
        refitBoxes(k);
        tree[k].refit(boxes[k]);
        return tree[k].size();
    }
    std::size_t collide() {
        const auto corners = [&](int k, std::int32_t t) {
            const Tri& v = mesh[k].triangles[t];
            const std::vector<Vec3>& x = mesh[k].positions;
            return std::array<Vec3, 3>{x[v[0]], x[v[1]], x[v[2]]};
        };
        collectTreePairs(
            TreePair(tree[0], tree[1]),
            [&](std::int32_t i, std::int32_t j) { return trianglesMeet(corners(0, i), corners(1, j)); },
            pairs);
        sortPairs(pairs, boxes[0].size());
        return pairs.size();
    }
    /// Of the first copy's triangles, those that meet the second copy, percent.
    double meetingShare() const {
        double count = 0;
        for (std::size_t k = 0; k < pairs.size(); ++k) count += k == 0 || pairs[k].i != pairs[k - 1].i;
        return 100 * count / static_cast<double>(boxes[0].size());
    }
};

#ifdef SUNDER_BENCH_FCL
std::vector<double> plainPositions(const TriMesh& mesh) {
    std::vector<double> plain;
    for (const Vec3& p : mesh.positions) plain.insert(plain.end(), p.data(), p.data() + 3);
    return plain;
}
PlainMesh plainMesh(const TriMesh& mesh) {
    PlainMesh plain{plainPositions(mesh), {}};
    for (const Tri& t : mesh.triangles) plain.triangles.insert(plain.triangles.end(), t.begin(), t.end());
    return plain;
}
#endif

/// Refit of one copy; then refit of both and all intersecting pairs of triangles between them. Both from new
/// positions.
void trianglePairsFigures(const Size& size) {
    TwoCopies copies(size);
    std::vector<Runner> refits{{"", 2, [&] { return copies.refit(0); }},
                               {"", 1, [&] { return copies.refit(0); }}};
    const auto ours = [&] {
        copies.refit(0);
        copies.refit(1);
        return copies.collide();
    };
    std::vector<Runner> collides{{"", 2, ours}, {"", 1, ours}};
#ifdef SUNDER_BENCH_FCL
    const PlainMesh a = plainMesh(copies.mesh[0]), b = plainMesh(copies.mesh[1]);
    std::vector<double> positions[2];
    FclPair exact(a, b, false), single(a, b, true);
    for (FclPair* fcl : {&exact, &single}) {
        const std::string name = fcl == &exact ? "fcl" : "fcl_float";
        const std::size_t count = copies.mesh[0].triangles.size();
        refits.push_back({name, 1, [&, fcl, count] {
                              fcl->refit(0, positions[0]);
                              return count;
                          }});
        collides.push_back({name, 1, [&, fcl] {
                                fcl->refit(0, positions[0]);
                                fcl->refit(1, positions[1]);
                                return fcl->collide();
                            }});
    }
#endif
    const int all = rounds;
    rounds = 1;
    for (int r = 0; r < all; ++r) {
        copies.move(r);
#ifdef SUNDER_BENCH_FCL
        for (int k = 0; k < 2; ++k) positions[k] = plainPositions(copies.mesh[k]);
#endif
        runRounds(refits);
        runRounds(collides);
    }
    rounds = all;
    printFigure(std::string("refit_") + size.name, refits, size.hasTarget ? 0.5 : 0);
    printFigure(std::string("triangle_pairs_") + size.name, collides, size.hasTarget ? 0.5 : 0,
                {{"meeting_percent", copies.meetingShare()}});
}

/// Two bodies with self contact: an update while boxes hold against one in which all boxes are new.
void cachedFigure(const Size& size) {
    TwoCopies copies(size);
    BroadPhase broad;
    const auto elements = elementsOf(copies.mesh[0]);
    std::vector<BodyMotion> motion(2);
    for (int k = 0; k < 2; ++k) {
        broad.addBody({}, elements);
        motion[k].start = copies.mesh[k].positions;
    }
    PairList tight;
    std::vector<double> fresh, cached, filter;
    for (int r = 0; r < rounds; ++r) {
        // Farther than the padding, so that every box is left.
        for (TriMesh& mesh : copies.mesh) moveMesh(mesh, Vec3::Constant(r % 2 ? -0.1 : 0.1));
        Timer freshTimer;
        broad.update(motion);
        fresh.push_back(freshTimer.seconds());
        if (broad.work().staleVertices != copies.mesh[0].positions.size() * 2)
            std::cerr << "not all boxes were left\n";
        for (TriMesh& mesh : copies.mesh) moveMesh(mesh, Vec3::Constant(1e-4));
        Timer cachedTimer;
        broad.update(motion);
        cached.push_back(cachedTimer.seconds());
        if (broad.work().staleVertices != 0) std::cerr << "boxes did not hold\n";
        Timer filterTimer;
        broad.tightPairs(motion, tight);
        filter.push_back(filterTimer.seconds());
    }
    Figure figure;
    figure.name = std::string("cached_update_") + size.name;
    figure.unit = "ms";
    figure.value = 1e3 * median(cached);
    figure.peer = "fresh_update";
    figure.peerValue = 1e3 * median(fresh);
    figure.target = figure.peerValue / 5;
    figure.rounds = rounds;
    figure.checks = {{"candidates", static_cast<double>(broad.candidates().pairs.size())},
                     {"tight_pairs", static_cast<double>(tight.pairs.size())},
                     {"tight_ms", 1e3 * median(filter)}};
    figure.print();
}

/// 1,000 shards in a heap: all of them moving a little, and a hundred of them leaving their boxes.
void shardsFigure() {
    const TriMesh shard = makeCubeSphere(3, 0.6, 1);
    std::vector<TriMesh> shards(1000, shard);
    BroadPhase broad;
    std::vector<BodyMotion> motion(shards.size());
    for (std::size_t b = 0; b < shards.size(); ++b) {
        moveMesh(shards[b], Vec3(b % 10, b / 10 % 10, b / 100) +
                                0.1 * Vec3(randomUnit(1, b), randomUnit(2, b), randomUnit(3, b)));
        ContactBody body;
        body.self = SelfContact::kNone;
        broad.addBody(body, elementsOf(shards[b]));
        motion[b].start = shards[b].positions;
    }
    broad.update(motion);
    std::vector<double> quiet, moving, sleeping;
    for (int r = 0; r < 4 * rounds; ++r) {
        for (std::size_t b = 0; b < 100; ++b) moveMesh(shards[10 * b], Vec3::Constant(r % 2 ? 0.1 : -0.1));
        Timer movingTimer;
        broad.update(motion);
        moving.push_back(movingTimer.seconds());
        Timer quietTimer;
        broad.update(motion);
        quiet.push_back(quietTimer.seconds());
        for (BodyMotion& m : motion) m.still = true;
        Timer sleepingTimer;
        broad.update(motion);
        sleeping.push_back(sleepingTimer.seconds());
        for (BodyMotion& m : motion) m.still = false;
    }
    Figure figure;
    figure.name = "shards_1000_hundred_moving";
    figure.unit = "ms";
    figure.value = 1e3 * median(moving);
    figure.hasTarget = false;
    figure.rounds = 4 * rounds;
    figure.checks = {{"none_leaves_ms", 1e3 * median(quiet)},
                     {"all_still_ms", 1e3 * median(sleeping)},
                     {"elements", static_cast<double>(shards.size() * shard.triangles.size())},
                     {"body_pairs", static_cast<double>(broad.candidates().ranges.size())},
                     {"candidates", static_cast<double>(broad.candidates().pairs.size())}};
    figure.print();
}
}  // namespace

}  // namespace sunder::bench

int main(int argc, char** argv) {
    using namespace sunder::bench;
    if (argc > 1) rounds = std::atoi(argv[1]);
    sunder::setThreadCount(2);
    for (const Size& size : kSizes) {
        boxPairsFigure(size);
        trianglePairsFigures(size);
        cachedFigure(size);
    }
    shardsFigure();
    return 0;
}
