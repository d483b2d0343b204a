#pragma once

#include <string_view>

#include "core/io/number_text.h"
#include "core/io/source.h"

namespace sunder {

/// Steps through a text word by word. A backslash at the end of a line joins it with the next, # starts a
/// comment.
class TextScanner {
  public:
    explicit TextScanner(const Source& source) : source_(source), p_(source.begin()), end_(source.end()) {}

    bool atEnd() const { return p_ == end_; }
    std::size_t offset() const { return source_.offsetOf(p_); }
    [[noreturn]] void fail(const std::string& what) const {
        source_.fail(offset(), what, "repair that line, or export the file again");
    }
    /// True if nothing but blanks and a comment is left of the line.
    bool atLineEnd() {
        skipBlanks();
        return p_ == end_ || *p_ == '\n' || *p_ == '#';
    }
    void nextLine() {
        while (p_ != end_ && *p_ != '\n') skipOne();
        if (p_ != end_) ++p_;
    }
    /// The next word of this line, empty at its end.
    std::string_view word() {
        if (atLineEnd()) return {};
        const char* const start = p_;
        while (p_ != end_ && !isBlank(*p_) && *p_ != '\n') ++p_;
        return {start, static_cast<std::size_t>(p_ - start)};
    }
    /// What is left of the line, without blanks at its ends.
    std::string_view rest() {
        skipBlanks();
        const char* const start = p_;
        while (p_ != end_ && *p_ != '\n') ++p_;
        const char* last = p_;
        while (last != start && isBlank(last[-1])) --last;
        return {start, static_cast<std::size_t>(last - start)};
    }
    /// Skips blanks and empty lines.
    void skipSpace() {
        while (p_ != end_ && (isBlank(*p_) || *p_ == '\n')) ++p_;
    }
    template <class T>
    bool number(T& value) {
        skipBlanks();
        return parseNumber(p_, end_, value);
    }
    /// The same digits in both precisions, each rounded once.
    bool number(double& value, float& single) {
        skipBlanks();
        const char* p = p_;
        return parseNumber(p, end_, single) && parseNumber(p_, end_, value);
    }
    /// A character directly at hand.
    bool skip(char c) {
        if (p_ == end_ || *p_ != c) return false;
        ++p_;
        return true;
    }

  private:
    static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
    bool atJoin() const {
        if (*p_ != '\\' || p_ + 1 == end_) return false;
        return p_[1] == '\n' || (p_[1] == '\r' && p_ + 2 != end_ && p_[2] == '\n');
    }
    void skipOne() {
        if (!atJoin()) {
            ++p_;
            return;
        }
        while (*p_ != '\n') ++p_;
        ++p_;
    }
    void skipBlanks() {
        while (p_ != end_ && (isBlank(*p_) || atJoin())) skipOne();
    }

    const Source& source_;
    const char *p_, *end_;
};

}  // namespace sunder
