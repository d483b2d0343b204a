#pragma once

#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/contact/contact_set.h"

namespace sunder {

/// The eight vertices of a contact, numbered over all bodies: body b's start at offset[b].
struct PairVertices {
    std::array<std::size_t, 8> vertex;

    PairVertices(const TetContact& c, const std::vector<std::size_t>& offset) {
        for (std::size_t k = 0; k < 4; ++k) {
            vertex[k] = offset[static_cast<std::size_t>(c.bodyA)] + static_cast<std::size_t>(c.a[k]);
            vertex[4 + k] = offset[static_cast<std::size_t>(c.bodyB)] + static_cast<std::size_t>(c.b[k]);
        }
    }
    OverlapTet tetA(Span<const Vec3> x) const { return makeOverlapTet({x[vertex[0]], x[vertex[1]], x[vertex[2]], x[vertex[3]]}); }
    OverlapTet tetB(Span<const Vec3> x) const { return makeOverlapTet({x[vertex[4]], x[vertex[5]], x[vertex[6]], x[vertex[7]]}); }
    /// Values at the overlap's centre.
    Vec3 centreA(const TetContact& c, Span<const Vec3> v) const { return mean(c.weightsA(), v, 0); }
    Vec3 centreB(const TetContact& c, Span<const Vec3> v) const { return mean(c.weightsB(), v, 4); }
    static double areaA(const TetContact& c, const std::vector<const ContactShape*>& shapes, int k) {
        return shapes[static_cast<std::size_t>(c.bodyA)]->area[static_cast<std::size_t>(c.a[static_cast<std::size_t>(k)])];
    }
    static double areaB(const TetContact& c, const std::vector<const ContactShape*>& shapes, int k) {
        return shapes[static_cast<std::size_t>(c.bodyB)]->area[static_cast<std::size_t>(c.b[static_cast<std::size_t>(k)])];
    }

  private:
    Vec3 mean(const Vec4& weights, Span<const Vec3> v, std::size_t first) const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = 0; k < 4; ++k) sum += weights[static_cast<Eigen::Index>(k)] * v[vertex[first + k]];
        return sum;
    }
};

/// Rows of weights on vertices, and the same by vertex.
template <class Value>
struct ContactRows {
    std::vector<std::int32_t> first{0}, vertex;
    std::vector<Value> value;
    std::vector<std::int32_t> columnFirst{0}, columnRow;  ///< rows of every vertex, ascending
    std::vector<Value> columnValue;

    std::size_t size() const { return first.size() - 1; }
    Span<const std::int32_t> vertices(std::size_t row) const {
        return Span<const std::int32_t>(vertex).subspan(static_cast<std::size_t>(first[row]), static_cast<std::size_t>(first[row + 1] - first[row]));
    }

    void transpose(std::size_t vertexCount) {
        columnFirst.assign(vertexCount + 1, 0);
        for (const std::int32_t v : vertex) ++columnFirst[static_cast<std::size_t>(v) + 1];
        for (std::size_t v = 0; v < vertexCount; ++v) columnFirst[v + 1] += columnFirst[v];
        columnRow.resize(vertex.size());
        columnValue.resize(vertex.size());
        std::vector<std::int32_t> next(columnFirst.begin(), columnFirst.end() - 1);
        for (std::size_t row = 0; row < size(); ++row)
            for (auto e = static_cast<std::size_t>(first[row]); e < static_cast<std::size_t>(first[row + 1]); ++e) {
                const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(vertex[e])]++);
                columnRow[to] = static_cast<std::int32_t>(row);
                columnValue[to] = value[e];
            }
    }
};

/// One row for every vertex with rowOf >= 0: over all contacts around it, entry(contact, its corner there, corner) is added up for each
/// of the contact's eight corners.
template <class Value, class Entry>
ContactRows<Value> mergeRows(const ContactSet& set, const std::vector<std::size_t>& offset, const std::vector<std::int32_t>& rowOf,
                             std::size_t rowCount, Entry entry) {
    struct Part {
        std::int32_t contact;
        std::int32_t corner;
    };
    std::vector<std::vector<Part>> parts(rowCount);
    for (std::size_t c = 0; c < set.contacts.size(); ++c) {
        const PairVertices at(set.contacts[c], offset);
        for (std::int32_t k = 0; k < 8; ++k) {
            const std::int32_t row = rowOf[at.vertex[static_cast<std::size_t>(k)]];
            if (row >= 0) parts[static_cast<std::size_t>(row)].push_back({static_cast<std::int32_t>(c), k});
        }
    }
    std::vector<std::vector<std::pair<std::int32_t, Value>>> lists(rowCount);
    parallelFor(rowCount, 64, [&](std::size_t firstRow, std::size_t lastRow) {
        for (std::size_t row = firstRow; row < lastRow; ++row)
            for (const Part& part : parts[row]) {
                const PairVertices at(set.contacts[static_cast<std::size_t>(part.contact)], offset);
                for (int m = 0; m < 8; ++m) {
                    const auto v = static_cast<std::int32_t>(at.vertex[static_cast<std::size_t>(m)]);
                    const Value value = entry(static_cast<std::size_t>(part.contact), part.corner, m);
                    auto found = lists[row].begin();
                    while (found != lists[row].end() && found->first != v) ++found;
                    if (found == lists[row].end())
                        lists[row].emplace_back(v, value);
                    else
                        found->second += value;
                }
            }
    });
    ContactRows<Value> rows;
    for (const auto& list : lists) {
        for (const auto& [v, value] : list) {
            rows.vertex.push_back(v);
            rows.value.push_back(value);
        }
        rows.first.push_back(static_cast<std::int32_t>(rows.vertex.size()));
    }
    rows.transpose(offset.back());
    return rows;
}

}  // namespace sunder
