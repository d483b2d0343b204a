#include "cli/render/image.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/error.h"

namespace sunder::render {

namespace {
std::uint8_t byteOf(double v) {
    return static_cast<std::uint8_t>(std::clamp(std::floor(v * 255 + 0.5), 0.0, 255.0));
}

png_image header(const Image& image) {
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    png.width = static_cast<png_uint_32>(image.width);
    png.height = static_cast<png_uint_32>(image.height);
    png.format = PNG_FORMAT_RGB;
    return png;
}
}  // namespace

Color Image::color(int x, int y) const {
    const std::uint8_t* p = pixel(x, y);
    return Color(p[0], p[1], p[2]) / 255;
}

void Image::blend(int x, int y, const Color& srgb, double alpha) {
    if (x < 0 || y < 0 || x >= width || y >= height || alpha <= 0) return;
    std::uint8_t* p = pixel(x, y);
    for (int c = 0; c < 3; ++c) p[c] = byteOf(p[c] / 255.0 + std::min(alpha, 1.0) * (srgb[c] - p[c] / 255.0));
}

void writePng(const std::string& path, const Image& image) {
    const std::string partial = path + ".part";
    png_image png = header(image);
    const bool written = png_image_write_to_file(&png, partial.c_str(), 0, image.rgb.data(), 0, nullptr) != 0;
    if (written && std::rename(partial.c_str(), path.c_str()) == 0) return;
    std::remove(partial.c_str());
    throw WriteError(
        "the picture " + path + " could not be written" + (written ? "" : std::string(": ") + png.message),
        "check that the folder exists, may be written to and has space left");
}

Image readPng(const std::string& path) {
    png_image png = header({});
    if (!png_image_begin_read_from_file(&png, path.c_str()))
        throw Error("the picture " + path + " could not be read: " + png.message, "check the path");
    png.format = PNG_FORMAT_RGB;
    Image image(static_cast<int>(png.width), static_cast<int>(png.height));
    if (!png_image_finish_read(&png, nullptr, image.rgb.data(), 0, nullptr))
        throw Error("the picture " + path + " is damaged: " + png.message, "render it again");
    return image;
}

}  // namespace sunder::render
