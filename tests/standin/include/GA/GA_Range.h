#pragma once
// Provenance: ranges, page iterators and blockAdvance as called in OpenVDB's openvdb_houdini (Apache-2.0). Own code.
#include <GA/GA_Types.h>

#include <memory>
#include <vector>

/// Steps through offsets; blockAdvance gives runs without holes.
class GA_Iterator {
  public:
    GA_Iterator() = default;
    GA_Iterator(std::shared_ptr<const std::vector<GA_Offset>> list, std::size_t at, std::size_t end) : list_(std::move(list)), at_(at), end_(end) {}
    bool atEnd() const { return at_ >= end_; }
    GA_Offset operator*() const { return (*list_)[at_]; }
    GA_Offset getOffset() const { return (*list_)[at_]; }
    GA_Iterator& operator++() {
        ++at_;
        return *this;
    }
    bool operator!=(const GA_Iterator& o) const { return at_ != o.at_; }
    bool blockAdvance(GA_Offset& start, GA_Offset& end) {
        if (atEnd()) return false;
        start = (*list_)[at_];
        end = start + 1;
        for (++at_; at_ < end_ && (*list_)[at_] == end; ++at_) ++end;
        return true;
    }

  private:
    std::shared_ptr<const std::vector<GA_Offset>> list_;
    std::size_t at_ = 0, end_ = 0;
};

class GA_Range {
  public:
    GA_Range() : list_(std::make_shared<std::vector<GA_Offset>>()) {}
    explicit GA_Range(std::vector<GA_Offset> offsets) : list_(std::make_shared<const std::vector<GA_Offset>>(std::move(offsets))) {}
    GA_Iterator begin() const { return {list_, 0, list_->size()}; }
    GA_Iterator end() const { return {list_, list_->size(), list_->size()}; }
    GA_Size getEntries() const { return static_cast<GA_Size>(list_->size()); }
    const std::vector<GA_Offset>& standinOffsets() const { return *list_; }

  private:
    std::shared_ptr<const std::vector<GA_Offset>> list_;
};

/// Steps through the pages that a range touches.
class GA_PageIterator {
  public:
    explicit GA_PageIterator(const GA_Range& range) : list_(std::make_shared<const std::vector<GA_Offset>>(range.standinOffsets())) { findEnd(); }
    bool atEnd() const { return at_ >= list_->size(); }
    GA_PageIterator& operator++() {
        at_ = end_;
        findEnd();
        return *this;
    }
    GA_Iterator begin() const { return {list_, at_, end_}; }

  private:
    exint page(std::size_t i) const { return static_cast<exint>((*list_)[i]) / GA_PAGE_SIZE; }
    void findEnd() {
        for (end_ = at_; end_ < list_->size() && page(end_) == page(at_);) ++end_;
    }
    std::shared_ptr<const std::vector<GA_Offset>> list_;
    std::size_t at_ = 0, end_ = 0;
};

class GA_SplittableRange {
  public:
    explicit GA_SplittableRange(const GA_Range& range) : range_(range) {}
    GA_PageIterator beginPages() const { return GA_PageIterator(range_); }
    /// Cut at the limits of pages, as the host does.
    std::vector<GA_SplittableRange> standinPieces() const {
        std::vector<GA_SplittableRange> pieces;
        for (GA_PageIterator page = beginPages(); !page.atEnd(); ++page) {
            std::vector<GA_Offset> offsets;
            for (GA_Iterator it = page.begin(); !it.atEnd(); ++it) offsets.push_back(*it);
            pieces.emplace_back(GA_Range(std::move(offsets)));
        }
        return pieces;
    }

  private:
    GA_Range range_;
};
