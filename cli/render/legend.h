#pragma once

#include "cli/render/image.h"
#include "cli/render/options.h"

namespace sunder::render {

/// Where the colour bar stands, pixels.
struct LegendLayout {
    int barX0, barX1, barY0, barY1;  ///< the colours fill [X0, X1) x [Y0, Y1); the high end is on top
    double unit;                     ///< of the text
};
LegendLayout legendLayout(const RenderOptions& options);

/// Numbers for the ends and three places between, in one power of a thousand, which becomes the unit's
/// prefix.
struct LegendNumbers {
    std::array<std::string, 5> labels;  ///< from low to high
    std::string unit;                   ///< "MPa", "x 10^6", or empty
};
LegendNumbers legendNumbers(const ValueRange& range, const std::string& unit);

/// Colour bar with numbers, the attribute's name and its unit; and what the warning colour means if the
/// picture has any.
void drawLegend(Image& image, const RenderOptions& options, const ValueRange& range, bool hasNan);
/// One line at the bottom left.
void drawCaption(Image& image, const RenderOptions& options, const std::string& text);

}  // namespace sunder::render
