#include "core/io/scene_json_units.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

namespace {
struct Unit {
    const char* symbol;
    double scale;
    std::array<int, 4> powers;
    bool takesPrefix;
};

constexpr double kPi = 3.14159265358979323846;
constexpr Unit kUnits[] = {
    {"m", 1, {0, 1, 0, 0}, true},
    {"g", 1e-3, {1, 0, 0, 0}, true},
    {"s", 1, {0, 0, 1, 0}, true},
    {"N", 1, {1, 1, -2, 0}, true},
    {"Pa", 1, {1, -1, -2, 0}, true},
    {"J", 1, {1, 2, -2, 0}, true},
    {"W", 1, {1, 2, -3, 0}, true},
    {"Hz", 1, {0, 0, -1, 0}, true},
    {"rad", 1, {0, 0, 0, 1}, false},
    {"deg", kPi / 180, {0, 0, 0, 1}, false},
    {"rpm", kPi / 30, {0, 0, -1, 1}, false},
    {"min", 60, {0, 0, 1, 0}, false},
    {"h", 3600, {0, 0, 1, 0}, false},
    {"t", 1000, {1, 0, 0, 0}, false},
    {"l", 1e-3, {0, 3, 0, 0}, true},
    {"bar", 1e5, {1, -1, -2, 0}, false},
    {"%", 0.01, {0, 0, 0, 0}, false},
};

struct Prefix {
    char letter;
    double scale;
};
constexpr Prefix kPrefixes[] = {{'T', 1e12}, {'G', 1e9},  {'M', 1e6},  {'k', 1e3},
                                {'c', 1e-2}, {'m', 1e-3}, {'u', 1e-6}, {'n', 1e-9}};

constexpr Dimension kNamed[] = {kPlain, kLength,       kTime,          kFrequency, kAngle,    kSpin,
                                kSpeed, kAcceleration, kMass,          kDensity,   kPressure, kViscosity,
                                kForce, kStrength,     kSpringDamping, kArea,      kVolume,   kEnergy};

struct Scaled {
    double scale = 1;
    std::array<int, 4> powers = {0, 0, 0, 0};
};

const Unit* findUnit(const std::string& symbol) {
    for (const Unit& unit : kUnits)
        if (symbol == unit.symbol) return &unit;
    return nullptr;
}

std::string nearestUnit(const std::string& symbol) {
    std::vector<std::string> known;
    for (const Unit& unit : kUnits) {
        known.emplace_back(unit.symbol);
        if (!unit.takesPrefix) continue;
        for (const Prefix& prefix : kPrefixes) known.push_back(prefix.letter + std::string(unit.symbol));
    }
    return nearestWord(symbol, known);
}

/// A unit with or without a prefix; "min" and "m" come before milli-anything.
Scaled lookUp(const std::string& symbol) {
    if (const Unit* unit = findUnit(symbol)) return {unit->scale, unit->powers};
    if (symbol.size() > 1)
        for (const Prefix& prefix : kPrefixes) {
            const Unit* unit = symbol[0] == prefix.letter ? findUnit(symbol.substr(1)) : nullptr;
            if (unit && unit->takesPrefix) return {prefix.scale * unit->scale, unit->powers};
        }
    const std::string nearest = nearestUnit(symbol);
    throw Error(format("the unit '%s' is not known", symbol.c_str()),
                nearest.empty()
                    ? "units are m, g, s, N, Pa, J, W, Hz, deg, rad, rpm with prefixes such as k, M, c, m"
                    : format("did you mean '%s'?", nearest.c_str()));
}

int readPower(const std::string& text, std::size_t& i) {
    if (i < text.size() && text[i] == '^') ++i;
    const bool negative = i < text.size() && text[i] == '-';
    if (negative) ++i;
    int power = 0;
    const std::size_t first = i;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) && power < 10; ++i)
        power = 10 * power + (text[i] - '0');
    if (i == first) return 1;
    return negative ? -power : power;
}

bool isUnitLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '%'; }

/// Units and powers one after another; a slash turns the next one over ("N s/m", "m/s2", "kg/m^3", "1/s").
Scaled parseUnits(const std::string& text) {
    Scaled total;
    int sign = 1;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '/') sign = -1;
        if (c == ' ' || c == '*' || c == '/' || c == '1') {
            ++i;
            continue;
        }
        const std::size_t first = i;
        while (i < text.size() && isUnitLetter(text[i])) ++i;
        if (i == first)
            throw Error(format("'%s' is not a unit", text.c_str()),
                        "write units such as MPa, kg/m3 or N s/m");
        const Scaled unit = lookUp(text.substr(first, i - first));
        const int power = sign * readPower(text, i);
        total.scale *= std::pow(unit.scale, power);
        for (std::size_t k = 0; k < 4; ++k) total.powers[k] += power * unit.powers[k];
        sign = 1;
    }
    return total;
}

std::string describePowers(const std::array<int, 4>& powers, const std::string& units) {
    for (const Dimension& dimension : kNamed)
        if (dimension.powers == powers) return dimension.name;
    return format("in %s", units.c_str());
}

std::string expectation(const Dimension& expected) {
    if (!*expected.unit) return expected.name;
    return format("%s (%s)", expected.name, expected.unit);
}

std::string remedyFor(const Dimension& expected) {
    if (!*expected.unit) return format("write a number without a unit, such as %s", expected.example);
    return format("write a number in %s, or a text such as \"%s\"", expected.unit, expected.example);
}
}  // namespace

double parseQuantity(const std::string& text, const Dimension& expected) {
    const char* const end = text.data() + text.size();
    const char* p = text.data();
    while (p < end && (*p == ' ' || *p == '+')) ++p;
    double value = 0;
    const std::from_chars_result read = std::from_chars(p, end, value);
    if (read.ec == std::errc::invalid_argument)
        throw Error(format("\"%s\" is not a number with a unit", text.c_str()), remedyFor(expected));
    if (read.ec != std::errc() || !std::isfinite(value))
        throw Error(format("\"%s\" is not finite", text.c_str()), remedyFor(expected));
    std::string units(read.ptr, end);
    while (!units.empty() && units.back() == ' ') units.pop_back();
    const std::size_t first = units.find_first_not_of(' ');
    units.erase(0, first == std::string::npos ? units.size() : first);
    if (units.empty()) return value * expected.bareScale;
    const Scaled scaled = parseUnits(units);
    if (scaled.powers != expected.powers)
        throw Error(format("\"%s\" is %s, %s is expected", text.c_str(),
                           describePowers(scaled.powers, units).c_str(), expectation(expected).c_str()),
                    remedyFor(expected));
    return value * scaled.scale * expected.keptScale;
}

}  // namespace sunder
