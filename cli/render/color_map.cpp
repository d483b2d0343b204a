#include "cli/render/color_map.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder::render {

namespace {
constexpr std::size_t kTableSize = 257;
using Table = std::array<Color, kTableSize>;

/// A colour by lightness, chroma and hue (degrees) of OKLab.
struct Anchor {
    double lightness, chroma, hue;
};

double decode(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }
double encode(double v) { return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055; }

const Eigen::Matrix3d& coneFromLinear() {
    static const Eigen::Matrix3d m = (Eigen::Matrix3d() << 0.4122214708, 0.5363325363, 0.0514459929,  //
                                      0.2119034982, 0.6806995451, 0.1073969566,                       //
                                      0.0883024619, 0.2817188376, 0.6299787005)
                                         .finished();
    return m;
}

const Eigen::Matrix3d& labFromCone() {
    static const Eigen::Matrix3d m = (Eigen::Matrix3d() << 0.2104542553, 0.7936177850, -0.0040720468,  //
                                      1.9779984951, -2.4285922050, 0.4505937099,                       //
                                      0.0259040371, 0.7827717662, -0.8086757660)
                                         .finished();
    return m;
}

Color linearFromLab(const Eigen::Vector3d& lab) {
    static const Eigen::Matrix3d coneFromLab = labFromCone().inverse(),
                                 linearFromCone = coneFromLinear().inverse();
    const Eigen::Vector3d root = coneFromLab * lab;
    return linearFromCone * Eigen::Vector3d(root.array().cube());
}

/// The nearest colour of the same lightness and hue that a screen can show.
Color screenColor(const Anchor& a) {
    const double angle = a.hue * M_PI / 180;
    const auto at = [&](double chroma) {
        return linearFromLab({a.lightness, chroma * std::cos(angle), chroma * std::sin(angle)});
    };
    const auto fits = [](const Color& c) { return c.minCoeff() >= 0 && c.maxCoeff() <= 1; };
    if (fits(at(a.chroma))) return srgbFromLinear(at(a.chroma));
    double low = 0, high = a.chroma;
    for (int i = 0; i < 30; ++i) {
        const double middle = (low + high) / 2;
        (fits(at(middle)) ? low : high) = middle;
    }
    return srgbFromLinear(at(low).cwiseMax(0).cwiseMin(1));
}

/// Catmull-Rom through the anchors.
Anchor interpolate(const std::vector<Anchor>& anchors, double t) {
    const auto last = static_cast<std::ptrdiff_t>(anchors.size()) - 1;
    const double s = t * static_cast<double>(last);
    const auto i = std::min(static_cast<std::ptrdiff_t>(s), last - 1);
    const double f = s - static_cast<double>(i);
    const auto at = [&](std::ptrdiff_t k) {
        return anchors[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(k, 0, last))];
    };
    const auto blend = [f](double a, double b, double c, double d) {
        return b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
    };
    const Anchor a = at(i - 1), b = at(i), c = at(i + 1), d = at(i + 2);
    return {b.lightness + f * (c.lightness - b.lightness),
            std::max(0.0, blend(a.chroma, b.chroma, c.chroma, d.chroma)), blend(a.hue, b.hue, c.hue, d.hue)};
}

/// Walks the path and takes colours at equal lengths in OKLab.
Table evenTable(const std::vector<Color>& path) {
    std::vector<double> length(path.size(), 0);
    for (std::size_t i = 1; i < path.size(); ++i)
        length[i] = length[i - 1] + (okLabFromSrgb(path[i]) - okLabFromSrgb(path[i - 1])).norm();
    Table table;
    std::size_t i = 1;
    for (std::size_t k = 0; k < kTableSize; ++k) {
        const double want = length.back() * static_cast<double>(k) / (kTableSize - 1);
        while (i + 1 < path.size() && length[i] < want) ++i;
        const double f = (want - length[i - 1]) / (length[i] - length[i - 1]);
        table[k] = path[i - 1] + std::clamp(f, 0.0, 1.0) * (path[i] - path[i - 1]);
    }
    return table;
}

Table buildTable(const std::vector<Anchor>& anchors) {
    std::vector<Color> path;
    for (int i = 0; i <= 4096; ++i) path.push_back(screenColor(interpolate(anchors, i / 4096.0)));
    return evenTable(path);
}

/// Both arms run from white at the same lightness to the same depth, so neither sign looks stronger.
Table buildDiverging() {
    std::vector<Color> path;
    for (int i = -2048; i <= 2048; ++i) {
        const double s = std::abs(i) / 2048.0, chroma = 0.17 * std::sin(s * M_PI / 2) * (1 - 0.12 * s * s);
        path.push_back(screenColor({0.94 - 0.50 * s, chroma, i < 0 ? 258.0 : 27.0}));
    }
    return evenTable(path);
}

const Table& tableOf(ColorMap map) {
    static const Table sequential = buildTable({{0.24, 0.11, 310},
                                                {0.40, 0.13, 285},
                                                {0.55, 0.11, 240},
                                                {0.68, 0.12, 178},
                                                {0.80, 0.18, 138},
                                                {0.92, 0.19, 105}});
    static const Table heat = buildTable({{0.14, 0.03, 300},
                                          {0.32, 0.15, 330},
                                          {0.50, 0.19, 375},
                                          {0.68, 0.18, 408},
                                          {0.82, 0.16, 438},
                                          {0.95, 0.10, 462}});
    static const Table diverging = buildDiverging();
    return map == ColorMap::kHeat ? heat : map == ColorMap::kDiverging ? diverging : sequential;
}
}  // namespace

Color linearFromSrgb(const Color& c) { return c.unaryExpr(&decode); }
Color srgbFromLinear(const Color& c) { return c.unaryExpr(&encode); }

Eigen::Vector3d okLabFromSrgb(const Color& c) {
    const Eigen::Vector3d cone = coneFromLinear() * linearFromSrgb(c);
    return labFromCone() * cone.unaryExpr([](double v) { return std::cbrt(v); });
}

Color colorAt(ColorMap map, double t) {
    if (std::isnan(t)) return kWarningColor;
    const Table& table = tableOf(map);
    const double s = std::clamp(t, 0.0, 1.0) * (kTableSize - 1);
    const auto i = std::min(static_cast<std::size_t>(s), kTableSize - 2);
    return table[i] + (s - static_cast<double>(i)) * (table[i + 1] - table[i]);
}

Color categoryColor(long long k) {
    // golden-angle steps keep neighbouring numbers apart; three lightnesses tell near hues apart
    const auto m = static_cast<int>(((k % kCategoryCount) + kCategoryCount) % kCategoryCount);
    const double turn = m * 0.61803398874989485;
    const double lightness[3] = {0.72, 0.60, 0.82};
    return screenColor({lightness[m % 3], 0.13, 360 * (turn - std::floor(turn)) + 40});
}

ColorMap colorMapNamed(const std::string& name) {
    const std::vector<std::string> names = {"sequential", "heat", "diverging", "categories"};
    const auto it = std::find(names.begin(), names.end(), name);
    if (it != names.end()) return static_cast<ColorMap>(it - names.begin());
    const std::string nearest = nearestWord(name, names);
    throw Error("there is no colour map called " + name,
                nearest.empty() ? "choose sequential, heat, diverging or categories"
                                : "did you mean " + nearest + "?");
}

}  // namespace sunder::render
