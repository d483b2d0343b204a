#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/row_lists.h"
#include "core/base/span.h"
#include "core/material/plastic_law.h"
#include "core/math/types.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

/// Four tets side by side, one a lane. Lanes that fill up the last pack of a chunk have volume 0 and repeat a tet.
/// What every force needs is here, packed close since large bodies stream it from memory; the rest has tables of its own.
struct alignas(32) ElementPack {
    double restInverse[9][4];  ///< [Dm^-1], column by column: gradients of the shape functions of vertices 1 to 3 are its rows
    double volume[4];          ///< rest volume, m3
    std::uint16_t vertex[4][4];  ///< [corner][lane]: number in the chunk's vertex list
};

/// Numbers of a pack's four tets in the chunk's matrix entries, [pair][lane]; pairs as in kPackPairs.
using PackEntries = std::array<std::uint16_t[4], 10>;

struct PackMaterial {
    double lambda[4], mu[4], phi[4], psi[4];
};

using PackPlastic = std::array<PlasticParams, 4>;

/// Corner pairs of the ten blocks of a symmetric element matrix.
inline constexpr int kPackPairs[10][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/// Neighbouring tets of one elastic and one plastic law that are worked on together: their vertices fit in the first-level cache, and what they add up
/// for a vertex is added up once more over chunks, in chunk order. The cut into chunks does not depend on threads.
struct ElementChunk {
    ElasticLawId law;
    PlasticLawId plastic;
    bool viscous;  ///< some tet has phi or psi
    bool uniform;  ///< all tets have the material of the first pack
    std::uint32_t firstPack, packCount;
    std::uint32_t firstVertex, vertexCount;  ///< range in ElementTable::chunkVertex
    std::uint32_t firstEntry, entryCount;    ///< range in ElementTable::chunkEntry
};

/// Bounds of every lane's tet alone, with a quarter of its mass at each corner, at rest; 0 for fillers.
struct PackBounds {
    double omegaSq[4] = {};  ///< of the largest eigenvalue of M^-1 K, 1/s2
    double damping[4] = {};  ///< of the largest eigenvalue of M^-1 C, 1/s
};

/// All that the kernels need of the tets of a body at rest, once per topology.
struct ElementTable {
    std::size_t vertexCount = 0;
    std::vector<ElementPack> packs;
    std::vector<PackMaterial> packMaterial;
    std::vector<PackPlastic> packPlastic;  ///< empty if no tet is plastic
    std::vector<PackEntries> packEntries;
    std::vector<std::array<std::int32_t, 4>> packTet;  ///< tet of every lane, -1 for a filler
    std::vector<PackBounds> packBounds;
    std::vector<ElementChunk> chunks;
    std::vector<std::int32_t> chunkVertex;             ///< vertex of every chunk slot
    RowLists slots;                                    ///< chunk slots of each vertex, ascending
    std::vector<std::array<std::int32_t, 2>> chunkEntry;  ///< (row, column) vertices of every chunk matrix entry, row <= column
    double largestOmegaSq = 0;   ///< bound of the largest eigenvalue of M^-1 K at rest, 1/s2 (per-element bound)
    double largestDamping = 0;   ///< bound of the largest eigenvalue of M^-1 C at rest, 1/s
    double totalVolume = 0;
    std::vector<std::int32_t> tetLane;  ///< 4 * pack + lane of every tet
    std::size_t patchedTets = 0;        ///< how many have been moved to chunks of their own since the table was built

    bool plastic() const { return !packPlastic.empty(); }
};

/// The material of a pack of the chunk. Where it is the same for all, always the same memory.
inline const PackMaterial& materialOf(const ElementTable& table, const ElementChunk& chunk, std::uint32_t pack) {
    return table.packMaterial[chunk.uniform ? chunk.firstPack : pack];
}

/// What one tet needs to know of its material.
struct TetMaterial {
    ElasticLawId law;
    LawParams params;
    double density;
    PlasticParams plastic = {};
};

/// Bounds of omega^2 and of the damping rate of one tet with a quarter of its mass at each corner, at rest.
struct TetBounds {
    double omegaSq, damping;  ///< 1/s2, 1/s
};
TetBounds computeTetBounds(const TetMesh& mesh, std::int32_t tet, const TetMaterial& material);
/// The same without an eigenvalue to find, and up to three times as large.
TetBounds looseTetBounds(const TetMesh& mesh, std::int32_t tet, const TetMaterial& material);
/// The stable explicit step with such bounds, s: 2 / omega (sqrt(1 + r^2) - r), r = damping / omega.
double stepOfTet(const TetBounds& bounds);

/// After an edit of the mesh: takes the tets listed, changed ones and new ones, ascending, out of their chunks and puts them into new ones. The bounds of
/// frequency and damping may stay larger than they are.
void patchElementTable(ElementTable& table, const TetMesh& mesh, Span<const TetMaterial> materials, Span<const std::int32_t> tets);

ElementTable buildElementTable(const TetMesh& mesh, Span<const TetMaterial> materials);

}  // namespace sunder
