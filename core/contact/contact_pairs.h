#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/raw_vector.h"
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

/// What a linear system solves for, body by body.
struct ContactUnknowns {
    enum class Kind : std::uint8_t {
        kVertices,  ///< the way of every vertex
        kRigid,     ///< two: the way of the centre and a rotation vector about it
        kNone,      ///< it goes where it has to
    };
    struct Part {
        Kind kind = Kind::kVertices;
        std::int32_t first = 0;
        Vec3 centre = Vec3::Zero();  ///< of a rigid body, now
    };
    std::vector<Part> bodies;
    std::size_t count = 0;

    /// Of the same bodies in the same places.
    bool sameLayout(const ContactUnknowns& other) const {
        const auto same = [](const Part& p, const Part& q) { return p.kind == q.kind && p.first == q.first; };
        return count == other.count && std::equal(bodies.begin(), bodies.end(), other.bodies.begin(), other.bodies.end(), same);
    }
    /// The body of every unknown.
    std::vector<std::int32_t> bodyOfEach() const {
        std::vector<std::int32_t> list(count, 0);
        auto end = list.end();
        for (std::size_t b = bodies.size(); b-- > 0;) {
            if (bodies[b].kind == Kind::kNone) continue;
            std::fill(list.begin() + bodies[b].first, end, static_cast<std::int32_t>(b));
            end = list.begin() + bodies[b].first;
        }
        return list;
    }

    /// The way of every vertex.
    static ContactUnknowns ofVertices(const std::vector<std::size_t>& offset) {
        ContactUnknowns all;
        for (std::size_t b = 0; b + 1 < offset.size(); ++b) all.bodies.push_back({Kind::kVertices, static_cast<std::int32_t>(offset[b]), Vec3::Zero()});
        all.count = offset.back();
        return all;
    }
};

/// Sparse rows.
template <class Value>
struct ContactRows {
    std::vector<std::int32_t> first{0};
    RawVector<std::int32_t> column;
    RawVector<Value> value;

    std::size_t size() const { return first.size() - 1; }
    Span<const std::int32_t> columnsOf(std::size_t row) const { return part(column, row); }
    Span<const Value> valuesOf(std::size_t row) const { return part(value, row); }

  private:
    template <class T>
    Span<const T> part(const RawVector<T>& all, std::size_t row) const {
        return Span<const T>(all).subspan(static_cast<std::size_t>(first[row]), static_cast<std::size_t>(first[row + 1] - first[row]));
    }
};

/// The same rows by column.
template <class Value>
struct ContactColumns {
    std::vector<std::int32_t> column;  ///< those with entries, ascending
    std::vector<std::int32_t> first{0};
    RawVector<std::int32_t> row;
    RawVector<Value> value;

    ContactColumns() = default;
    /// In groups of rows that have no column in common: group g has rows members[groupFirst[g]] and on, ascending.
    ContactColumns(const ContactRows<Value>& rows, std::size_t columnCount, const std::vector<std::int32_t>& members, const std::vector<std::int32_t>& groupFirst) {
        const auto forGroups = [&](auto use) {
            parallelFor(groupFirst.size() - 1, 1, [&](std::size_t g, std::size_t) {
                for (auto k = static_cast<std::size_t>(groupFirst[g]); k < static_cast<std::size_t>(groupFirst[g + 1]); ++k) {
                    const auto r = static_cast<std::size_t>(members[k]);
                    for (auto e = static_cast<std::size_t>(rows.first[r]); e < static_cast<std::size_t>(rows.first[r + 1]); ++e) use(r, e);
                }
            });
        };
        std::vector<std::int32_t> next(columnCount + 1, 0);
        forGroups([&](std::size_t, std::size_t e) { ++next[static_cast<std::size_t>(rows.column[e]) + 1]; });
        for (std::size_t c = 0; c < columnCount; ++c) {
            next[c + 1] += next[c];
            if (next[c + 1] == next[c]) continue;
            column.push_back(static_cast<std::int32_t>(c));
            first.push_back(next[c + 1]);
        }
        row.resize(rows.column.size());
        value.resize(rows.column.size());
        forGroups([&](std::size_t r, std::size_t e) {
            const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(rows.column[e])]++);
            row[to] = static_cast<std::int32_t>(r);
            value[to] = rows.value[e];
        });
    }
};

