#pragma once

#include "cli/render/shader.h"

namespace sunder::render {

/// One camera ray to be traced.
struct CameraRay {
    std::uint32_t x, y;                 ///< pixel
    std::uint32_t index, count, round;  ///< as sampleAt takes them
};

/// Pixels [x0, x1) x [y0, y1).
struct PixelRect {
    int x0, y0, x1, y1;
};

/// Turns camera rays into surfels.
class PixelTracer {
  public:
    PixelTracer(const Surface& surface, const View& view, const RenderOptions& options);

    /// Surfels of all pixels of a block, in row order; `counts` gets how many each pixel has.
    std::vector<Surfel> traceBlock(const PixelRect& block, std::vector<std::uint32_t>& counts) const;
    /// The wall behind everything, linear.
    Float3 backdrop(float y) const;
    const Projection& projection() const { return projection_; }

  private:
    struct Packet;
    std::vector<CameraRay> baseRays(const PixelRect& rect) const;
    std::vector<CameraRay> edgeRays(const CameraRay& first) const;
    void addToGroups(Span<const Surfel> rays, std::vector<Surfel>& groups) const;
    std::vector<Surfel> trace(const std::vector<CameraRay>& rays) const;
    void tracePacket(const CameraRay* rays, int count, Surfel* out) const;
    void aim(const CameraRay* rays, int count, Packet& packet) const;
    void shadeLane(const CameraRay& ray, int lane, Packet& packet, Surfel& out) const;
    void shadeGround(const Float3& place, Packet& packet, int lane, Surfel& out) const;
    void addLightRays(const CameraRay& ray, const Float3& from, int lane, Packet& packet, Surfel& out) const;
    void gatherLight(Packet& packet, int count, Surfel* out) const;
    Float3 domeThrough(const Float3& from, const Float3& direction) const;

    RenderOptions options_;
    Projection projection_;
    Lighting lighting_;
    Tracer tracer_;
    Shader shader_;
    Float3 eye_;  ///< relative to the view's centre
    float ground_, radius_,
        offset_;  ///< height relative to the centre; size of the scene; how far rays start off a surface
    float groundKey_, groundDome_;  ///< shares of the floor's light
    std::vector<Float3> wall_;      ///< linear, at the upper edge of every row of pixels and below the last
};

}  // namespace sunder::render
