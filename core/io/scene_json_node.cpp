#include "core/io/scene_json_node.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

namespace {
constexpr std::size_t kMaxDepth = 64;

/// Lets the parser pull characters while we know how far it has come.
struct Cursor {
    const char* begin;
    const char* at;
};

class CountingIterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, Cursor* cursor) : at_(at), cursor_(cursor) {}
    const char& operator*() const { return *at_; }
    CountingIterator& operator++() {
        ++at_;
        if (cursor_) cursor_->at = at_;
        return *this;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

  private:
    const char* at_;
    Cursor* cursor_;
};

/// Builds the tree from the events of the parser.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
  public:
    TreeBuilder(const Cursor& cursor, const std::string& name) : cursor_(cursor), name_(name) {}
    JsonNode take() { return std::move(root_); }

    bool null() override { return add(JsonNode::Kind::kNull), true; }
    bool boolean(bool value) override {
        add(JsonNode::Kind::kBool).flag = value;
        return true;
    }
    bool number_integer(std::int64_t value) override {
        JsonNode& node = add(JsonNode::Kind::kNumber);
        node.isInteger = true;
        node.integer = value;
        node.number = static_cast<double>(value);
        return true;
    }
    bool number_unsigned(std::uint64_t value) override {
        JsonNode& node = add(JsonNode::Kind::kNumber);
        node.isInteger = true;
        node.natural = value;
        node.integer = static_cast<std::int64_t>(std::min<std::uint64_t>(value, INT64_MAX));
        node.number = static_cast<double>(value);
        return true;
    }
    bool number_float(double value, const std::string&) override {
        add(JsonNode::Kind::kNumber).number = value;
        return true;
    }
    bool string(std::string& value) override {
        add(JsonNode::Kind::kText).text = std::move(value);
        return true;
    }
    bool binary(nlohmann::json::binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(JsonNode::Kind::kObject); }
    bool start_array(std::size_t) override { return open(JsonNode::Kind::kArray); }
    bool end_object() override { return stack_.pop_back(), true; }
    bool end_array() override { return stack_.pop_back(), true; }
    bool key(std::string& value) override {
        if (stack_.back()->find(value))
            throw Error(format("%s, line %d: the key '%s' stands twice in one object", name_.c_str(), line(),
                               value.c_str()),
                        "keep one of the two");
        key_ = std::move(value);
        keyLine_ = line();
        return true;
    }
    bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception&) override {
        const int at = line();
        throw Error(format("%s, line %d: this is not JSON, near '%s'", name_.c_str(), at, token.c_str()),
                    "look for a missing comma, quote or bracket, a comma before a closing bracket, or a "
                    "number such as NaN");
    }

  private:
    /// Of the last character of the token; the parser has looked at most one character further.
    int line() const {
        const char* end = cursor_.at > cursor_.begin ? cursor_.at - 1 : cursor_.begin;
        return 1 + static_cast<int>(std::count(cursor_.begin, end, '\n'));
    }
    JsonNode& add(JsonNode::Kind kind) {
        JsonNode node;
        node.kind = kind;
        node.line = line();
        if (stack_.empty()) return root_ = std::move(node);
        JsonNode& parent = *stack_.back();
        if (parent.kind == JsonNode::Kind::kArray) return parent.items.emplace_back(std::move(node));
        node.line = keyLine_;
        return parent.members.emplace_back(std::move(key_), std::move(node)).second;
    }
    bool open(JsonNode::Kind kind) {
        if (stack_.size() >= kMaxDepth)
            throw Error(
                format("%s, line %d: brackets are nested deeper than %zu", name_.c_str(), line(), kMaxDepth));
        stack_.push_back(&add(kind));
        return true;
    }

    const Cursor& cursor_;
    const std::string& name_;
    JsonNode root_;
    std::vector<JsonNode*> stack_;  ///< a parent's array grows only while no child of it is on the stack
    std::string key_;
    int keyLine_ = 1;
};
}  // namespace

const JsonNode* JsonNode::find(const std::string& key) const {
    const auto it =
        std::find_if(members.begin(), members.end(), [&](const auto& member) { return member.first == key; });
    return it == members.end() ? nullptr : &it->second;
}

const char* kindName(JsonNode::Kind kind) {
    switch (kind) {
        case JsonNode::Kind::kNull:
            return "null";
        case JsonNode::Kind::kBool:
            return "true or false";
        case JsonNode::Kind::kNumber:
            return "a number";
        case JsonNode::Kind::kText:
            return "a text";
        case JsonNode::Kind::kArray:
            return "a list";
        case JsonNode::Kind::kObject:
            return "an object";
    }
    return "";
}

JsonNode parseJson(const std::string& text, const std::string& name) {
    Cursor cursor{text.data(), text.data()};
    TreeBuilder builder(cursor, name);
    const CountingIterator first(text.data(), &cursor), last(text.data() + text.size(), nullptr);
    nlohmann::json::sax_parse(first, last, &builder);
    return builder.take();
}

}  // namespace sunder
