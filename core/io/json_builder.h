#pragma once

#include <cstring>
#include <vector>

#include "core/base/text.h"
#include "core/io/json_value.h"

namespace sunder::json {

/// What the two parsers share: a stack of unfinished arrays, and the memory that finished ones move to.
class TreeBuilder {
  public:
    TreeBuilder(const Source& source, const ReadLimits& limits, Document& document)
        : source_(source),
          maxDepth_(limits.maxDepth),
          document_(document),
          budget_(Budget::forArrays(source.name, limits, source.bytes.size())) {
        document_.arena = std::make_unique<std::pmr::monotonic_buffer_resource>();
    }

    std::size_t mark() const { return stack_.size(); }
    void push(const Value& value) { stack_.push_back(value); }
    /// Makes one value of all that was pushed since `mark`.
    Value close(Kind kind, std::size_t mark, std::size_t offset) {
        Value value;
        value.kind = kind;
        value.offset = offset;
        value.size = stack_.size() - mark;
        if (value.size > 0)
            value.data = keep(stack_.data() + mark, value.size * sizeof(Value), alignof(Value));
        stack_.resize(mark);
        return value;
    }
    const void* keep(const void* data, std::size_t size, std::size_t alignment = 1) {
        budget_.take(size, 1, "bytes of structure");
        void* const copy = document_.arena->allocate(size, alignment);
        std::memcpy(copy, data, size);
        return copy;
    }
    void checkDepth(int depth, std::size_t offset) const {
        if (depth > maxDepth_) source_.fail(offset, format("arrays are nested more than %d deep", maxDepth_));
    }

  private:
    const Source& source_;
    int maxDepth_;
    Document& document_;
    Budget budget_;
    std::vector<Value> stack_;
};

Value parseText(const Source& source, TreeBuilder& builder);
Value parseBinary(const Source& source, TreeBuilder& builder);

}  // namespace sunder::json
