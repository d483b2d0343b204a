#pragma once

#include <memory>

#include "core/body/weak_field.h"
#include "core/mesh/topology_edit.h"

namespace sunder {

struct Body;

/// What leads the cracks of a body beside its stress, vertex by vertex and tet by tet. Every array is empty where nothing leads.
/// What a crack adds follows from its parents in `origin` and `tetParent` alone, so a body built anew from a snapshot has the same bits.
struct CrackLead {
    std::shared_ptr<const WeakField> field;
    std::vector<WeakNode> weak;            ///< of vertices
    std::vector<double> cell;              ///< m, of vertices, see Body::cellSize
    std::vector<std::int32_t> part;        ///< of tets: painted `fracturepart`; tets of one part stay together. Negative: of none
    std::vector<double> breakTime;         ///< s, of vertices: painted `breaktime`, when they break whatever the stress
    std::vector<std::uint8_t> split;       ///< of vertices: it, or the one that it is a copy of, has been split; with breakTime
    std::vector<std::uint8_t> inactive;    ///< of vertices: painted `active` is 0, and they cannot break
    std::vector<std::uint8_t> inactiveTet; ///< of tets: none of their vertices can break

    WeakNode weakAt(std::size_t vertex) const { return weak.empty() ? WeakNode{} : weak[vertex]; }
    std::int32_t partOf(std::size_t tet) const { return part.empty() ? -1 : part[tet]; }
    bool isDue(std::size_t vertex, double time) const { return !breakTime.empty() && breakTime[vertex] <= time && !split[vertex]; }
    /// False where paint, or a part that all tets around belong to, holds a vertex.
    bool mayBreak(std::size_t vertex, Span<const std::int32_t> tetsAround) const;

    /// Takes over what an edit has added to the mesh since it was last called.
    void extend(const TetMesh& mesh, const TopologyEdit& edit);

  private:
    void extendVertices(const TetMesh& mesh, const TopologyEdit& edit);
    friend CrackLead buildCrackLead(const Body& body);
};

/// A painted `breaktime` of tets becomes one of their corners, of which the earliest counts: corners keep theirs when cracks share out tets.
void promoteBreakTimes(Body& body);

/// From the painted attributes and weak surfaces of a body; throws Error with a remedy for those that make no sense.
CrackLead buildCrackLead(const Body& body);

}  // namespace sunder
