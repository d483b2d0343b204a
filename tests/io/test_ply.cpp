#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "core/io/geometry_io.h"
#include "tests/io/samples.h"
#include "tests/io/variants.h"

namespace sunder::testing {
namespace {

Geometry readBytes(const std::string& text, Monitor* monitor = nullptr) {
    return decodeGeometry(bytesOf(text), GeometryFormat::kPly, "hand.ply", monitor);
}

std::string complaint(const std::string& text) {
    try {
        readBytes(text);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Ply, TextWithAttributes) {
    WarningLog log;
    const Geometry g = readBytes(kPly, &log);
    EXPECT_EQ(g.pointCount(), 4u);
    EXPECT_EQ(g.vertexPoint, (std::vector<std::int32_t>{0, 1, 2, 0, 1, 2, 3}));
    EXPECT_EQ(*g.points.find("id")->as<std::int32_t>(), (std::vector<std::int32_t>{7, -8, 9, 10}));
    EXPECT_EQ(*g.points.find("quality")->as<double>(),
              (std::vector<double>{0.1, 1e-300, 2, std::numeric_limits<double>::infinity()}));
    const auto& colors = *g.points.find("Cd")->as<float>();
    EXPECT_EQ(colors[0], 1.0f);
    EXPECT_EQ(colors[2], 0.2f);
    EXPECT_EQ(*g.points.find("Alpha")->as<float>(), (std::vector<float>{1, 0, 1.0f / 255, 2.0f / 255}));
    EXPECT_EQ(g.points.find("N")->meaning, AttributeMeaning::kNormal);
    EXPECT_EQ(*g.primitives.find("part")->as<std::int32_t>(), (std::vector<std::int32_t>{65535, 1}));
    EXPECT_NE(log.all.find("texcoord"), std::string::npos);
    EXPECT_NE(log.all.find("edge"), std::string::npos);
}

std::string binaryPly(bool bigEndian) {
    std::string out =
        std::string("ply\r\nformat ") + (bigEndian ? "binary_big_endian" : "binary_little_endian") +
        " 1.0\r\nelement face 1\r\nproperty list int16 int8 vertex_index\r\nelement vertex 3\r\nproperty "
        "double x\r\n"
        "property float32 y\r\nproperty int8 z\r\nproperty uint u\r\nproperty uint8 b\r\nend_header\r\n";
    const auto append = [&](auto value) {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        if (bigEndian) std::reverse(bytes, bytes + sizeof value);
        out.append(bytes, sizeof value);
    };
    append(std::int16_t{3});
    for (const std::int8_t i : {2, 1, 0}) append(i);
    for (int i = 0; i < 3; ++i) {
        append(0.1 * i);
        append(0.1f);
        append(static_cast<std::int8_t>(-i));
        append(std::uint32_t{4000000000u});
        append(static_cast<std::uint8_t>(250 + i));
    }
    return out;
}

TEST(Ply, BinaryOfBothEndiannesses) {
    for (const bool bigEndian : {false, true}) {
        const Geometry g = readBytes(binaryPly(bigEndian));
        ASSERT_EQ(g.pointCount(), 3u);
        EXPECT_EQ(g.positions[2], Vec3(0.1 * 2, static_cast<double>(0.1f), -2));
        EXPECT_EQ(g.vertexPoint, (std::vector<std::int32_t>{2, 1, 0}));
        EXPECT_EQ((*g.points.find("u")->as<std::int64_t>())[1], 4000000000);
        EXPECT_EQ(*g.points.find("b")->as<std::uint8_t>(), (std::vector<std::uint8_t>{250, 251, 252}));
    }
}

TEST(Ply, Errors) {
    EXPECT_NE(complaint("plx\n").find("not a .ply"), std::string::npos);
    EXPECT_NE(complaint("ply\nformat ascii 1.0\nelement vertex 1\n").find("no end"), std::string::npos);
    EXPECT_NE(complaint(replaced(kPly, "vertex 4", "vertex 2000000000")).find("more than the file can hold"),
              std::string::npos);
    EXPECT_NE(complaint(replaced(kPly, "vertex 4", "vertex 5")).find("hand.ply"), std::string::npos);
    EXPECT_NE(complaint(replaced(kPly, "3 0 1 2 65535", "3 0 1 4 65535")).find("does not exist"),
              std::string::npos);
    EXPECT_NE(complaint(replaced(kPly, "3 0 1 2 65535", "3 0 1 2.5 65535")).find("announced type"),
              std::string::npos);
    EXPECT_NE(complaint(replaced(kPly, "3 0 1 2 65535", "-3 0 1 2 65535")).find("-3 does not fit"),
              std::string::npos);
    EXPECT_NE(complaint(replaced(kPly, "property float z", "property float w")).find("no x, y and z"),
              std::string::npos);
    EXPECT_NE(complaint(replaced(kPly, "0 0 0 0 0 1 255", "0 0 0 0 0 1 256")).find("hand.ply"),
              std::string::npos)
        << "256 is no uchar";
    const std::string whole = binaryPly(false);
    for (std::size_t size = 1; size < whole.size(); ++size)
        EXPECT_NE(complaint(whole.substr(0, size)), "") << size;
}

}  // namespace
}  // namespace sunder::testing
