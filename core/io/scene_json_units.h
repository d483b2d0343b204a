#pragma once

#include <array>
#include <string>

namespace sunder {

/// What a number measures: powers of kg, m, s and rad, and the unit that a bare number has in a scene file.
struct Dimension {
    const char* name;           ///< with its article, for messages: "a length"
    const char* unit;           ///< "m"; empty for plain numbers
    std::array<int, 4> powers;  ///< of kg, m, s, rad
    double bareScale = 1;       ///< SI value of a bare 1
    const char* example = "";   ///< a value with a unit
    double keptScale = 1;       ///< value in the struct for an SI value of 1
};

inline constexpr Dimension kPlain{"a plain number", "", {0, 0, 0, 0}, 1, "0.3"};
inline constexpr Dimension kLength{"a length", "m", {0, 1, 0, 0}, 1, "20 mm"};
inline constexpr Dimension kTime{"a time", "s", {0, 0, 1, 0}, 1, "0.5 s"};
inline constexpr Dimension kFrequency{"a frequency", "1/s", {0, 0, -1, 0}, 1, "24 Hz"};
inline constexpr Dimension kAngle{"an angle", "deg", {0, 0, 0, 1}, 0.017453292519943295, "30 deg"};
/// An angle that is kept in degrees.
inline constexpr Dimension kMeshAngle{"an angle", "deg", {0, 0, 0, 1}, 1, "10 deg", 57.295779513082323};
inline constexpr Dimension kSpin{
    "a speed of rotation", "deg/s", {0, 0, -1, 1}, 0.017453292519943295, "90 deg/s"};
inline constexpr Dimension kSpeed{"a speed", "m/s", {0, 1, -1, 0}, 1, "2 m/s"};
inline constexpr Dimension kAcceleration{"an acceleration", "m/s2", {0, 1, -2, 0}, 1, "-9.81 m/s2"};
inline constexpr Dimension kMass{"a mass", "kg", {1, 0, 0, 0}, 1, "2 kg"};
inline constexpr Dimension kDensity{"a density", "kg/m3", {1, -3, 0, 0}, 1, "1000 kg/m3"};
inline constexpr Dimension kPressure{"a modulus or pressure", "Pa", {1, -1, -2, 0}, 1, "5 MPa"};
inline constexpr Dimension kViscosity{"a viscosity", "Pa s", {1, -1, -1, 0}, 1, "20 Pa s"};
inline constexpr Dimension kForce{"a force", "N", {1, 1, -2, 0}, 1, "3 N"};
inline constexpr Dimension kStrength{"a spring strength", "N/m", {1, 0, -2, 0}, 1, "500 N/m"};
inline constexpr Dimension kSpringDamping{"a spring damping", "N s/m", {1, 0, -1, 0}, 1, "2 N s/m"};
inline constexpr Dimension kArea{"an area", "m2", {0, 2, 0, 0}, 1, "4 cm2"};
inline constexpr Dimension kVolume{"a volume", "m3", {0, 3, 0, 0}, 1, "1 l"};
inline constexpr Dimension kFractureEnergy{"a fracture energy", "J/m2", {1, 0, -2, 0}, 1, "8 J/m2"};
inline constexpr Dimension kEnergy{"an energy", "J", {1, 2, -2, 0}, 1, "3 J"};

/// A value with a unit, such as "5 MPa", "-9.81 m/s^2", "1.2 g/cm3" or "20 N s/m", in SI units. A text
/// without a unit counts as the bare number. Throws Error if it is no number, not finite, or measures
/// something else; the message has no place in it.
double parseQuantity(const std::string& text, const Dimension& expected);

}  // namespace sunder