/// The entries of rows, body by body, so that every body can add up its own columns in the order of the rows.
template <class Value>
struct EntriesOfBodies {
    struct Entry {
        std::int32_t row, column;
        Value value;
    };
    std::vector<std::size_t> first{0};  ///< of every body, and one more
    RawVector<Entry> entries;

    EntriesOfBodies() = default;
    /// Entry e is of a column of body bodyOf[e].
    EntriesOfBodies(const ContactRows<Value>& rows, Span<const std::int32_t> bodyOf, std::size_t bodyCount) {
        constexpr std::size_t kRowGrain = 512;
        // every block of rows counts its entries in every body that it has some of
        struct Count {
            std::int32_t body;
            std::size_t count;
        };
        std::vector<std::vector<Count>> counts((rows.size() + kRowGrain - 1) / kRowGrain);
        const auto forBlocks = [&](auto use) {
            parallelFor(rows.size(), kRowGrain, [&](std::size_t firstRow, std::size_t lastRow) { use(firstRow / kRowGrain, firstRow, lastRow); });
        };
        const auto placesOf = [&]() -> std::vector<std::size_t>& {
            static thread_local std::vector<std::size_t> places;
            if (places.size() < bodyCount) places.resize(bodyCount, 0);
            return places;  // all zero
        };
        forBlocks([&](std::size_t block, std::size_t firstRow, std::size_t lastRow) {
            std::vector<std::size_t>& sum = placesOf();
            for (auto e = static_cast<std::size_t>(rows.first[firstRow]); e < static_cast<std::size_t>(rows.first[lastRow]); ++e)
                if (sum[static_cast<std::size_t>(bodyOf[e])]++ == 0) counts[block].push_back({bodyOf[e], 0});
            for (Count& c : counts[block]) c.count = std::exchange(sum[static_cast<std::size_t>(c.body)], 0);
        });
        first.assign(bodyCount + 1, 0);
        for (const auto& block : counts)
            for (const Count& c : block) first[static_cast<std::size_t>(c.body) + 1] += c.count;
        for (std::size_t b = 0; b < bodyCount; ++b) first[b + 1] += first[b];
        std::vector<std::size_t> next(first.begin(), first.end() - 1);
        for (auto& block : counts)
            for (Count& c : block) c.count = std::exchange(next[static_cast<std::size_t>(c.body)], next[static_cast<std::size_t>(c.body)] + c.count);
        entries.resize(rows.column.size());
        forBlocks([&](std::size_t block, std::size_t firstRow, std::size_t lastRow) {
            std::vector<std::size_t>& place = placesOf();
            for (const Count& c : counts[block]) place[static_cast<std::size_t>(c.body)] = c.count;
            for (std::size_t r = firstRow; r < lastRow; ++r)
                for (auto e = static_cast<std::size_t>(rows.first[r]); e < static_cast<std::size_t>(rows.first[r + 1]); ++e)
                    entries[place[static_cast<std::size_t>(bodyOf[e])]++] = {static_cast<std::int32_t>(r), rows.column[e], rows.value[e]};
            for (const Count& c : counts[block]) place[static_cast<std::size_t>(c.body)] = 0;
        });
    }
};

/// What changes nothing when something is added to it, not even the sign of a zero.
inline void setNothing(double& v) { v = -0.0; }
inline void setNothing(Vec3& v) { v.setConstant(-0.0); }

inline double toStored(double v) { return v; }
inline Vec3f toStored(const Vec3& v) { return v.cast<float>(); }

