#pragma once

#include <cstdint>
#include <string>

namespace sunder {

/// Reads a number at `p` and moves `p` behind it; false if there is none. Knows no locale. Accepts a leading
/// plus, nan and inf in the usual spellings; what is too large becomes infinite and what is too small zero.
/// Integers accept 3.0 but not 3.5 and must fit.
template <class T>
bool parseNumber(const char*& p, const char* end, T& value);

/// Appends the fewest digits that read back as the same bits; NaN, Infinity and -Infinity where there are no
/// digits.
void appendNumber(std::string& text, float value);
void appendNumber(std::string& text, double value);
void appendNumber(std::string& text, std::int64_t value);

/// Conversions that keep every bit of a NaN that fits, which a cast does not.
double widen(float value);
float narrow(double value);
float halfToFloat(std::uint16_t half);

}  // namespace sunder
