#include "core/fracture/breaker.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/fracture/crack_debt.h"
#include "core/fracture/separation.h"
#include "core/fracture/separation_bound.h"

namespace sunder {

namespace {
constexpr int kMostPlanes = 3;          // through one node in one go
constexpr double kCandidateShare = 0.2;  // of a tet's strength; a node's area is never so small beside its tets' that less could break it
}  // namespace

BreakTotals& BreakTotals::operator+=(const BreakTotals& b) {
    cuts += b.cuts;
    grazing += b.grazing;
    tooSmall += b.tooSmall;
    heldByParts += b.heldByParts;
    alongFaces += b.alongFaces;
    snapped += b.snapped;
    skipped += b.skipped;
    left += b.left;
    area += b.area;
    energy += b.energy;
    tooManyTets |= b.tooManyTets;
    tooMuchMemory |= b.tooMuchMemory;
    addedMass += b.addedMass;
    massIsFull |= b.massIsFull;
    return *this;
}

Breaker::Breaker(Body& body, BodyState& state, TetStars& stars, TopologyEdit& edit, const BreakOptions& options)
    : body_(body), state_(state), stars_(stars), edit_(edit), options_(options) {}

bool Breaker::full() {
    totals_.tooManyTets |= body_.mesh.tetCount() >= options_.mostTets;
    totals_.tooMuchMemory |= body_.mesh.tetCount() >= options_.memoryTets;
    return totals_.tooManyTets || totals_.tooMuchMemory || totals_.cuts >= options_.mostCuts;
}

/// Breaks a node along one plane if it is to break. The nodes to look at after that go to `next`.
bool Breaker::breakOnce(std::int32_t node, std::vector<std::int32_t>& next) {
    const SeparationFinder finder(body_, state_.x, state_.plastic, stars_, options_.scope);
    const auto waiting = residual_.find(node);
    const Separation s = finder.at(node, waiting == residual_.end() ? Mat3(Mat3::Zero()) : waiting->second);
    if (!(s.ratio > 1) || planes_[node] >= kMostPlanes) return false;
    const Fracture& fracture = body_.materials[static_cast<std::size_t>(body_.tetMaterial[static_cast<std::size_t>(stars_.around(node)[0])])].fracture;
    CutOptions options;
    options.snapAngle = options_.snapAngle;
    options.snapShare = options_.snapShare;
    options.smallestAltitude = options_.altitudeShare * body_.smallestAltitude;
    options.backCrackAngle = fracture.backCrackAngle;
    options.part = body_.lead.part;
    options.smallestPiece = options_.smallestPiece;
    MeshEditor editor{body_.mesh, state_.x, body_.insideFaces, stars_, edit_};
    const std::size_t tets = body_.mesh.tetCount(), pairs = edit_.opened.size();
    const CutResult cut = cutAt(editor, node, s.normal, options);
    body_.appendTets(edit_, tets);
    for (std::size_t t = tets; !state_.plastic.empty() && t < body_.mesh.tetCount(); ++t)
        state_.plastic.push_back(PlasticState(state_.plastic[static_cast<std::size_t>(edit_.newTets[t - edit_.tetCount])]));
    totals_.grazing += cut.grazing;
    totals_.snapped += cut.snappedForQuality;
    totals_.skipped += !cut.opened && !cut.grazing ? 1 : 0;
    totals_.tooSmall += cut.tooSmall;
    totals_.heldByParts += cut.heldByParts;
    planes_[node] += 1;
    residual_.erase(node);
    if (!cut.opened) return false;
    ++totals_.cuts;
    totals_.alongFaces += cut.alongFaces;
    totals_.area += cut.area;
    for (std::size_t k = pairs; k < edit_.opened.size(); ++k) totals_.energy += edit_.opened[k].area * fractureEnergyOf(body_, static_cast<std::size_t>(edit_.opened[k].tet));
    for (const std::int32_t tip : cut.tips) {
        if (fracture.residual > 0) {
            const auto place = residual_.emplace(tip, Mat3::Zero()).first;
            place->second += fracture.residual / static_cast<double>(cut.tips.size()) * s.excess * s.normal * s.normal.transpose();
        }
        next.push_back(tip);
    }
    for (const std::int32_t copy : cut.copies) {
        planes_[copy] = planes_[node];
        next.push_back(copy);
    }
    next.push_back(node);
    return true;
}

void Breaker::breakFrom(std::int32_t node) {
    std::vector<std::int32_t> ring{node};
    for (int k = 0; k < options_.mostRings && !ring.empty(); ++k) {
        std::vector<std::int32_t> next;
        for (const std::int32_t n : ring) {
            if (full())
                ++totals_.left;
            else
                breakOnce(n, next);
        }
        ring.swap(next);
    }
}

BreakTotals Breaker::run(const std::vector<NodeFailure>& failures) {
    for (const NodeFailure& failure : failures) {
        if (full())
            ++totals_.left;
        else
            breakFrom(failure.node);
    }
    return totals_;
}

std::vector<std::int32_t> findCandidates(const Body& body, Span<const double> tension, double time) {
    std::vector<std::uint8_t> pulled(body.mesh.vertexCount(), 0);
    for (std::size_t t = 0; t < tension.size(); ++t)
        if (tension[t] > kCandidateShare * body.tetStrength[t])
            for (const std::int32_t v : body.mesh.tets[t]) pulled[static_cast<std::size_t>(v)] = 1;
    std::vector<std::int32_t> nodes;
    for (std::size_t v = 0; v < pulled.size(); ++v)
        if (pulled[v] || body.lead.isDue(v, time)) nodes.push_back(static_cast<std::int32_t>(v));
    return nodes;
}

namespace {
/// Those whose ratio may be above 1, or above their damage so far, which it would then raise.
std::vector<std::int32_t> keepPromising(const Body& body, const BodyState& state, const TetStars& stars, Span<const std::int32_t> candidates, const BreakScope& scope,
                                        Span<const float> damage) {
    const SeparationBound bound(body, state.x, state.plastic, stars, candidates);
    std::vector<std::uint8_t> promises(candidates.size());
    parallelFor(candidates.size(), 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto v = static_cast<std::size_t>(candidates[k]);
            const double seen = damage.empty() ? 1.0 : static_cast<double>(damage[v]);
            promises[k] = body.lead.isDue(v, scope.time) || !(bound.ratioOf(candidates[k], seen) <= seen);
        }
    });
    std::vector<std::int32_t> kept;
    for (std::size_t k = 0; k < candidates.size(); ++k)
        if (promises[k]) kept.push_back(candidates[k]);
    return kept;
}
}  // namespace