/// The entries of a row by column. What comes from the clusters of two bodies ascends already, so that there are a few runs to merge.
class RowOrder {
  public:
    void set(const std::int32_t* column, std::size_t first, std::size_t last) {
        keys_.resize(last - first);
        merged_.resize(last - first);
        runs_.clear();
        for (std::size_t e = first; e < last; ++e) {
            if (e == first || column[e] < column[e - 1]) runs_.push_back(e - first);
            keys_[e - first] = static_cast<std::uint64_t>(column[e]) << 32 | e;  // one number is compared sooner than two
        }
    }
    /// Column and place of every entry in one number.
    const RawVector<std::uint64_t>& sorted() {
        while (runs_.size() > 1) {
            std::size_t kept = 0;
            for (std::size_t r = 0; r < runs_.size(); r += 2) {
                const auto endOf = [&](std::size_t run) { return keys_.begin() + static_cast<std::ptrdiff_t>(run + 1 < runs_.size() ? runs_[run + 1] : keys_.size()); };
                const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(runs_[r]), middle = endOf(r);
                std::merge(first, middle, middle, r + 1 < runs_.size() ? endOf(r + 1) : middle, merged_.begin() + static_cast<std::ptrdiff_t>(runs_[r]));
                runs_[kept++] = runs_[r];
            }
            runs_.resize(kept);
            keys_.swap(merged_);
        }
        return keys_;
    }

  private:
    RawVector<std::uint64_t> keys_, merged_;
    std::vector<std::size_t> runs_;  ///< the first of each
};

/// Some rows while they are being built.
template <class Value>
class RowBlock {
  public:
    /// `places` has room for every column, is shared by the rows of a thread, and may hold anything.
    void startRow(std::vector<std::uint32_t>& places) {
        begin_ = count_;
        places_ = places.data();
    }
    std::size_t size() const { return count_; }
    std::size_t rowLength() const { return count_ - begin_; }
    void reserve(std::size_t entries) {
        Value nothing;
        setNothing(nothing);
        column.resize(entries);
        value.resize(entries, nothing);
    }
    /// Whether a row has the column already is anyone's guess, so it takes no branch to find out.
    void add(std::size_t c, const Value& v) {
        if (count_ == column.size()) reserve(2 * count_ + 64);
        const std::size_t guess = places_[c], known = guess - begin_ < count_ - begin_ ? guess : count_;
        const bool there = (known != count_) & (column[known] == static_cast<std::int32_t>(c));
        const std::size_t place = there ? known : count_;
        places_[c] = static_cast<std::uint32_t>(place);
        column[place] = static_cast<std::int32_t>(c);
        value[place] += v;
        count_ += there ? 0 : 1;
    }
    /// An entry of a column that the row does not have yet.
    void addNew(std::size_t c, const Value& v) {
        if (count_ == column.size()) reserve(2 * count_ + 64);
        places_[c] = static_cast<std::uint32_t>(count_);
        column[count_] = static_cast<std::int32_t>(c);
        value[count_++] = v;
    }
    /// Several, in a row that nothing is looked for in.
    void addNew(Span<const std::int32_t> columns, Span<const Value> values) {
        if (count_ + columns.size() > column.size()) reserve(2 * count_ + columns.size() + 64);
        std::copy(columns.begin(), columns.end(), column.begin() + static_cast<std::ptrdiff_t>(count_));
        std::copy(values.begin(), values.end(), value.begin() + static_cast<std::ptrdiff_t>(count_));
        count_ += columns.size();
    }
    /// What a force of a body's vertex at x does to its unknowns.
    void addForce(const ContactUnknowns::Part& body, std::size_t vertex, const Vec3& x, const Value& force) {
        const auto at = static_cast<std::size_t>(body.first);
        if (body.kind == ContactUnknowns::Kind::kVertices) add(at + vertex, force);
        if (body.kind != ContactUnknowns::Kind::kRigid) return;
        add(at, force);
        add(at + 1, (x - body.centre).cross(force));
    }

    /// Writes a row, whose first entry stands in the block where its place in `rows` is beyond `before`, to that place.
    template <class Stored>
    void store(std::size_t row, std::size_t before, ContactRows<Stored>& rows, RowOrder& order) const {
        auto to = static_cast<std::size_t>(rows.first[row]);
        const std::size_t first = to - before, last = static_cast<std::size_t>(rows.first[row + 1]) - before;
        if (std::is_sorted(column.begin() + static_cast<std::ptrdiff_t>(first), column.begin() + static_cast<std::ptrdiff_t>(last))) {
            for (std::size_t e = first; e < last; ++e, ++to) {
                rows.column[to] = column[e];
                rows.value[to] = toStored(value[e]);
            }
            return;
        }
        order.set(column.data(), first, last);
        for (const std::uint64_t key : order.sorted()) {
            rows.column[to] = static_cast<std::int32_t>(key >> 32);
            rows.value[to++] = toStored(value[key & 0xffffffff]);
        }
    }

