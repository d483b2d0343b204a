#include "core/fracture/separation_bound.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/fem/pack_stress.h"
#include "core/math/decompose.h"
#include "core/math/decompose_wide.h"

namespace sunder {

namespace {
constexpr double kRounding = 4e-7;     // of the sizes of all records, a record
constexpr double kLeastRounding = 8 * kRounding;
constexpr double kStiffest = 100;      // of lambda + 2 mu times |F|^2: what F may change in a stress
constexpr double kInverse = 64 * 2.3e-16;  // of q^2: by what inverses of the same rest edges differ
constexpr double kLeastDet = 0.5, kMostDet = 2, kMostStretchSq = 20;
constexpr float kLeastForce = 1e-19f, kLeastSize = 1e-11f;  // N: squares below the first are lost in single precision, which the second makes up for

constexpr double kMostSize = 1e18;  // N, and squares above are not known

using Float4 = detail::VectorOf<float, 4>::Type;

Float4 rounded(Wide4d a) { return __builtin_convertvector(a.v, Float4); }
/// Two corners of four tets side by side.
Wide8f beside(Wide4d low, Wide4d high) { return Wide8f(__builtin_shufflevector(rounded(low), rounded(high), 0, 1, 2, 3, 4, 5, 6, 7)); }
Wide8f twice(Wide4d a) { return beside(a, a); }

/// Lane l of number k to number l of lane k.
void transpose8(Wide8f* m) {
    using V = Wide8f::Vector;
    V s[8];
    for (int k = 0; k < 8; k += 2) {
        s[k] = __builtin_shufflevector(m[k].v, m[k + 1].v, 0, 8, 2, 10, 4, 12, 6, 14);
        s[k + 1] = __builtin_shufflevector(m[k].v, m[k + 1].v, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    V t[8];
    for (const int k : {0, 1, 4, 5}) {
        t[k] = __builtin_shufflevector(s[k], s[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        t[k + 2] = __builtin_shufflevector(s[k], s[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int k = 0; k < 4; ++k) {
        m[k].v = __builtin_shufflevector(t[k], t[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        m[k + 4].v = __builtin_shufflevector(t[k], t[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/// By how much the stress of the scalar code may differ, Pa.
Wide4d stressError(const PackMaterial& material, const WideMat3& F, const WideMat3& restInverse, Wide4d volume) {
    const WideMat3 cof = cofactor(restInverse);
    const Wide4d det = Wide4d(6.0) * volume, edge = sqrt(doubleDot(cof, cof)) * det;  // |D|
    const Wide4d q = select(det > Wide4d(0.0), edge * edge * edge / det, Wide4d(0.0));
    const WideParams p(material);
    return Wide4d(kStiffest * kInverse) * (p.lambda + p.mu + p.mu) * doubleDot(F, F) * q * q;
}

Mat3 lengthwise(const Vec3& a) {
    const double length = a.norm();
    return length > 0 ? Mat3(a * a.transpose() / length) : Mat3(Mat3::Zero());
}
/// No eigenvalue is above the mean by more than sqrt(2/3) of the length of the deviator.
double eigenvalueBelow(const Mat3& m) {
    const double mean = m.trace() / 3;
    return mean + 0.8165 * (m - mean * Mat3::Identity()).norm();
}
}  // namespace

/// Writes what the tets of a pack do to their corners.
struct SeparationBound::PullWriter {
    const ElementTable& table;
    const ElementChunk& chunk;
    const std::uint8_t* wanted;  ///< of every slot of the chunk
    Pull* slots;                 ///< of the chunk
    PackAreas* areas;            ///< of all packs, or null

    bool wants(std::uint32_t p) const {
        std::uint8_t any = 0;
        for (const auto& corner : table.packs[p].vertex)
            for (const std::uint16_t slot : corner) any |= wanted[slot];
        return any != 0;
    }
    void operator()(std::uint32_t p, const WideMat3& P, const WideMat3& F) const {
        const ElementPack& pack = table.packs[p];
        const WideMat3 restInverse = loadMatrix(pack.restInverse), cof = cofactor(F);
        const Wide4d volume = Wide4d::load(pack.volume), det = determinant(F);
        WideMat3 stress = multiplyTransposed(P, F);
        for (Wide4d& entry : stress.m) entry = entry / det;
        const Eigen3w<Wide4d> e = symmetricEigen3Wide(stress);
        const auto moderate = (det > Wide4d(kLeastDet)) & (det < Wide4d(kMostDet)) & (doubleDot(F, F) < Wide4d(kMostStretchSq));
        const Wide4d error = stressError(materialOf(table, chunk, p), F, restInverse, volume) * Wide4d(1 / kLeastRounding);
        const Wide4d size = Wide4d(2.0) * max(abs(e.values.x), abs(e.values.z)) + error;
        const Principal principal(e, select(moderate, size, Wide4d(NAN)));
        WideMat3 area = multiplyTransposed(cof, restInverse);  // columns: of corners 1 to 3
        for (Wide4d& entry : area.m) entry *= volume;
        const auto at = [&](int i) { return -(area(i, 0) + area(i, 1) + area(i, 2)); };
        writeCorners(p, 0, {beside(at(0), area(0, 0)), beside(at(1), area(1, 0)), beside(at(2), area(2, 0))}, principal);
        writeCorners(p, 2, {beside(area(0, 1), area(0, 2)), beside(area(1, 1), area(1, 2)), beside(area(2, 1), area(2, 2))}, principal);
    }

  private:
    using Vector = Vec3w<Wide8f>;
    /// The stress of four tets, twice.
    struct Principal {
        Vector vector[3];
        Wide8f value[3];
        Wide8f size;  ///< of a record per area

        Principal(const Eigen3w<Wide4d>& e, Wide4d sizes) : value{twice(e.values.x), twice(e.values.y), twice(e.values.z)}, size(twice(sizes)) {
            for (int k = 0; k < 3; ++k) vector[k] = {twice(e.vectors(0, k)), twice(e.vectors(1, k)), twice(e.vectors(2, k))};
        }
    };
    /// The parts of f = stress * area along the principal axes that are pulled (sign 1) or pushed (-1), and half of one over its length.
    struct Force {
        Vector f;
        Wide8f perLength;

        Force(const Principal& s, const Wide8f (&along)[3], float sign) {
            const Wide8f zero(0.0f);
            Wide8f part[3];
            for (int k = 0; k < 3; ++k) part[k] = select(s.value[k] * Wide8f(sign) > zero, s.value[k] * along[k], zero);
            f = s.vector[0] * part[0] + s.vector[1] * part[1] + s.vector[2] * part[2];
            const Wide8f length = sqrt(part[0] * part[0] + part[1] * part[1] + part[2] * part[2]);
            perLength = select(length > Wide8f(kLeastForce), Wide8f(0.5f) / length, zero);
        }
    };
    void writeCorners(std::uint32_t p, int first, const Vector& a, const Principal& s) const {
        const Wide8f along[3] = {dot(s.vector[0], a), dot(s.vector[1], a), dot(s.vector[2], a)};
        const Force pull(s, along, 1), push(s, along, -1);
        const Vector &f = pull.f, &g = push.f, fl = f * pull.perLength, gl = g * push.perLength;
        Wide8f numbers[16] = {f.x * fl.x - g.x * gl.x, f.y * fl.y - g.y * gl.y, f.z * fl.z - g.z * gl.z, f.x * fl.y - g.x * gl.y,
                              f.y * fl.z - g.y * gl.z, f.x * fl.z - g.x * gl.z, f.x, f.y, f.z, g.x, g.y, g.z, a.x, a.y, a.z,
                              s.size * sqrt(dot(a, a)) + Wide8f(kLeastSize)};
        transpose8(numbers);
        transpose8(numbers + 8);
        for (int k = 0; k < 8; ++k) {
            float* sums = slots[table.packs[p].vertex[first + k / 4][k % 4]].numbers;
            (Wide8f::load(sums) + numbers[k]).store(sums);
            (Wide8f::load(sums + 8) + numbers[k + 8]).store(sums + 8);
            if (!areas) continue;
            const Float4 area = __builtin_shufflevector(numbers[k + 8].v, numbers[k + 8].v, 4, 5, 6, 7);
            __builtin_memcpy(areas[p].of[k % 4][first + k / 4], &area, sizeof(area));
        }
    }
};

Mat3 SeparationBound::Pull::tensor() const {
    Mat3 m;
    m << numbers[0], numbers[3], numbers[5], numbers[3], numbers[1], numbers[4], numbers[5], numbers[4], numbers[2];
    return m;
}

std::vector<SeparationBound::Row> SeparationBound::rowsOf(const Body& body) {
    std::vector<Row> rows;
    for (const Material& m : body.materials) {
        const Fracture& f = m.fracture;
        const bool byForce = f.kind == ToughnessKind::kByForce;
        rows.push_back({byForce ? f.force : f.stress, f.enabled, f.kind != ToughnessKind::kByEnergy && f.weakness == Vec3::Ones(), !byForce});
    }
    return rows;
}

bool SeparationBound::knows(const Body& body) {
    const std::vector<Row> rows = rowsOf(body);
    return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.breaks && row.known; });
}

SeparationBound::SeparationBound(const Body& body, Span<const Vec3> x, Span<const PlasticState> plastic, const TetStars& stars, Span<const std::int32_t> nodes)
    : body_(body), stars_(stars), rows_(rowsOf(body)) {
    computePulls(x, plastic, nodes);
}

void SeparationBound::computePulls(Span<const Vec3> x, Span<const PlasticState> plastic, Span<const std::int32_t> nodes) {
    const ElementTable& table = body_.elements;
    std::vector<std::uint8_t> wanted(body_.mesh.vertexCount(), 0);
    for (const std::int32_t node : nodes) wanted[static_cast<std::size_t>(node)] = 1;
    slots_.reset(new Pull[table.chunkVertex.size()]);
    if (std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.known && row.perArea; })) areas_.reset(new PackAreas[table.packs.size()]);
    parallelBlocks(table.chunks.size(), [&](std::size_t c) {
        const ElementChunk& chunk = table.chunks[c];
        Pull* slots = slots_.get() + chunk.firstVertex;
        std::fill_n(slots, chunk.vertexCount, Pull{});
        thread_local std::vector<std::uint8_t> isWanted;
        isWanted.resize(chunk.vertexCount);
        for (std::size_t k = 0; k < chunk.vertexCount; ++k) isWanted[k] = wanted[static_cast<std::size_t>(table.chunkVertex[chunk.firstVertex + k])];
        visitPackStress(table, chunk, copyToChunk<0>(table, chunk, x), plastic, PullWriter{table, chunk, isWanted.data(), slots, areas_.get()});
    });
}

const float* SeparationBound::areaOf(std::int32_t tet, std::int32_t node) const {
    const Tet& corners = body_.mesh.tets[static_cast<std::size_t>(tet)];
    const int corner = (corners[0] < node) + (corners[1] < node) + (corners[2] < node) + (corners[3] < node);
    const auto lane = static_cast<std::size_t>(body_.elements.tetLane[static_cast<std::size_t>(tet)]);
    return areas_[lane / 4].of[lane % 4][corner];
}

/// What a node stands: the mean over its tets is no less than the least of them.
SeparationBound::Row SeparationBound::rowAround(std::int32_t node) const {
    if (rows_.size() == 1 && body_.toughnessScale.empty()) return rows_[0];
    Row all{HUGE_VAL, true, true, false};
    bool first = true;
    for (const std::int32_t tet : stars_.around(node)) {
        const auto t = static_cast<std::size_t>(tet);
        const Row& row = rows_[static_cast<std::size_t>(body_.tetMaterial[t])];
        all.toughness = std::min(all.toughness, row.toughness * body_.toughnessOf(t));
        all.breaks &= row.breaks;
        all.known &= row.known && (first || row.perArea == all.perArea);
        all.perArea = row.perArea;
        first = false;
    }
    return all;
}

SeparationBound::Pull SeparationBound::sumAround(std::int32_t node) const {
    Wide8f low(0.0f), high(0.0f);
    for (const std::int32_t slot : body_.elements.slots[static_cast<std::size_t>(node)]) {
        const float* numbers = slots_[static_cast<std::size_t>(slot)].numbers;
        low += Wide8f::load(numbers);
        high += Wide8f::load(numbers + 8);
    }
    Pull sum;
    low.store(sum.numbers);
    high.store(sum.numbers + 8);
    return sum;
}

/// No more than 1/2 sum |a . m| of any unit vector m that is not farther from the normal than `turn`.
double SeparationBound::areaAcross(std::int32_t node, const Vec3& normal, double turn) const {
    const std::vector<std::int32_t>& star = stars_.around(node);
    double area = 0, squares = 0;
    for (const std::int32_t tet : star) {
        const float* numbers = areaOf(tet, node);
        const Vec3 a(numbers[0], numbers[1], numbers[2]);
        area += std::abs(a.dot(normal));
        squares += a.squaredNorm();
    }
    return 0.5 * (area - (turn + 1e-6) * std::sqrt(static_cast<double>(star.size()) * squares));
}

double SeparationBound::ratioOf(std::int32_t node, double enough) const {
    const Row row = rowAround(node);
    if (!row.breaks) return 0;
    const WeakNode weak = body_.lead.weakAt(static_cast<std::size_t>(node));
    if (!row.known || weak.lead != Vec3::Zero()) return HUGE_VAL;
    const Pull s = sumAround(node);
    if (!(s.size() < kMostSize)) return HUGE_VAL;  // nor if it is not a number
    const double delta = kRounding * (static_cast<double>(stars_.around(node).size()) + 8) * s.size();
    const Mat3 tensor = s.tensor() + 0.5 * (lengthwise(s.pushing()) - lengthwise(s.pulling()));
    const double toughness = (1 - 1e-9) * row.toughness * weak.scale;
    if (!row.perArea) {
        const double quick = std::max(0.0, eigenvalueBelow(tensor) + delta) / toughness;
        if (quick <= enough) return quick;
    }
    const Eigen3 e = symmetricEigen3(tensor);
    const double most = std::max(0.0, e.values[0] + delta);
    if (!row.perArea) return most / toughness;
    const double sine = 2 * delta / (e.values[0] - e.values[1]);  // of the angle; a chord is at most sqrt(2) times that
    const double area = sine < 1 ? areaAcross(node, e.vectors.col(0), 1.4143 * sine) : 0;
    return area > 0 ? most / (toughness * area) : HUGE_VAL;
}

}  // namespace sunder
