#include "core/io/json_writer.h"

#include <cstring>
#include <utility>

#include "core/io/number_text.h"

namespace sunder::json {

namespace {
class TextWriter final : public Writer {
  public:
    void beginArray() override { open('['); }
    void endArray() override { close(']'); }
    void beginMap() override { open('{'); }
    void endMap() override { close('}'); }
    void string(std::string_view text) override {
        separate();
        quote(text);
    }
    void integer(std::int64_t value) override {
        separate();
        appendNumber(out_, value);
    }
    void boolean(bool value) override {
        separate();
        out_ += value ? "true" : "false";
    }
    void numbers(Span<const float> values) override { list(values); }
    void numbers(Span<const double> values) override { list(values); }
    void numbers(Span<const std::int32_t> values) override { list(values); }
    void numbers(Span<const std::int64_t> values) override { list(values); }
    void numbers(Span<const std::uint8_t> values) override { list(values); }
    void flags(Span<const std::uint8_t> zerosAndOnes) override { list(zerosAndOnes); }
    std::vector<std::uint8_t> take() override {
        out_ += '\n';
        return {out_.begin(), out_.end()};
    }

  private:
    struct Level {
        bool isMap;
        std::size_t count;
    };

    void separate() {
        if (levels_.empty()) return;
        Level& level = levels_.back();
        const bool isValue = level.isMap && level.count % 2 == 1;
        if (level.count > 0) out_ += isValue ? ':' : ',';
        // keys of the outermost array one a line, so that people and diff can read it
        if (levels_.size() == 1 && level.count % 2 == 0) out_ += '\n';
        ++level.count;
    }
    void open(char bracket) {
        separate();
        if (levels_.size() == 2 || levels_.size() == 3) out_ += '\n';
        out_ += bracket;
        levels_.push_back({bracket == '{', 0});
    }
    void close(char bracket) {
        levels_.pop_back();
        out_ += bracket;
    }
    void quote(std::string_view text) {
        out_ += '"';
        for (const char c : text) {
            if (c == '"' || c == '\\') {
                out_ += '\\';
                out_ += c;
            } else if (static_cast<unsigned char>(c) < 0x20) {
                constexpr char kHex[] = "0123456789abcdef";
                out_ += "\\u00";
                out_ += kHex[c >> 4 & 15];
                out_ += kHex[c & 15];
            } else {
                out_ += c;
            }
        }
        out_ += '"';
    }
    template <class T>
    void list(Span<const T> values) {
        separate();
        out_ += '[';
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0) out_ += ',';
            if constexpr (std::is_integral_v<T>)
                appendNumber(out_, static_cast<std::int64_t>(values[i]));
            else
                appendNumber(out_, values[i]);
        }
        out_ += ']';
    }

    std::string out_;
    std::vector<Level> levels_;
};

/// Always little-endian, so that the same geometry gives the same bytes.
class BinaryWriter final : public Writer {
  public:
    BinaryWriter() : out_{0x7f, 0x4e, 0x53, 0x4a, 0x62} {}
    void beginArray() override { out_.push_back(0x5b); }
    void endArray() override { out_.push_back(0x5d); }
    void beginMap() override { out_.push_back(0x7b); }
    void endMap() override { out_.push_back(0x7d); }
    void string(std::string_view text) override {
        out_.push_back(0x27);
        length(text.size());
        append(text.data(), text.size());
    }
    void integer(std::int64_t value) override {
        const bool fits = value >= INT32_MIN && value <= INT32_MAX;
        out_.push_back(fits ? 0x13 : 0x14);
        littleEndian(static_cast<std::uint64_t>(value), fits ? 4 : 8);
    }
    void boolean(bool value) override { out_.push_back(value ? 0x31 : 0x30); }
    void numbers(Span<const float> values) override { uniform(0x19, values); }
    void numbers(Span<const double> values) override { uniform(0x1a, values); }
    void numbers(Span<const std::int32_t> values) override { uniform(0x13, values); }
    void numbers(Span<const std::int64_t> values) override { uniform(0x14, values); }
    void numbers(Span<const std::uint8_t> values) override { uniform(0x21, values); }
    void flags(Span<const std::uint8_t> zerosAndOnes) override { uniform(0x11, zerosAndOnes); }
    std::vector<std::uint8_t> take() override { return std::move(out_); }

  private:
    void append(const void* data, std::size_t size) {
        const auto* bytes = static_cast<const std::uint8_t*>(data);
        out_.insert(out_.end(), bytes, bytes + size);
    }
    void littleEndian(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) out_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    void length(std::uint64_t size) {
        if (size < 0xf1) return out_.push_back(static_cast<std::uint8_t>(size));
        const int bytes = size <= 0xffff ? 2 : size <= 0xffffffff ? 4 : 8;
        out_.push_back(static_cast<std::uint8_t>(0xf0 + bytes));
        littleEndian(size, bytes);
    }
    template <class T>
    void uniform(std::uint8_t token, Span<const T> values) {
        static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the numbers are copied as they are");
        out_.push_back(0x40);
        out_.push_back(token);
        length(values.size());
        append(values.data(), values.size() * sizeof(T));
    }

    std::vector<std::uint8_t> out_;
};
}  // namespace

std::unique_ptr<Writer> makeTextWriter() { return std::make_unique<TextWriter>(); }
std::unique_ptr<Writer> makeBinaryWriter() { return std::make_unique<BinaryWriter>(); }

}  // namespace sunder::json