    std::vector<std::int32_t> column;  ///< the first size() count; so do the values, and those behind are nothing
    std::vector<Value> value;

  private:
    std::size_t begin_ = 0, count_ = 0;
    std::uint32_t* places_ = nullptr;  ///< where a column may stand
};

/// Rows of which fill(row, block) adds the entries, in parallel. Columns ascend.
template <class Value, class Fill>
auto buildRows(std::size_t rowCount, std::size_t columnCount, Fill fill) {
    constexpr std::size_t kRowGrain = 64, kUsualRow = 24;  // entries
    std::vector<RowBlock<Value>> blocks((rowCount + kRowGrain - 1) / kRowGrain);
    ContactRows<decltype(toStored(Value()))> rows;
    rows.first.assign(rowCount + 1, 0);
    parallelFor(rowCount, kRowGrain, [&](std::size_t firstRow, std::size_t lastRow) {
        thread_local std::vector<std::uint32_t> places;
        if (places.size() < columnCount) places.resize(columnCount, 0);
        RowBlock<Value>& block = blocks[firstRow / kRowGrain];
        block.reserve(kUsualRow * (lastRow - firstRow));
        for (std::size_t row = firstRow; row < lastRow; ++row) {
            block.startRow(places);
            fill(row, block);
            rows.first[row + 1] = static_cast<std::int32_t>(block.rowLength());
        }
    });
    for (std::size_t row = 0; row < rowCount; ++row) rows.first[row + 1] += rows.first[row];
    rows.column.resize(static_cast<std::size_t>(rows.first.back()));
    rows.value.resize(rows.column.size());
    parallelFor(rowCount, kRowGrain, [&](std::size_t firstRow, std::size_t lastRow) {
        thread_local RowOrder order;
        for (std::size_t row = firstRow; row < lastRow; ++row) blocks[firstRow / kRowGrain].store(row, static_cast<std::size_t>(rows.first[firstRow]), rows, order);
    });
    return rows;
}

/// For vertices that have a row (rowOf >= 0), the clusters that each is in, with its place there.
struct RowParts {
    struct Part {
        std::int32_t cluster, place;
    };
    std::vector<std::size_t> first;
    RawVector<Part> parts;

    /// Rows of a body stand together. Bodies that are not marked have none; all may have some if none is given.
    RowParts(const ContactSet& set, const std::vector<std::size_t>& offset, const std::vector<std::int32_t>& rowOf, std::size_t rowCount,
             Span<const std::uint8_t> bodies = {}) {
        const auto forParts = [&](auto use) {
            parallelFor(set.clustersOfBodies.size(), kBodyGrain, [&](std::size_t firstBody, std::size_t lastBody) {
                for (std::size_t b = firstBody; b < lastBody; ++b) {
                    if (!bodies.empty() && !bodies[b]) continue;
                    for (const RangesOfBodies::Range& range : set.clustersOfBodies[b])
                        for (std::size_t c = range.first; c < range.last; ++c) {
                            const ContactCluster& cluster = set.clusters[c];
                            for (std::size_t k = 0; k < cluster.size(); ++k) {
                                if (static_cast<std::size_t>(cluster.bodyOf(k)) != b) continue;
                                const std::int32_t row = rowOf[offset[b] + static_cast<std::size_t>(cluster.vertices[k])];
                                if (row >= 0) use(static_cast<std::size_t>(row), Part{static_cast<std::int32_t>(c), static_cast<std::int32_t>(k)});
                            }
                        }
                }
            });
        };
        first.assign(rowCount + 1, 0);
        forParts([&](std::size_t row, const Part&) { ++first[row + 1]; });
        for (std::size_t row = 0; row < rowCount; ++row) first[row + 1] += first[row];
        parts.resize(first.back());
        std::vector<std::size_t> next(first.begin(), first.end() - 1);
        forParts([&](std::size_t row, const Part& part) { parts[next[row]++] = part; });
    }

  private:
    static constexpr std::size_t kBodyGrain = 8;
};

}  // namespace sunder
