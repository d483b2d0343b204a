#include "core/io/json_value.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/base/text.h"
#include "core/io/number_text.h"

namespace sunder::json {

namespace {
template <class From>
From load(const std::uint8_t* p, bool swapped) {
    std::uint8_t bytes[sizeof(From)];
    for (std::size_t i = 0; i < sizeof(From); ++i) bytes[i] = p[swapped ? sizeof(From) - 1 - i : i];
    From value;
    std::memcpy(&value, bytes, sizeof(From));
    return value;
}

template <class T, class From>
bool convert(From from, T& to) {
    if constexpr (std::is_same_v<T, From>) {
        to = from;
    } else if constexpr (std::is_same_v<T, double> && std::is_same_v<From, float>) {
        to = widen(from);
    } else if constexpr (std::is_same_v<T, float> && std::is_same_v<From, double>) {
        to = narrow(from);
    } else if constexpr (std::is_floating_point_v<T>) {
        to = static_cast<T>(from);
    } else if constexpr (std::is_floating_point_v<From>) {
        if (!(from == std::floor(from)) || !(std::abs(from) < From(0x1p53))) return false;
        return convert(static_cast<std::int64_t>(from), to);
    } else {
        const auto wide = static_cast<std::int64_t>(from);
        if (wide < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
            wide > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
            return false;
        to = static_cast<T>(wide);
    }
    return true;
}

template <class T>
class NumberAppender {
  public:
    NumberAppender(const Source& source, const Value& value, std::vector<T>& out)
        : source_(source), value_(value), bytes_(static_cast<const std::uint8_t*>(value.data)), out_(out) {}

    void run() {
        switch (value_.type) {
            case NumberType::kText:
                return fromText();
            case NumberType::kBits:
                return fromBits();
            case NumberType::kReal16:
                return fromHalf();
            case NumberType::kInt8:
                return fromPacked<std::int8_t>();
            case NumberType::kInt16:
                return fromPacked<std::int16_t>();
            case NumberType::kInt32:
                return fromPacked<std::int32_t>();
            case NumberType::kInt64:
                return fromPacked<std::int64_t>();
            case NumberType::kUint8:
                return fromPacked<std::uint8_t>();
            case NumberType::kUint16:
                return fromPacked<std::uint16_t>();
            case NumberType::kReal32:
                return fromPacked<float>();
            case NumberType::kReal64:
                return fromPacked<double>();
        }
    }

  private:
    [[noreturn]] void fail(const void* place) const {
        source_.fail(source_.offsetOf(place), "this number cannot be held by the type it is meant for");
    }

    void fromText() {
        const char* p = reinterpret_cast<const char*>(bytes_);
        for (std::size_t i = 0; i < value_.size; ++i) {
            while (*p == ',' || *p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') ++p;
            T number{};
            if (!parseNumber(p, source_.end(), number)) fail(p);
            if (p != source_.end() && !std::strchr(", \t\r\n]}", *p)) fail(p);
            out_.push_back(number);
        }
    }

    void fromBits() {
        for (std::size_t i = 0; i < value_.size; ++i) {
            const auto word = load<std::uint32_t>(bytes_ + i / 32 * 4, value_.isSwapped);
            out_.push_back(static_cast<T>(word >> i % 32 & 1));
        }
    }

    void fromHalf() {
        for (std::size_t i = 0; i < value_.size; ++i) {
            T number{};
            if (!convert(halfToFloat(load<std::uint16_t>(bytes_ + 2 * i, value_.isSwapped)), number))
                fail(bytes_ + 2 * i);
            out_.push_back(number);
        }
    }

    template <class From>
    void fromPacked() {
        const std::size_t start = out_.size();
        out_.resize(start + value_.size);
        if (std::is_same_v<T, From> && !value_.isSwapped) {
            if (value_.size > 0) std::memcpy(out_.data() + start, bytes_, value_.size * sizeof(From));
            return;
        }
        for (std::size_t i = 0; i < value_.size; ++i)
            if (!convert(load<From>(bytes_ + i * sizeof(From), value_.isSwapped), out_[start + i]))
                fail(bytes_ + i * sizeof(From));
    }

    const Source& source_;
    const Value& value_;
    const std::uint8_t* bytes_;
    std::vector<T>& out_;
};
}  // namespace

const Value* find(const Value& pairs, std::string_view key) {
    const auto items = pairs.items();
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
        if (items[i].isString() && items[i].text() == key) return &items[i + 1];
    return nullptr;
}

const Value* find(const Value& pairs, std::string_view key, std::string_view alias) {
    const Value* value = find(pairs, key);
    return value ? value : find(pairs, alias);
}

std::size_t countNumbers(const Value& value) {
    if (value.isNumeric()) return value.size;
    if (value.kind == Kind::kBool) return 1;
    std::size_t count = 0;
    for (const Value& item : value.items()) count += countNumbers(item);
    return count;
}

template <class T>
void appendNumbers(const Source& source, const Value& value, std::vector<T>& out) {
    if (value.isNumeric()) return NumberAppender<T>(source, value, out).run();
    if (value.kind == Kind::kBool) return out.push_back(static_cast<T>(value.truth));
    if (value.kind != Kind::kArray) source.fail(value.offset, "a number is expected here");
    for (const Value& item : value.items()) appendNumbers(source, item, out);
}

template void appendNumbers(const Source&, const Value&, std::vector<float>&);
template void appendNumbers(const Source&, const Value&, std::vector<double>&);
template void appendNumbers(const Source&, const Value&, std::vector<std::int32_t>&);
template void appendNumbers(const Source&, const Value&, std::vector<std::int64_t>&);
template void appendNumbers(const Source&, const Value&, std::vector<std::uint8_t>&);

std::int64_t integer(const Source& source, const Value& value) {
    std::vector<std::int64_t> numbers;
    if (value.kind == Kind::kBool || (value.isNumeric() && value.size == 1))
        appendNumbers(source, value, numbers);
    if (numbers.size() != 1) source.fail(value.offset, "one whole number is expected here");
    return numbers[0];
}

}  // namespace sunder::json
