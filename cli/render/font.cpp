#include "cli/render/font.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace sunder::render {

namespace {
using Point = Eigen::Vector2d;

/// Strokes on a grid: a pair of digits is x and y; baseline at y = 2, small letters to 7, capitals to 9,
/// tails to 0.
/// '/' draws straight lines, '~' a quadratic B-spline from the first point to the last, '@' a closed one.
struct Drawing {
    std::uint32_t code;
    const char* strokes;
};

constexpr Drawing kDrawings[] = {
    {'0', "@0242444749090704"},
    {'1', "/173932"},
    {'2', "~0709494602/0242"},
    {'3', "~0809494626~2646420203"},
    {'4', "/32390444"},
    {'5', "/490906~062646420203"},
    {'6', "@02424606~390904"},
    {'7', "/094912"},
    {'8', "@06464909@02424606"},
    {'9', "@05454909~474212"},
    {'A', "/022942/1434"},
    {'B', "/0209~092949462606~062646422202"},
    {'C', "~4749090704024244"},
    {'D', "/0209~0929494744422202"},
    {'E', "/49090242/0636"},
    {'F', "/490902/0636"},
    {'G', "~4749090704024245/4525"},
    {'H', "/0209/4249/0646"},
    {'I', "/0209"},
    {'J', "~3934320203"},
    {'K', "/0209/4905/1642"},
    {'L', "/090242"},
    {'M', "/0209355962"},
    {'N', "/02094249"},
    {'O', "@0242444749090704"},
    {'P', "/0209~092949452505"},
    {'Q', "@0242444749090704/2441"},
    {'R', "/0209~092949452505/2542"},
    {'S', "~4849090645420203"},
    {'T', "/0949/2922"},
    {'U', "~090402424449"},
    {'V', "/092249"},
    {'W', "/0912375269"},
    {'X', "/0249/0942"},
    {'Y', "/092549/2522"},
    {'Z', "/09490242"},
    {'a', "@02424707/4247"},
    {'b', "@02424707/0209"},
    {'c', "~464707024243"},
    {'d', "@02424707/4249"},
    {'e', "/0444~4447070242"},
    {'f', "~39191712/0737"},
    {'g', "@02424707~47424000"},
    {'h', "/0209~0507474442"},
    {'i', "/0207/0909"},
    {'j', "~17111000/1919"},
    {'k', "/0209/3704/1532"},
    {'l', "/0209"},
    {'m', "/0207~0507373432~3537676462"},
    {'n', "/0207~0507474442"},
    {'o', "@02424707"},
    {'p', "@02424707/0007"},
    {'q', "@02424707/4047"},
    {'r', "/0207~050737"},
    {'s', "~4647070544420203"},
    {'t', "~19141232/0737"},
    {'u', "~0705024244/4247"},
    {'v', "/072247"},
    {'w', "/0712365267"},
    {'x', "/0247/0742"},
    {'y', "/0722/4710"},
    {'z', "/07470242"},
    {'!', "/0904/0202"},
    {'"', "/0907/2927"},
    {'#', "/1219/3239/0444/0747"},
    {'$', "~4849090645420203/2129"},
    {'%', "@07272909@22424424/0249"},
    {'&', "~420609393604023245"},
    {'\'', "/0907"},
    {'(', "~19060511"},
    {')', "~09161501"},
    {'*', "/0648/0846/2529"},
    {'+', "/0545/2337"},
    {',', "/1301"},
    {'-', "/0535"},
    {'.', "/0202"},
    {'/', "/0139"},
    {':', "/0202/0606"},
    {';', "/1301/1616"},
    {'<', "/480542"},
    {'=', "/0444/0646"},
    {'>', "/084502"},
    {'?', "~080949462524/2222"},
    {'@', "~4202094944242747"},
    {'[', "/19090111"},
    {'\\', "/0931"},
    {']', "/09191101"},
    {'^', "/072947"},
    {'_', "/0141"},
    {'`', "/0918"},
    {'{', "~29191605~05141121"},
    {'|', "/0109"},
    {'}', "~09191625~25141101"},
    {'~', "~04074346"},
    {0xb0, "@07272909"},
    {0xb2, "~0809292706/0626"},
    {0xb3, "/092917~17272505"},
    {0xb5, "~0705024244/4247/0007"},
    {0xb7, "/0505"},
    {0xd7, "/0347/0743"},
};
constexpr char kMissing[] = "/0209494202";

constexpr double kHalfStroke = 0.46;
constexpr double kSpaceWidth = 3, kGap = 2;  ///< units

struct Glyph {
    std::vector<std::pair<Point, Point>> segments;  ///< in units, baseline at 0
    double width = 0;
};

/// Polyline of the quadratic B-spline whose ends are the first and the last control point.
std::vector<Point> spline(std::vector<Point> control, bool closed) {
    if (closed) {
        const Point seam = (control.front() + control.back()) / 2;
        control.insert(control.begin(), seam);
        control.push_back(seam);
    }
    std::vector<Point> out = {control.front()};
    for (std::size_t i = 1; i + 1 < control.size(); ++i) {
        const Point a = out.back(), b = control[i];
        const Point c = i + 2 == control.size() ? control[i + 1] : Point((control[i] + control[i + 1]) / 2);
        for (int k = 1; k <= 8; ++k) {
            const double t = k / 8.0;
            out.push_back((1 - t) * (1 - t) * a + 2 * t * (1 - t) * b + t * t * c);
        }
    }
    return out;
}

Glyph buildGlyph(const char* strokes, double widthScale) {
    Glyph glyph;
    while (*strokes) {
        const char kind = *strokes++;
        std::vector<Point> points;
        for (; *strokes >= '0' && *strokes <= '9'; strokes += 2)
            points.emplace_back(widthScale * (strokes[0] - '0'), strokes[1] - '2');
        if (kind != '/') points = spline(points, kind == '@');
        for (std::size_t i = 0; i + 1 < points.size(); ++i)
            glyph.segments.emplace_back(points[i], points[i + 1]);
        for (const Point& p : points) glyph.width = std::max(glyph.width, p.x());
    }
    return glyph;
}

const Glyph& glyphOf(std::uint32_t code) {
    static const std::map<std::uint32_t, Glyph> glyphs = [] {
        std::map<std::uint32_t, Glyph> all;
        for (const Drawing& d : kDrawings)
            all[d.code] = buildGlyph(d.strokes, d.code >= 'a' && d.code <= 'z' ? 0.9 : 1.05);
        all[' '].width = kSpaceWidth - kGap;
        all[0] = buildGlyph(kMissing, 1);
        return all;
    }();
    const auto it = glyphs.find(code);
    return it == glyphs.end() ? glyphs.at(0) : it->second;
}

std::vector<std::uint32_t> decodeUtf8(const std::string& text) {
    std::vector<std::uint32_t> codes;
    for (const char byte : text) {
        const auto b = static_cast<unsigned char>(byte);
        if ((b & 0xc0) == 0x80 && !codes.empty())
            codes.back() = codes.back() << 6 | (b & 0x3fu);
        else
            codes.push_back(b < 0x80 ? b : b & (b >= 0xf0 ? 0x07u : b >= 0xe0 ? 0x0fu : 0x1fu));
    }
    return codes;
}

double distanceTo(const Point& p, const std::pair<Point, Point>& segment) {
    const Point edge = segment.second - segment.first, q = p - segment.first;
    const double lengthSq = edge.squaredNorm();
    const double t = lengthSq > 0 ? std::clamp(q.dot(edge) / lengthSq, 0.0, 1.0) : 0;
    return (q - t * edge).norm();
}

double distanceTo(const Point& p, const Glyph& glyph) {
    double nearest = 1e9;
    for (const auto& segment : glyph.segments) nearest = std::min(nearest, distanceTo(p, segment));
    return nearest;
}

/// Calls pixel(x, y, distance in pixels from the stroke's middle) for all pixels that a glyph may touch.
template <class Pixel>
void visitGlyph(const Glyph& glyph, const Point& origin, double unit, Pixel pixel) {
    const double reach = kHalfStroke * unit + 3;
    const int x0 = static_cast<int>(std::floor(origin.x() - reach));
    const int x1 = static_cast<int>(std::ceil(origin.x() + glyph.width * unit + reach));
    const int y0 = static_cast<int>(std::floor(origin.y() - 7 * unit - reach));
    const int y1 = static_cast<int>(std::ceil(origin.y() + 2 * unit + reach));
    for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
            const Point p((x + 0.5 - origin.x()) / unit, (origin.y() - y - 0.5) / unit);
            pixel(x, y, unit * distanceTo(p, glyph));
        }
}

