#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/render/color_map.h"

namespace sunder::render {

/// Rows from the top, three bytes a pixel, sRGB.
struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;

    Image() = default;
    Image(int w, int h)
        : width(w), height(h), rgb(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
    std::uint8_t* pixel(int x, int y) { return &rgb[offset(x, y)]; }
    const std::uint8_t* pixel(int x, int y) const { return &rgb[offset(x, y)]; }
    Color color(int x, int y) const;
    /// Mixes an sRGB-encoded colour in; pixels outside the picture are ignored.
    void blend(int x, int y, const Color& srgb, double alpha);

  private:
    std::size_t offset(int x, int y) const {
        return 3 *
               (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
    }
};

/// Writes beside the target and renames, so that a reader never sees half a picture. Throws WriteError.
void writePng(const std::string& path, const Image& image);
Image readPng(const std::string& path);

}  // namespace sunder::render
