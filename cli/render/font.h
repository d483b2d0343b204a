#pragma once

#include <string>

#include "cli/render/image.h"

namespace sunder::render {

/// How text looks: a stroke font, capitals seven units tall.
struct TextStyle {
    double unit = 1.5;  ///< pixels
    Color color = {0.15, 0.15, 0.17};
    Color halo = {1, 1, 1};  ///< keeps text legible over the model
    double haloStrength = 0.5;
};

/// Pixels from the first stroke to the last one.
double textWidth(const std::string& text, double unit);
/// Height of capitals, pixels.
inline double capHeight(double unit) { return 7 * unit; }
/// Draws UTF-8 text whose baseline starts at (x, y), pixels from the top left. Characters without a drawing
/// become a box.
void drawText(Image& image, double x, double y, const std::string& text, const TextStyle& style);

}  // namespace sunder::render
