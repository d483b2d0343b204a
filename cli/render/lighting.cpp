#include "cli/render/lighting.h"

#include <Eigen/Geometry>
#include <cmath>

namespace sunder::render {

namespace {
std::array<float, 9> harmonicsAt(const Float3& d) {
    const float x = d.x(), y = d.y(), z = d.z();
    return {0.282095f,
            0.488603f * y,
            0.488603f * z,
            0.488603f * x,
            1.092548f * x * y,
            1.092548f * y * z,
            0.315392f * (3 * z * z - 1),
            1.092548f * x * z,
            0.546274f * (x * x - y * y)};
}

float lobe(const Float3& direction, const Float3& middle, int doublings) {
    float c = std::max(0.0f, direction.dot(middle));
    for (int i = 0; i < doublings; ++i) c *= c;
    return c;
}

/// The camera's right and the way back to it, both level.
struct LevelAxes {
    Vec3 right, back;
};

LevelAxes levelAxes(const Projection& p) {
    const Vec3 right = Vec3(p.right.x(), 0, p.right.z()).normalized();
    return {right, right.cross(Vec3::UnitY())};
}
}  // namespace

Lighting::Lighting(const RenderOptions& options, const Projection& projection) {
    const LightRig& rig = options.light;
    const LevelAxes axes = levelAxes(projection);
    const double level = std::cos(rig.keyElevation);
    const Vec3 key = level * (std::sin(rig.keyAzimuth) * axes.right + std::cos(rig.keyAzimuth) * axes.back) +
                     std::sin(rig.keyElevation) * Vec3::UnitY();
    keyDirection_ = key.cast<float>();
    completeFrame(keyDirection_, keyTangent_, keyBitangent_);
    // colours that carry numbers need flatter light, or shadows would be read as values
    const bool isData = !options.attribute.empty();
    keyColor_ = static_cast<float>(rig.keyStrength * (isData ? 0.75 : 1)) * Float3(1.03f, 1.0f, 0.95f);
    keyRadius_ = std::tan(static_cast<float>(rig.keyRadius));
    // the fill and the rim stand opposite the key, whichever side that is on
    const double side = rig.keyAzimuth <= 0 ? 1 : -1;
    fillDirection_ =
        (0.8 * side * axes.right + 0.25 * Vec3::UnitY() + 0.5 * axes.back).normalized().cast<float>();
    rimDirection_ =
        (0.55 * side * axes.right + 0.45 * Vec3::UnitY() - 0.7 * axes.back).normalized().cast<float>();
    domeStrength_ = static_cast<float>(rig.domeStrength * (isData ? 1.4 : 1));
    floorStrength_ = options.ground ? 0.34f : 0.22f;
    projectDome();
}

Float3 Lighting::sampleKey(Sample2 s) const {
    const Eigen::Vector2f d = keyRadius_ * sampleDisc(s);
    return (keyDirection_ + d.x() * keyTangent_ + d.y() * keyBitangent_).normalized();
}

Float3 Lighting::dome(const Float3& direction) const {
    const float height = direction.y();
    if (height < 0) return domeStrength_ * floorStrength_ * Float3(1.03f, 1.0f, 0.96f);
    const Float3 sky = (0.26f + 0.34f * height) * Float3(0.95f, 0.99f, 1.05f);
    const Float3 fill = 0.28f * lobe(direction, fillDirection_, 2) * Float3(1.0f, 1.0f, 1.0f);
    const Float3 rim = 1.1f * lobe(direction, rimDirection_, 3) * Float3(0.95f, 0.99f, 1.05f);
    return domeStrength_ * (sky + fill + rim);
}

void Lighting::projectDome() {
    harmonics_.fill(Float3::Zero());
    constexpr int rows = 64, columns = 128;
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
            const double y = 1 - (2 * i + 1.0) / rows, around = 2 * M_PI * (j + 0.5) / columns;
            const double level = std::sqrt(1 - y * y);
            const Float3 d = Vec3(level * std::cos(around), y, level * std::sin(around)).cast<float>();
            const auto basis = harmonicsAt(d);
            const Float3 light = dome(d) * static_cast<float>(4 * M_PI / (rows * columns));
            for (std::size_t k = 0; k < 9; ++k) harmonics_[k] += basis[k] * light;
        }
}

Float3 Lighting::evaluate(const Float3& direction, const std::array<float, 3>& bandScale) const {
    const auto basis = harmonicsAt(direction);
    Float3 sum = bandScale[0] * basis[0] * harmonics_[0];
    for (std::size_t k = 1; k < 4; ++k) sum += bandScale[1] * basis[k] * harmonics_[k];
    for (std::size_t k = 4; k < 9; ++k) sum += bandScale[2] * basis[k] * harmonics_[k];
    return sum.cwiseMax(0.0f);
}

void completeFrame(const Float3& n, Float3& t, Float3& b) {
    t = (std::abs(n.x()) > 0.6f ? Float3(-n.y(), n.x(), 0) : Float3(0, n.z(), -n.y())).normalized();
    b = n.cross(t);
}

Eigen::Vector2f sampleDisc(Sample2 s) {
    const float a = 2 * s.u - 1, b = 2 * s.v - 1;
    if (a == 0 && b == 0) return Eigen::Vector2f::Zero();
    const bool wide = std::abs(a) > std::abs(b);
    const float radius = wide ? a : b;
    const auto quarter = static_cast<float>(M_PI / 4);
    const float angle = wide ? quarter * (b / a) : 2 * quarter - quarter * (a / b);
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

Float3 sampleCosine(const Float3& n, Sample2 s) {
    Float3 t, b;
    completeFrame(n, t, b);
    const Eigen::Vector2f d = sampleDisc(s);
    return d.x() * t + d.y() * b + std::sqrt(std::max(0.0f, 1 - d.squaredNorm())) * n;
}

}  // namespace sunder::render
