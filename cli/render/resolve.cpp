#include "cli/render/resolve.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/parallel.h"

namespace sunder::render {

namespace {
constexpr float kModelBounce =
    0.22f;  ///< of the dome's light that closed directions still bring, from other parts of the model
constexpr float kGroundBounce = 0.06f;

/// The parts of key and dome light that arrive, as weighted sums.
struct Light {
    float keyOpen = 0, keyRays = 0, domeOpen = 0, domeLight = 0;

    float key() const { return keyRays > 0 ? keyOpen / keyRays : 1; }
    float dome() const { return domeLight > 0 ? domeOpen / domeLight : 1; }
    void add(const Light& l, float keyWeight, float domeWeight) {
        keyOpen += keyWeight * l.keyOpen;
        keyRays += keyWeight * l.keyRays;
        domeOpen += domeWeight * l.domeOpen;
        domeLight += domeWeight * l.domeLight;
    }
};

/// One round of sharing: taps at multiples of `stride` up to `reach` of them to each side. Where `edge` is
/// not zero, light that differs by so much is taken for the edge of a shadow and not shared.
struct Round {
    int reach, stride;
    float planePixels;  ///< how far out of the plane a neighbour may be, pixels
    float edge;
    std::array<float, 4> fall;  ///< weight by taps from the middle
};

/// The first covers the 7 x 7 pixels over which the samples are spread evenly; the second takes out what slow
/// variation is left.
constexpr Round kRounds[] = {{3, 1, 3, 0, {1, 0.88f, 0.6f, 0.32f}}, {2, 3, 6, 0.22f, {1, 0.7f, 0.3f, 0}}};

float parabola(float x) { return std::max(0.0f, 1 - x * x); }

/// 1 for the surfel itself, falling to 0 for others of another surface, another direction, or out of its
/// plane.
float likeness(const Surfel& a, const Surfel& b, float inversePlane) {
    if (a.seen != b.seen) return 0;
    const float direction = std::max(0.0f, a.normal.dot(b.normal) - 0.75f) * 4;
    return direction * direction * parabola(a.normal.dot(b.position - a.position) * inversePlane);
}

/// Shares light between surfels that look alike.
class LightFilter {
  public:
    LightFilter(const SurfelImage& image, const ResolveOptions& options) : image_(image), options_(options) {
        for (const Surfel& s : image.surfels)
            light_.push_back({s.keyOpen, s.keyRays, s.domeOpen, s.domeLight});
    }
    void run(const Round& round) {
        std::vector<Light> shared(light_.size());
        parallelFor(static_cast<std::size_t>(image_.height), 8, [&](std::size_t first, std::size_t last) {
            for (auto y = static_cast<int>(first); y < static_cast<int>(last); ++y)
                for (int x = 0; x < image_.width; ++x)
                    for (std::uint32_t i = firstOf(x, y); i < firstOf(x + 1, y); ++i)
                        shared[i] = gather(round, x, y, i);
        });
        light_ = std::move(shared);
    }
    const std::vector<Light>& light() const { return light_; }

  private:
    std::uint32_t firstOf(int x, int y) const {
        return image_.first[static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) +
                            static_cast<std::size_t>(x)];
    }
    Light gather(const Round& round, int x, int y, std::uint32_t middle) const {
        const Surfel& s = image_.surfels[middle];
        if (s.seen == Seen::kBackground) return {};
        const float inversePlane =
            1 / (round.planePixels * options_.pixelAngle * (s.position - options_.eye).norm());
        Light sum;
        for (int j = -round.reach; j <= round.reach; ++j)
            for (int i = -round.reach; i <= round.reach; ++i) {
                const int nx = x + i * round.stride, ny = y + j * round.stride;
                if (nx < 0 || ny < 0 || nx >= image_.width || ny >= image_.height) continue;
                const float fall = round.fall[static_cast<std::size_t>(std::abs(i))] *
                                   round.fall[static_cast<std::size_t>(std::abs(j))];
                for (std::uint32_t n = firstOf(nx, ny); n < firstOf(nx + 1, ny); ++n)
                    share(round, middle, n, fall * likeness(s, image_.surfels[n], inversePlane), sum);
            }
        return sum;
    }
    void share(const Round& round, std::uint32_t middle, std::uint32_t neighbour, float weight,
               Light& sum) const {
        const Light &a = light_[middle], &b = light_[neighbour];
        if (round.edge == 0)
            sum.add(b, weight, weight);
        else
            sum.add(b, weight * parabola((a.key() - b.key()) / round.edge),
                    weight * parabola((a.dome() - b.dome()) / round.edge));
    }

    const SurfelImage& image_;
    ResolveOptions options_;
    std::vector<Light> light_;
};

Float3 toned(const Float3& c) { return c.unaryExpr(&toneCurve); }

Float3 colorOf(const Surfel& s, const Light& light, bool lit) {
    if (!lit || s.seen == Seen::kBackground) return s.ambient;
    const float bounce = s.seen == Seen::kGround ? kGroundBounce : kModelBounce;
    const float dome = light.dome() + (1 - light.dome()) * bounce;
    const Float3 color = light.key() * s.key + dome * s.ambient;
    return s.seen == Seen::kGround ? color : toned(color);
}

/// Rounds up or down by an ordered pattern, so that slow gradients show no bands. Whole values stay what they
/// are.
std::uint8_t ditheredByte(double srgb, int x, int y) {
    const double a = 0.06711056 * x + 0.00583715 * y;
    const double b = 52.9829189 * (a - std::floor(a));
    const double threshold = 0.1 + 0.8 * (b - std::floor(b));
    return static_cast<std::uint8_t>(std::clamp(std::floor(255 * srgb + threshold), 0.0, 255.0));
}

void resolvePixel(const SurfelImage& surfels, const std::vector<Light>& light, bool lit, int x, int y,
                  Image& image) {
    const auto p =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(surfels.width) + static_cast<std::size_t>(x);
    Float3 sum = Float3::Zero();
    float count = 0;
    for (std::uint32_t i = surfels.first[p]; i < surfels.first[p + 1]; ++i) {
        const Surfel& s = surfels.surfels[i];
        sum += s.count * colorOf(s, light[i], lit);
        count += s.count;
    }
    const Color srgb = srgbFromLinear((sum / count).cast<double>().cwiseMax(0).cwiseMin(1));
    for (int c = 0; c < 3; ++c) image.pixel(x, y)[c] = ditheredByte(srgb[c], x, y);
}
}  // namespace

float toneCurve(float x) {
    constexpr float knee = 0.65f;
    return x <= knee ? x : knee + (1 - knee) * (1 - std::exp((knee - x) / (1 - knee)));
}

Image resolve(const SurfelImage& surfels, const ResolveOptions& options) {
    LightFilter filter(surfels, options);
    if (options.lit && options.denoise)
        for (const Round& round : kRounds) filter.run(round);
    Image image(surfels.width, surfels.height);
    parallelFor(static_cast<std::size_t>(surfels.height), 8, [&](std::size_t first, std::size_t last) {
        for (auto y = static_cast<int>(first); y < static_cast<int>(last); ++y)
            for (int x = 0; x < surfels.width; ++x)
                resolvePixel(surfels, filter.light(), options.lit, x, y, image);
    });
    return image;
}

}  // namespace sunder::render
