#pragma once

#include <Eigen/Core>
#include <array>

#include "cli/render/sampling.h"
#include "cli/render/view.h"

namespace sunder::render {

using Float3 = Eigen::Vector3f;

/// Light from all around: the key (a disc far away) and a dome with sky, fill and rim. Strengths are what a
/// white surface that faces nothing else would show, so that pi never appears.
class Lighting {
  public:
    Lighting(const RenderOptions& options, const Projection& projection);

    const Float3& keyDirection() const { return keyDirection_; }
    const Float3& keyColor() const { return keyColor_; }
    /// A direction towards the key's disc.
    Float3 sampleKey(Sample2 s) const;
    /// Radiance of the dome; below the horizon it is the floor.
    Float3 dome(const Float3& direction) const;
    /// What an open surface receives from the dome: its radiance weighted by the cosine (second order
    /// harmonics).
    Float3 domeIrradiance(const Float3& normal) const { return evaluate(normal, {1, 2.0f / 3, 0.25f}); }
    /// The dome as a rough mirror sees it.
    Float3 blurredDome(const Float3& direction) const { return evaluate(direction, {1, 0.8f, 0.45f}); }

  private:
    Float3 evaluate(const Float3& direction, const std::array<float, 3>& bandScale) const;
    void projectDome();

    Float3 keyDirection_, keyTangent_, keyBitangent_, keyColor_;
    Float3 fillDirection_, rimDirection_;
    float keyRadius_, domeStrength_, floorStrength_;
    std::array<Float3, 9> harmonics_;
};

/// Two unit vectors that complete n to a right-handed frame.
void completeFrame(const Float3& n, Float3& t, Float3& b);
/// Evenly over the unit disc, keeping strata together.
Eigen::Vector2f sampleDisc(Sample2 s);
/// Around n with a density proportional to the cosine.
Float3 sampleCosine(const Float3& n, Sample2 s);
inline float luminance(const Float3& c) { return 0.2126f * c.x() + 0.7152f * c.y() + 0.0722f * c.z(); }

}  // namespace sunder::render
