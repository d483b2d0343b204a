#pragma once

#include <unordered_map>

#include "core/body/body.h"
#include "core/fracture/cut.h"
#include "core/fracture/separation.h"

namespace sunder {

/// How a body may break in one go.
struct BreakOptions {
    double snapAngle = 0.1;        ///< see CutOptions
    double snapShare = 0.1;
    double altitudeShare = 1;      ///< of Body::smallestAltitude, which is for the sake of explicit steps; less lets cracks keep to their planes better
    int mostCuts = 10000;          ///< what is left breaks later
    std::size_t mostTets = 2000000;  ///< a body that has more breaks no further
    std::size_t memoryTets = static_cast<std::size_t>(-1);  ///< the same, for the sake of memory
    int mostRings = 1 << 30;  ///< of nodes, each at the tips of the last, that a crack goes through; 2 where the shape is found anew afterwards
    double smallestPiece = 0;      ///< m^3, see CutOptions
    BreakScope scope;
};

/// A node that is to break.
struct NodeFailure {
    std::int32_t node;
    double ratio;  ///< see Separation
};

/// What broke.
struct BreakTotals {
    int cuts = 0;        ///< that opened something
    int grazing = 0;     ///< that were left because they would have run along a surface
    int tooSmall = 0;    ///< that were left because they would have left a piece that is too small
    int heldByParts = 0; ///< that were left because they would have opened parts along what pulls
    int alongFaces = 0;  ///< that went along faces because cut tets would have been poor
    int snapped = 0;     ///< edges that were not cut because that would have left poor tets: the crack goes through one of their ends
    int skipped = 0;     ///< nodes that were to break, but of which no plane was left to open
    int left = 0;        ///< nodes that would break but for mostCuts
    double addedMass = 0;   ///< kg, of tets that would have made explicit steps too short
    bool massIsFull = false;  ///< and of which more would have been needed
    double area = 0;     ///< of new cracks at rest, m^2
    double energy = 0;   ///< that the cracks of materials with a fracture energy take, J
    bool tooManyTets = false, tooMuchMemory = false;

    BreakTotals& operator+=(const BreakTotals& b);
};

/// Breaks nodes of one body at the present shape (O'Brien 2000, ch. 4). Of neighbours that are all to break only the worst does, since it relieves
/// the others (findFailures). Its crack then runs on within the same call, as far as what it had in excess of toughness drives it: a share of
/// that, times one over the number of nodes at the new crack tip, is added to the separation of each of these. That shape has not seen the crack, so
/// nodes that it would shield break beside it: at ratios far above 1 a crack frays that runs far.
/// Changes mesh, insideFaces, what appendTets does, x and the plastic states alone, and notes that in `edit`; applyEdit does the rest.
class Breaker {
  public:
    Breaker(Body& body, BodyState& state, TetStars& stars, TopologyEdit& edit, const BreakOptions& options);

    BreakTotals run(const std::vector<NodeFailure>& failures);

  private:
    void breakFrom(std::int32_t node);
    bool breakOnce(std::int32_t node, std::vector<std::int32_t>& next);
    bool full();

    Body& body_;
    BodyState& state_;
    TetStars& stars_;
    TopologyEdit& edit_;
    BreakOptions options_;
    BreakTotals totals_;
    std::unordered_map<std::int32_t, Mat3> residual_;  ///< of nodes at crack tips, N
    std::unordered_map<std::int32_t, int> planes_;     ///< how often each node has broken
};

/// Nodes around tets that pull hard enough for one of them to break, and those that are to break by `time` whatever the stress, ascending. `tension`: a bound of the largest principal stress of every tet.
std::vector<std::int32_t> findCandidates(const Body& body, Span<const double> tension, double time = -1e300);
/// Those of the candidates that are to break and pull harder than all their neighbours, hardest first. `damage` of every vertex, or empty: rises to the candidates' ratios.
std::vector<NodeFailure> findFailures(const Body& body, const BodyState& state, const TetStars& stars, Span<const std::int32_t> candidates,
                                      const BreakScope& scope = {}, Span<float> damage = {});
/// The same with a close look at every candidate, where findFailures leaves out those that SeparationBound dismisses.
std::vector<NodeFailure> findFailuresAmong(const Body& body, const BodyState& state, const TetStars& stars, Span<const std::int32_t> candidates,
                                           const BreakScope& scope = {}, Span<float> damage = {});
/// Of these, without those that an earlier break may have relieved in time: while the load of a step grows, a node breaks at 1/ratio of it, and what
/// that changes goes out from there. `reach`: how far waves go in the step, m.
std::vector<NodeFailure> keepEarliest(const std::vector<NodeFailure>& failures, Span<const Vec3> x, double reach);

}  // namespace sunder
