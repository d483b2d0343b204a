#pragma once

#include <vector>

#include "core/body/body.h"

namespace sunder {

/// What a frame shows of every tet.
struct TetMeasures {
    std::vector<float> stress;   ///< von Mises value of the elastic Cauchy stress, Pa
    std::vector<float> strain;   ///< largest principal stretch minus 1
    std::vector<float> quality;  ///< tetQuality of the deformed shape
    std::vector<float> detF;     ///< volume over rest volume
    std::vector<float> plasticStrain;  ///< of plain tension with the same norm, see plastic_law.h; 0 where nothing has flowed

    void resize(std::size_t tets);
};

/// A rigid body shows no stress and no strain. `plastic` has the states of the tets if some are plastic.
TetMeasures measureTets(const Body& body, Span<const Vec3> x, Span<const PlasticState> plastic = {});

/// sqrt(3/2) times the norm of the deviator: the stress of the same intensity in plain tension.
double vonMises(const Mat3& stress);

/// Connected parts of the mesh; tets that share a vertex belong together.
std::size_t countPieces(const TetMesh& mesh);

}  // namespace sunder
