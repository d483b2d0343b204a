#pragma once

#include "core/mesh/topology_edit.h"

namespace sunder {

/// How closely a crack keeps to its plane, and what may come of the tets that it cuts.
struct CutOptions {
    double snapAngle = 0.1;          ///< rad; a line from the node that is nearer to the plane than this lies in it
    double snapShare = 0.1;          ///< of an edge; a cut that is nearer to its end goes through the end
    double smallestQuality = 0.04;   ///< tetQuality at rest of the halves of a tet ...
    double qualityShare = 0.8;       ///< ... or this share of the whole one's, if that is less
    double smallestAltitude = 0;     ///< m, of the halves at rest: bounds how small tets and explicit steps become
    double backCrackAngle = 1;       ///< rad; see Fracture
    Span<const std::int32_t> part;   ///< of tets, those beyond its end are of none: tets of one part stay together and are not cut. Negative: of none
    double smallestPiece = 0;        ///< m^3, at rest; a cut that would leave a smaller one is not made
};

/// What a cut did.
struct CutResult {
    bool opened = false;
    bool grazing = false;             ///< it would have run along a surface that is there, and was left
    bool tooSmall = false;            ///< it would have left a piece below smallestPiece, and was left
    bool heldByParts = false;         ///< what pulls does not pull the parts around the node from each other, and it was left
    int snappedForQuality = 0;        ///< edges that would have left poor tets and were not cut
    bool alongFaces = false;          ///< no edge was cut: it goes along faces that were there
    double area = 0;                  ///< of the new crack, at rest, m^2
    std::vector<std::int32_t> copies; ///< new vertices, of those that were split
    std::vector<std::int32_t> tips;   ///< vertices of the new faces that hold both sides together
    std::vector<std::int32_t> touched;  ///< the node, its neighbours and all new vertices, ascending
};

/// Opens a crack through a node, across the tets around it, along a plane in the present shape (O'Brien 2000, 4.1.3). The edges opposite to the node
/// that cross the plane are cut in two, each with all tets around it: that is all that neighbours see of it, and the plane is then made of
/// faces. Those between the tets of either side are opened: every vertex of theirs gets a copy for each group of its tets that
/// hold together by faces. So a crack that reaches a boundary, and pieces that meet at an edge or a vertex only, come apart by themselves.
CutResult cutAt(MeshEditor& editor, std::int32_t node, const Vec3& normal, const CutOptions& options);

}  // namespace sunder
