// Houdini's binary JSON: one byte of token, then its payload (the table is in docs/files.md).
#include <cstring>
#include <unordered_map>

#include "core/io/json_builder.h"

namespace sunder::json {

namespace {
constexpr std::uint32_t kMagic = 0x624a534e, kMagicSwapped = 0x4e534a62;

enum Token : std::uint8_t {
    kNull = 0x00,
    kBool = 0x10,
    kInt8 = 0x11,
    kInt16 = 0x12,
    kInt32 = 0x13,
    kInt64 = 0x14,
    kReal16 = 0x18,
    kReal32 = 0x19,
    kReal64 = 0x1a,
    kUint8 = 0x21,
    kUint16 = 0x22,
    kTokenRef = 0x26,
    kString = 0x27,
    kTokenDef = 0x2b,
    kTokenUndef = 0x2d,
    kFalse = 0x30,
    kTrue = 0x31,
    kUniform = 0x40,
    kArrayBegin = 0x5b,
    kArrayEnd = 0x5d,
    kMapBegin = 0x7b,
    kMapEnd = 0x7d
};

/// Bytes of one number of a token's type, 0 for other tokens.
std::size_t numberSize(std::uint8_t token, NumberType& type) {
    switch (token) {
        case kInt8:
            return type = NumberType::kInt8, 1;
        case kInt16:
            return type = NumberType::kInt16, 2;
        case kInt32:
            return type = NumberType::kInt32, 4;
        case kInt64:
            return type = NumberType::kInt64, 8;
        case kUint8:
            return type = NumberType::kUint8, 1;
        case kUint16:
            return type = NumberType::kUint16, 2;
        case kReal16:
            return type = NumberType::kReal16, 2;
        case kReal32:
            return type = NumberType::kReal32, 4;
        case kReal64:
            return type = NumberType::kReal64, 8;
        default:
            return 0;
    }
}

class BinaryParser {
  public:
    BinaryParser(const Source& source, TreeBuilder& builder)
        : source_(source), builder_(builder), p_(source.bytes.begin()), end_(source.bytes.end()) {}

    Value document() {
        p_ += 1;
        const auto magic = readNumber<std::uint32_t>();
        swapped_ = magic == kMagicSwapped;
        Value value;
        if (!parseValue(0, value)) fail("an end of array or map stands at the start");
        if (p_ != end_) fail("there is something behind the end of the geometry");
        return value;
    }

  private:
    [[noreturn]] void fail(const char* what) const { source_.fail(source_.offsetOf(p_), what); }
    std::size_t left() const { return static_cast<std::size_t>(end_ - p_); }
    const std::uint8_t* readBytes(std::size_t size) {
        if (left() < size) fail("the file ends in the middle of a value");
        const std::uint8_t* const bytes = p_;
        p_ += size;
        return bytes;
    }
    std::uint8_t readByte() { return *readBytes(1); }

    template <class T>
    T readNumber() {
        const std::uint8_t* const bytes = readBytes(sizeof(T));
        std::uint8_t ordered[sizeof(T)];
        for (std::size_t i = 0; i < sizeof(T); ++i) ordered[i] = bytes[swapped_ ? sizeof(T) - 1 - i : i];
        T value;
        std::memcpy(&value, ordered, sizeof(T));
        return value;
    }

    std::uint64_t readLength() {
        const std::uint8_t first = readByte();
        if (first < 0xf1) return first;
        if (first == 0xf2) return readNumber<std::uint16_t>();
        if (first == 0xf4) return readNumber<std::uint32_t>();
        if (first == 0xf8) return readNumber<std::uint64_t>();
        fail("a length is written in an unknown way");
    }

    std::string_view readText() {
        const std::uint64_t size = readLength();
        if (size > left()) fail("a string is longer than the file");
        return {reinterpret_cast<const char*>(readBytes(static_cast<std::size_t>(size))),
                static_cast<std::size_t>(size)};
    }

    std::uint8_t readToken() {
        std::uint8_t token = readByte();
        for (; token == kTokenDef || token == kTokenUndef; token = readByte()) {
            const std::uint64_t id = readLength();
            if (token == kTokenDef)
                tokens_[id] = readText();
            else
                tokens_.erase(id);
        }
        return token;
    }

    Value textValue(std::string_view text, std::size_t offset) const {
        Value value;
        value.kind = Kind::kString;
        value.offset = offset;
        value.data = text.data();
        value.size = text.size();
        return value;
    }

