#include "cli/render/legend.h"

#include <algorithm>
#include <cmath>

#include "cli/render/font.h"
#include "cli/render/view.h"
#include "core/base/text.h"

namespace sunder::render {

namespace {
double scaleOf(const RenderOptions& options) { return options.height / 540.0; }

/// Dark text on a light wall and the other way round.
TextStyle textStyle(const RenderOptions& options, double unit) {
    TextStyle style;
    style.unit = unit;
    const Color wall = (options.backgroundTop + options.backgroundBottom) / 2;
    const bool isLight = okLabFromSrgb(wall)[0] > 0.6;
    style.color = isLight ? Color(0.16, 0.17, 0.19) : Color(0.93, 0.93, 0.93);
    style.halo = wall;
    return style;
}

void fillRect(Image& image, int x0, int y0, int x1, int y1, const Color& color) {
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) image.blend(x, y, color, 1);
}

void drawBar(Image& image, const LegendLayout& l, ColorMap map, const Color& frame) {
    fillRect(image, l.barX0 - 1, l.barY0 - 1, l.barX1 + 1, l.barY1 + 1, frame);
    const int height = l.barY1 - l.barY0;
    for (int y = 0; y < height; ++y)
        fillRect(image, l.barX0, l.barY0 + y, l.barX1, l.barY0 + y + 1, colorAt(map, 1 - (y + 0.5) / height));
}

void drawTicks(Image& image, const LegendLayout& l, const LegendNumbers& numbers, const TextStyle& style) {
    const int tick = std::max(3, static_cast<int>(2.5 * l.unit));
    for (std::size_t i = 0; i < numbers.labels.size(); ++i) {
        const double t = static_cast<double>(i) / static_cast<double>(numbers.labels.size() - 1);
        const int y = static_cast<int>(std::lround(l.barY1 - 1 - t * (l.barY1 - 1 - l.barY0)));
        fillRect(image, l.barX1 + 1, y, l.barX1 + 1 + tick, y + 1, style.color);
        drawText(image, l.barX1 + tick + 4 * l.unit, y + capHeight(l.unit) / 2, numbers.labels[i], style);
    }
}

/// The longest text that fits, its tail replaced by dots.
std::string shortened(std::string text, double unit, double width) {
    if (textWidth(text, unit) <= width) return text;
    while (!text.empty() && textWidth(text + "...", unit) > width) text.pop_back();
    return text + "...";
}
}  // namespace

LegendLayout legendLayout(const RenderOptions& options) {
    const double s = scaleOf(options);
    LegendLayout l;
    l.unit = 1.5 * s;
    l.barX0 = static_cast<int>(options.width - 96 * s);
    l.barX1 = l.barX0 + std::max(4, static_cast<int>(16 * s));
    l.barY0 = static_cast<int>(options.height * 0.24);
    l.barY1 = static_cast<int>(options.height * 0.80);
    return l;
}

LegendNumbers legendNumbers(const ValueRange& range, const std::string& unit) {
    static const char* const kPrefixes[] = {"n", "\xc2\xb5", "m", "", "k", "M", "G", "T"};
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    const int power = largest > 0 ? static_cast<int>(std::floor(std::log10(largest * (1 + 1e-12)) / 3)) : 0;
    // plain numbers without a unit may stay plain a little longer
    const bool plain = unit.empty() && largest >= 0.01 && largest < 1e5;
    const int thousands = plain ? 0 : std::clamp(power, -3, 4);
    const double scale = std::pow(1000.0, thousands), span = (range.high - range.low) / scale;
    const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(span))), 0, 6);
    LegendNumbers numbers;
    for (std::size_t i = 0; i < numbers.labels.size(); ++i) {
        const double value = (range.low + (range.high - range.low) * static_cast<double>(i) / 4) / scale;
        numbers.labels[i] = format("%.*f", digits, std::abs(value) < 1e-9 * span ? 0.0 : value);
    }
    numbers.unit = !unit.empty()    ? kPrefixes[thousands + 3] + unit
                   : thousands == 0 ? ""
                                    : format("x 10^%d", 3 * thousands);
    return numbers;
}

void drawLegend(Image& image, const RenderOptions& options, const ValueRange& range, bool hasNan) {
    const LegendLayout l = legendLayout(options);
    const TextStyle style = textStyle(options, l.unit);
    const double line = 12 * l.unit, edge = options.width - 10 * l.unit;
    const LegendNumbers numbers = legendNumbers(range, options.unit);
    const auto title = [&](const std::string& text, double y) {
        const std::string fitting = shortened(text, l.unit, options.width / 3.0);
        const double x = std::min<double>(l.barX0, edge - textWidth(fitting, l.unit));
        drawText(image, x, y, fitting, style);
    };
    const bool hasBar = options.colorMap != ColorMap::kCategories;
    const bool hasUnit = hasBar && !numbers.unit.empty();
    title(options.attribute, l.barY0 - line * (hasUnit ? 2 : 1) + 2 * l.unit);
    if (hasUnit) title(numbers.unit, l.barY0 - line + 2 * l.unit);
    if (hasBar) drawBar(image, l, options.colorMap, style.color);
    if (hasBar) drawTicks(image, l, numbers, style);
    if (!hasNan) return;
    const int side = l.barX1 - l.barX0, y = l.barY1 + static_cast<int>(line);
    fillRect(image, l.barX0 - 1, y - 1, l.barX1 + 1, y + side + 1, style.color);
    fillRect(image, l.barX0, y, l.barX1, y + side, kWarningColor);
    drawText(image, l.barX1 + 6 * l.unit, y + (side + capHeight(l.unit)) / 2, "no value", style);
}

void drawCaption(Image& image, const RenderOptions& options, const std::string& text) {
    const double unit = 1.5 * scaleOf(options);
    drawText(image, 14 * unit, options.height - 12 * unit, text, textStyle(options, unit));
}

}  // namespace sunder::render
