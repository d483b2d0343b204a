#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/span.h"

namespace sunder {

/// Lists of different length in one array that may change and grow: a list that is full moves to the end and gets room for as much again. So a
/// change costs what it changes, and going through all lists still goes through one array.
class RowLists {
  public:
    RowLists() = default;
    explicit RowLists(std::size_t rows) : rows_(rows) {}
    /// Lists without any room to spare: `first` has one entry more than there are lists.
    RowLists(Span<const std::int32_t> first, std::vector<std::int32_t> items) : items_(std::move(items)) {
        for (std::size_t r = 0; r + 1 < first.size(); ++r) rows_.push_back({first[r], first[r + 1] - first[r], first[r + 1] - first[r]});
    }

    std::size_t size() const { return rows_.size(); }
    Span<const std::int32_t> operator[](std::size_t row) const {
        return Span<const std::int32_t>(items_.data() + rows_[row].first, static_cast<std::size_t>(rows_[row].count));
    }

    void resize(std::size_t rows) { rows_.resize(rows); }
    void assign(std::size_t row, Span<const std::int32_t> items) {
        if (static_cast<std::int32_t>(items.size()) > rows_[row].room) move(row, items.size());
        rows_[row].count = static_cast<std::int32_t>(items.size());
        std::copy(items.begin(), items.end(), items_.begin() + rows_[row].first);
    }
    void append(std::size_t row, std::int32_t item) {
        if (rows_[row].count == rows_[row].room) move(row, static_cast<std::size_t>(rows_[row].count) + 1);
        items_[static_cast<std::size_t>(rows_[row].first + rows_[row].count++)] = item;
    }

    /// The same lists, wherever they stand.
    friend bool operator==(const RowLists& a, const RowLists& b) {
        bool same = a.size() == b.size();
        for (std::size_t r = 0; same && r < a.size(); ++r) same = std::equal(a[r].begin(), a[r].end(), b[r].begin(), b[r].end());
        return same;
    }

  private:
    struct Row {
        std::int32_t first = 0, count = 0, room = 0;
    };

    void move(std::size_t row, std::size_t needed) {
        Row& r = rows_[row];
        const auto room = static_cast<std::int32_t>(std::max(needed, 2 * static_cast<std::size_t>(r.count)));
        const auto first = static_cast<std::int32_t>(items_.size());
        items_.resize(items_.size() + static_cast<std::size_t>(room));
        std::copy_n(items_.begin() + r.first, r.count, items_.begin() + first);
        r.first = first;
        r.room = room;
    }

    std::vector<Row> rows_;
    std::vector<std::int32_t> items_;
};

}  // namespace sunder
