#pragma once

#include "core/body/body.h"
#include "core/mesh/topology_edit.h"

namespace sunder {

/// A painted multiplier: the attribute of that name on tets, or on vertices averaged over a tet's corners; 1 where there is none.
class Multiplier {
  public:
    Multiplier(const Body& body, const char* name);
    double operator()(std::size_t tet) const;

  private:
    const Body& body_;
    const Attribute *onTets_, *onVertices_;
    const char* name_;
};

/// A painted `orient`, a quaternion x, y, z, w: that of a tet, or else the mean of its corners'. Zeros are no turn: merged geometry has them where nothing was painted.
class PaintedTurn {
  public:
    explicit PaintedTurn(const Body& body);
    bool isThere() const { return painted_ != nullptr; }
    Vec4 operator()(std::size_t tet) const;

  private:
    Vec4 read(std::size_t element) const;

    const Body& body_;
    bool onTets_;
    const Attribute* painted_;
};

/// What each tet of a body is made of, paint included.
class TetMaterials {
  public:
    explicit TetMaterials(const Body& body);
    TetMaterial operator()(std::size_t tet) const;

  private:
    const Body& body_;
    Multiplier stiffness_, density_, damping_, yield_;
};

/// The toughness of a tet as a stress, Pa; infinite if it does not break. Of a force it is that over the area of a node among tets of
/// this size.
double computeTetStrength(const Body& body, std::size_t tet);

/// What a vertex gets from the tets around it.
struct VertexValues {
    double mass = 0;         ///< kg
    double massDamping = 0;  ///< kg/s
    double volume = 0;       ///< m^3, its share of the tets'
    double youngs = 0;       ///< Pa, mean by volume
};
/// Edge of a cube of the volume that is a vertex's share of the tets', m, of all vertices.
std::vector<double> computeVertexSizes(const TetMesh& mesh);
VertexValues computeVertexValues(const Body& body, Span<const TetMaterial> materials, Span<const std::int32_t> tetsAround);

}  // namespace sunder
