#pragma once

#include <Eigen/Core>
#include <string>

namespace sunder::render {

/// Red, green, blue in [0, 1]; sRGB-encoded where a person chooses it, linear where light is computed.
using Color = Eigen::Vector3d;

/// All but the categories are evenly spaced in OKLab, so that equal steps of the value look like equal steps
/// of colour.
enum class ColorMap {
    kSequential,  ///< dark violet, teal, yellow
    kHeat,        ///< black, red, yellow
    kDiverging,   ///< blue, white, red: for values around zero
    kCategories,  ///< one colour for each integer: pieces, materials
};

/// Colours of categories repeat after so many: a multiple of the three lightnesses at whose seam hues differ
/// as well.
inline constexpr int kCategoryCount = 4098;

/// For values that are not a number.
inline const Color kWarningColor(1, 0, 0.8);

/// The colour at t in [0, 1] (clamped), sRGB-encoded. NaN gives kWarningColor.
Color colorAt(ColorMap map, double t);
/// The colour of category `k`, sRGB-encoded.
Color categoryColor(long long k);

Color linearFromSrgb(const Color& c);
Color srgbFromLinear(const Color& c);
/// Lightness and the two opponent axes of OKLab, of an sRGB-encoded colour.
Eigen::Vector3d okLabFromSrgb(const Color& c);

/// The map called sequential, heat, diverging or categories; throws Error with the nearest name.
ColorMap colorMapNamed(const std::string& name);

}  // namespace sunder::render