    /// False for the token that ends an array or a map, which is left in ended_.
    bool parseValue(int depth, Value& value) {
        const std::uint8_t token = readToken();
        const std::size_t offset = source_.offsetOf(p_) - 1;
        builder_.checkDepth(depth, offset);
        value = Value();
        value.offset = offset;
        switch (token) {
            case kNull:
                return true;
            case kArrayBegin:
                value = parseItems(Kind::kArray, depth, offset);
                return true;
            case kMapBegin:
                value = parseItems(Kind::kMap, depth, offset);
                return true;
            case kArrayEnd:
            case kMapEnd:
                ended_ = token;
                return false;
            case kString:
                value = textValue(readText(), offset);
                return true;
            case kTokenRef:
                value = textValue(tokenText(readLength()), offset);
                return true;
            case kUniform:
                parseUniform(value);
                return true;
            case kBool:
                return setBool(value, readByte() != 0);
            case kFalse:
            case kTrue:
                return setBool(value, token == kTrue);
            default:
                parseNumber(token, value);
                return true;
        }
    }

    static bool setBool(Value& value, bool truth) {
        value.kind = Kind::kBool;
        value.truth = truth;
        return true;
    }

    std::string_view tokenText(std::uint64_t id) const {
        const auto it = tokens_.find(id);
        if (it == tokens_.end()) fail("a string is referred to that was never defined");
        return it->second;
    }

    void parseNumber(std::uint8_t token, Value& value) {
        const std::size_t size = numberSize(token, value.type);
        if (size == 0) source_.fail(value.offset, format("token 0x%02x is unknown", token));
        value.kind = Kind::kNumber;
        value.isSwapped = swapped_;
        value.size = 1;
        value.data = readBytes(size);
    }

    void parseUniform(Value& value) {
        const std::uint8_t token = readByte();
        const std::uint64_t count = readLength();
        value.kind = Kind::kNumbers;
        value.isSwapped = swapped_;
        if (token == kString) return parseUniformStrings(value, count);
        std::size_t size = numberSize(token, value.type);
        std::uint64_t cells = count;
        if (token == kBool) {
            value.type = NumberType::kBits;
            size = 4;
            cells = count / 32 + (count % 32 != 0);
        }
        if (size == 0)
            source_.fail(value.offset, format("a uniform array of token 0x%02x is unknown", token));
        if (cells > left() / size) fail("an array is longer than the file");
        value.size = static_cast<std::size_t>(count);
        value.data = readBytes(static_cast<std::size_t>(cells) * size);
    }

    void parseUniformStrings(Value& value, std::uint64_t count) {
        if (count > left()) fail("an array is longer than the file");
        const std::size_t mark = builder_.mark();
        for (std::uint64_t i = 0; i < count; ++i) builder_.push(textValue(readText(), source_.offsetOf(p_)));
        value = builder_.close(Kind::kArray, mark, value.offset);
    }

    Value parseItems(Kind kind, int depth, std::size_t offset) {
        const std::size_t mark = builder_.mark();
        Value item;
        while (parseValue(depth + 1, item)) builder_.push(item);
        if (ended_ != (kind == Kind::kArray ? kArrayEnd : kMapEnd))
            fail("an array and a map are closed crosswise");
        const Value value = builder_.close(kind, mark, offset);
        if (kind == Kind::kMap && value.size % 2 != 0) fail("a map has a key without a value");
        return value;
    }

    const Source& source_;
    TreeBuilder& builder_;
    const std::uint8_t *p_, *end_;
    bool swapped_ = false;
    std::uint8_t ended_ = 0;
    std::unordered_map<std::uint64_t, std::string_view> tokens_;
};
}  // namespace

bool isBinary(Span<const std::uint8_t> bytes) {
    if (bytes.size() < 5 || bytes[0] != 0x7f) return false;
    std::uint32_t magic;
    std::memcpy(&magic, bytes.data() + 1, 4);
    return magic == kMagic || magic == kMagicSwapped;
}

Value parseBinary(const Source& source, TreeBuilder& builder) {
    return BinaryParser(source, builder).document();
}

Document parse(const Source& source, const ReadLimits& limits) {
    Document document;
    document.source = source;
    document.source.isText = !isBinary(source.bytes);
    TreeBuilder builder(document.source, limits, document);
    document.root =
        document.source.isText ? parseText(document.source, builder) : parseBinary(document.source, builder);
    return document;
}

}  // namespace sunder::json