template <class Visit>
void visitText(double x, const std::string& text, double unit, Visit visit) {
    for (const std::uint32_t code : decodeUtf8(text)) {
        const Glyph& glyph = glyphOf(code);
        visit(glyph, x);
        x += (glyph.width + kGap) * unit;
    }
}
}  // namespace

double textWidth(const std::string& text, double unit) {
    double width = 0;
    visitText(0, text, unit, [&](const Glyph& glyph, double x) { width = x + glyph.width * unit; });
    return width;
}

void drawText(Image& image, double x, double y, const std::string& text, const TextStyle& style) {
    const double half = std::max(0.55, kHalfStroke * style.unit);
    visitText(x, text, style.unit, [&](const Glyph& glyph, double gx) {
        visitGlyph(glyph, {gx, y}, style.unit, [&](int px, int py, double d) {
            image.blend(px, py, style.halo, style.haloStrength * std::clamp((half + 2.5 - d) / 2, 0.0, 1.0));
        });
    });
    visitText(x, text, style.unit, [&](const Glyph& glyph, double gx) {
        visitGlyph(glyph, {gx, y}, style.unit, [&](int px, int py, double d) {
            image.blend(px, py, style.color, std::clamp(half + 0.5 - d, 0.0, 1.0));
        });
    });
}

}  // namespace sunder::render