std::vector<NodeFailure> findFailures(const Body& body, const BodyState& state, const TetStars& stars, Span<const std::int32_t> candidates,
                                      const BreakScope& scope, Span<float> damage) {
    if (!SeparationBound::knows(body)) return findFailuresAmong(body, state, stars, candidates, scope, damage);
    return findFailuresAmong(body, state, stars, keepPromising(body, state, stars, candidates, scope, damage), scope, damage);
}

std::vector<NodeFailure> findFailuresAmong(const Body& body, const BodyState& state, const TetStars& stars, Span<const std::int32_t> candidates,
                                           const BreakScope& scope, Span<float> damage) {
    SeparationFinder finder(body, state.x, state.plastic, stars, scope);
    finder.prepare(candidates);
    std::vector<double> ratio(candidates.size());
    parallelFor(candidates.size(), 16, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) ratio[k] = finder.at(candidates[k], Mat3::Zero()).ratio;
    });
    for (std::size_t k = 0; k < ratio.size() && !damage.empty(); ++k) {
        float& worst = damage[static_cast<std::size_t>(candidates[k])];
        worst = std::max(worst, static_cast<float>(std::min(1.0, ratio[k])));
    }
    std::unordered_map<std::int32_t, double> failing;
    for (std::size_t k = 0; k < ratio.size(); ++k)
        if (ratio[k] > 1) failing[candidates[k]] = ratio[k];
    std::vector<NodeFailure> worst;
    for (std::size_t k = 0; k < ratio.size(); ++k) {
        if (!(ratio[k] > 1)) continue;
        const std::int32_t node = candidates[k];
        bool isWorst = true;
        for (const std::int32_t t : stars.around(node))
            for (const std::int32_t other : body.mesh.tets[static_cast<std::size_t>(t)]) {
                const auto found = failing.find(other);
                if (found != failing.end() && other != node && std::pair(found->second, other) > std::pair(ratio[k], node)) isWorst = false;
            }
        if (isWorst) worst.push_back({node, ratio[k]});
    }
    std::sort(worst.begin(), worst.end(), [](const NodeFailure& a, const NodeFailure& b) { return std::pair(a.ratio, a.node) > std::pair(b.ratio, b.node); });
    return worst;
}

std::vector<NodeFailure> keepEarliest(const std::vector<NodeFailure>& failures, Span<const Vec3> x, double reach) {
    std::vector<NodeFailure> first;
    for (const NodeFailure& late : failures) {
        const auto relieves = [&](const NodeFailure& early) {
            const double way = reach * (1 / late.ratio - 1 / early.ratio);
            return (x[static_cast<std::size_t>(late.node)] - x[static_cast<std::size_t>(early.node)]).squaredNorm() < way * way;
        };
        if (std::none_of(first.begin(), first.end(), relieves)) first.push_back(late);
    }
    return first;
}

}  // namespace sunder
