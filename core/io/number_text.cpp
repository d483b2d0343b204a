#include "core/io/number_text.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <system_error>
#include <type_traits>

namespace sunder {

namespace {
template <class To, class From>
To bitCast(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// True if the decimal number in [p, end) is at least 1 in magnitude. Only asked of numbers beyond the range
/// of double, where it tells those that are too large from those that are too small.
bool isLarge(const char* p, const char* end) {
    long order = 0;
    bool started = false, afterPoint = false;
    for (; p != end && (isDigit(*p) || *p == '.' || *p == '-'); ++p) {
        if (*p == '.') afterPoint = true;
        started = started || (isDigit(*p) && *p != '0');
        if (isDigit(*p) && started && !afterPoint) ++order;
        if (isDigit(*p) && !started && afterPoint) --order;
    }
    if (p == end) return order > 0;
    const bool negative = ++p != end && *p == '-';
    if (p != end && (*p == '-' || *p == '+')) ++p;
    long exponent = 0;
    for (; p != end && isDigit(*p) && exponent < (1L << 40); ++p) exponent = 10 * exponent + (*p - '0');
    return order + (negative ? -exponent : exponent) > 0;
}

template <class T>
bool parseReal(const char*& p, const char* end, T& value) {
    const auto [stop, error] = std::from_chars(p, end, value);
    if (error == std::errc::invalid_argument) return false;
    if (error == std::errc::result_out_of_range) {
        const T magnitude = isLarge(p, stop) ? std::numeric_limits<T>::infinity() : T(0);
        value = *p == '-' ? -magnitude : magnitude;
    }
    p = stop;
    return true;
}

template <class T>
bool parseInteger(const char*& p, const char* end, T& value) {
    std::int64_t whole = 0;
    const auto [stop, error] = std::from_chars(p, end, whole);
    if (error == std::errc() && (stop == end || (*stop != '.' && *stop != 'e' && *stop != 'E'))) {
        value = static_cast<T>(whole);
        p = stop;
        return static_cast<std::int64_t>(value) == whole;
    }
    double real = 0;
    const char* const start = p;
    if (!parseReal(p, end, real)) return false;
    if (real == std::floor(real) && std::abs(real) < 0x1p53) {
        value = static_cast<T>(static_cast<std::int64_t>(real));
        if (static_cast<double>(value) == real) return true;
    }
    p = start;
    return false;
}

template <class T>
void appendReal(std::string& text, T value) {
    if (std::isnan(value)) {
        text += "NaN";
    } else if (std::isinf(value)) {
        text += value < 0 ? "-Infinity" : "Infinity";
    } else if (value == 0 && std::signbit(value)) {
        text += "-0.0";  // a reader may take -0 for a whole number, which has no sign
    } else {
        char digits[32];
        text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    }
}
}  // namespace

template <class T>
bool parseNumber(const char*& p, const char* end, T& value) {
    const char* q = p;
    if (q != end && *q == '+' && q + 1 != end && q[1] != '-') ++q;
    bool found;
    if constexpr (std::is_floating_point_v<T>)
        found = parseReal(q, end, value);
    else
        found = parseInteger(q, end, value);
    if (found) p = q;
    return found;
}

template bool parseNumber(const char*&, const char*, float&);
template bool parseNumber(const char*&, const char*, double&);
template bool parseNumber(const char*&, const char*, std::int32_t&);
template bool parseNumber(const char*&, const char*, std::int64_t&);
template bool parseNumber(const char*&, const char*, std::uint8_t&);

void appendNumber(std::string& text, float value) { appendReal(text, value); }
void appendNumber(std::string& text, double value) { appendReal(text, value); }
void appendNumber(std::string& text, std::int64_t value) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

double widen(float value) {
    if (!std::isnan(value)) return static_cast<double>(value);
    const auto bits = static_cast<std::uint64_t>(bitCast<std::uint32_t>(value));
    return bitCast<double>((bits >> 31) << 63 | std::uint64_t{0x7ff} << 52 | (bits & 0x7fffff) << 29);
}

float narrow(double value) {
    if (!std::isnan(value)) return static_cast<float>(value);
    const auto bits = bitCast<std::uint64_t>(value);
    auto payload = static_cast<std::uint32_t>(bits >> 29) & 0x7fffff;
    if (payload == 0) payload = 0x400000;  // all of it below float's last bit: still not a number
    return bitCast<float>(static_cast<std::uint32_t>(bits >> 63) << 31 | 0x7f800000u | payload);
}

float halfToFloat(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half >> 15) << 31;
    const std::uint32_t exponent = (half >> 10) & 31, mantissa = half & 1023;
    if (exponent == 31) return bitCast<float>(sign | 0x7f800000u | mantissa << 13);
    if (exponent != 0) return bitCast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
    const float small = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -small : small;
}

}  // namespace sunder
