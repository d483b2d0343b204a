// The text form of Houdini's JSON: standard JSON, plus nan and inf in the usual spellings.
#include <algorithm>
#include <cstring>
#include <string>

#include "core/io/json_builder.h"

namespace sunder::json {

namespace {
bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool isNumberCharacter(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void appendUtf8(std::string& text, std::uint32_t code) {
    const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xc0 | code >> 6);
        tail(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xe0 | code >> 12);
        tail(6), tail(0);
    } else {
        text += static_cast<char>(0xf0 | code >> 18);
        tail(12), tail(6), tail(0);
    }
}

class TextParser {
  public:
    TextParser(const Source& source, TreeBuilder& builder)
        : source_(source), builder_(builder), p_(source.begin()), end_(source.end()) {}

    Value document() {
        const Value value = parseValue(0);
        skipSpace();
        if (p_ != end_) fail("there is something behind the end of the geometry");
        return value;
    }

  private:
    [[noreturn]] void fail(const char* what) const { source_.fail(source_.offsetOf(p_), what); }
    void skipSpace() {
        while (p_ != end_ && isSpace(*p_)) ++p_;
    }
    char peek() {
        skipSpace();
        if (p_ == end_) fail("the text ends in the middle of the geometry");
        return *p_;
    }
    bool skipWord(const char* word) {
        const std::size_t size = std::strlen(word);
        if (static_cast<std::size_t>(end_ - p_) < size || std::memcmp(p_, word, size) != 0) return false;
        p_ += size;
        return true;
    }

    Value parseValue(int depth) {
        const char c = peek();
        const std::size_t offset = source_.offsetOf(p_);
        builder_.checkDepth(depth, offset);
        if (c == '[') return parseArray(depth);
        if (c == '{') return parseMap(depth);
        if (c == '"') return parseString();
        Value value;
        value.offset = offset;
        if (skipWord("true") || skipWord("false")) {
            value.kind = Kind::kBool;
            value.truth = c == 't';
        } else if (!skipWord("null")) {
            value.kind = Kind::kNumber;
            value.data = p_;
            value.size = 1;
            if (!skipNumber()) fail("a value is expected here");
        }
        return value;
    }

    /// Steps over what may be a number; it is read when somebody wants it.
    bool skipNumber() {
        const char* const start = p_;
        while (p_ != end_ && isNumberCharacter(*p_)) ++p_;
        const bool special = p_ != end_ && std::strchr("nNiI", *p_) && *p_ != '\0' && p_ - start <= 1;
        if (special &&
            !std::strncmp(p_, "null", std::min<std::size_t>(4, static_cast<std::size_t>(end_ - p_))))
            return false;
        if (special)
            while (p_ != end_ && isLetter(*p_)) ++p_;
        return p_ != start;
    }

    /// An array of numbers alone becomes one value; false, and nothing read, if it is of another kind.
    bool parseNumbers(Value& value) {
        const char* const start = p_;
        value.kind = Kind::kNumbers;
        value.data = p_ + 1;
        bool isNumber = true;
        do {
            ++p_;
            skipSpace();
            isNumber = skipNumber();
            ++value.size;
            skipSpace();
        } while (isNumber && p_ != end_ && *p_ == ',');
        const bool complete = isNumber && p_ != end_ && *p_ == ']';
        if (complete)
            ++p_;
        else
            p_ = start;
        return complete;
    }

    Value parseArray(int depth) {
        Value numbers;
        const std::size_t offset = numbers.offset = source_.offsetOf(p_);
        if (parseNumbers(numbers)) return numbers;
        const std::size_t mark = builder_.mark();
        ++p_;
        if (peek() == ']') {
            ++p_;
            return builder_.close(Kind::kArray, mark, offset);
        }
        for (;;) {
            builder_.push(parseValue(depth + 1));
            const char c = peek();
            if (c != ',' && c != ']') fail("a comma or the end of an array is expected here");
            ++p_;
            if (c == ']') return builder_.close(Kind::kArray, mark, offset);
        }
    }

    Value parseMap(int depth) {
        const std::size_t mark = builder_.mark(), offset = source_.offsetOf(p_++);
        if (peek() == '}') {
            ++p_;
            return builder_.close(Kind::kMap, mark, offset);
        }
        for (;;) {
            if (peek() != '"') fail("a key in quotes is expected here");
            builder_.push(parseString());
            if (peek() != ':') fail("a colon is expected here");
            ++p_;
            builder_.push(parseValue(depth + 1));
            const char c = peek();
            if (c != ',' && c != '}') fail("a comma or the end of a map is expected here");
            ++p_;
            if (c == '}') return builder_.close(Kind::kMap, mark, offset);
        }
    }

    Value parseString() {
        Value value;
        value.kind = Kind::kString;
        value.offset = source_.offsetOf(p_);
        value.data = ++p_;
        while (p_ != end_ && *p_ != '"' && *p_ != '\\') ++p_;
        value.size = source_.offsetOf(p_) - source_.offsetOf(value.data);
        if (p_ != end_ && *p_ == '\\') unescape(value);
        if (p_ == end_) fail("the text ends inside a string");
        ++p_;
        return value;
    }

    void unescape(Value& value) {
        std::string text(value.text());
        while (p_ != end_ && *p_ != '"') {
            if (*p_ != '\\') {
                text += *p_++;
                continue;
            }
            if (++p_ == end_) return;
            appendEscape(text, *p_++);
        }
        value.size = text.size();
        value.data = builder_.keep(text.data(), text.size());
    }

    void appendEscape(std::string& text, char c) {
        constexpr char kLetters[] = "\"\\/bfnrt", kMeanings[] = "\"\\/\b\f\n\r\t";
        if (c == 'u') {
            std::uint32_t code = parseHex();
            if (code >= 0xd800 && code < 0xdc00 && skipWord("\\u"))
                code = 0x10000 + ((code - 0xd800) << 10) + ((parseHex() - 0xdc00) & 0x3ff);
            return appendUtf8(text, code);
        }
        const char* const letter = c ? std::strchr(kLetters, c) : nullptr;
        if (!letter) fail("this escape is unknown");
        text += kMeanings[letter - kLetters];
    }

    std::uint32_t parseHex() {
        std::uint32_t code = 0;
        for (int i = 0; i < 4; ++i, ++p_) {
            if (p_ == end_) fail("the text ends inside a string");
            const char c = *p_;
            const bool digit = c >= '0' && c <= '9',
                       letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
            if (!digit && !letter) fail("four hexadecimal digits are expected here");
            code = code * 16 + static_cast<std::uint32_t>(digit ? c - '0' : (c | 32) - 'a' + 10);
        }
        return code;
    }

    const Source& source_;
    TreeBuilder& builder_;
    const char *p_, *end_;
};
}  // namespace

Value parseText(const Source& source, TreeBuilder& builder) { return TextParser(source, builder).document(); }

}  // namespace sunder::json
