#include <gtest/gtest.h>

#include <cstring>

#include "core/base/error.h"
#include "core/io/describe.h"
#include "core/io/geometry_io.h"
#include "tests/io/samples.h"
#include "tests/io/variants.h"
#include "tests/support/builders.h"

namespace sunder::testing {
namespace {

std::string binaryStl(const TriMesh& mesh, std::uint16_t spare) {
    std::string out = "solid, but binary";
    out.resize(80, ' ');
    const auto append = [&](const auto& value) {
        out.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    append(static_cast<std::uint32_t>(mesh.triangleCount()));
    for (const Tri& t : mesh.triangles) {
        for (int c = 0; c < 3; ++c) append(0.0f);
        for (const std::int32_t v : t)
            for (int c = 0; c < 3; ++c)
                append(static_cast<float>(mesh.positions[static_cast<std::size_t>(v)][c]));
        append(spare);
    }
    return out;
}

Geometry readBytes(const std::string& text) {
    return decodeGeometry(bytesOf(text), GeometryFormat::kStl, "hand.stl");
}

TEST(Stl, TextIsWelded) {
    const Geometry g = readBytes(kStl);
    EXPECT_EQ(g.pointCount(), 4u);  // -0 and 0 are one place
    EXPECT_EQ(g.vertexPoint, (std::vector<std::int32_t>{0, 1, 2, 0, 2, 3}));
    EXPECT_EQ(*g.primitives.find("name")->as<std::string>(), (std::vector<std::string>{"first part", ""}));
}

TEST(Stl, BinaryIsWeldedToAClosedSurface) {
    const TriMesh sphere = makeSphere(2, 1.0);
    const Geometry g = readBytes(binaryStl(sphere, 0));
    EXPECT_EQ(g.pointCount(), sphere.vertexCount());
    EXPECT_EQ(g.primitiveCount(), sphere.triangleCount());
    EXPECT_FALSE(g.primitives.find("stl_attribute"));
    // only single precision was lost
    EXPECT_NEAR(describeGeometry(g).volume, describeGeometry(geometryFromTriMesh(sphere)).volume, 1e-5);
    EXPECT_EQ((*readBytes(binaryStl(sphere, 513)).primitives.find("stl_attribute")->as<std::int32_t>())[3],
              513);
}

TEST(Stl, Errors) {
    const std::string whole = binaryStl(makeSphere(0, 1.0), 0);
    for (const std::size_t size : {1u, 50u, 83u, 84u, 100u, static_cast<unsigned>(whole.size()) - 1})
        EXPECT_THROW(readBytes(whole.substr(0, size)), Error) << size;
    const std::string text = kStl;
    EXPECT_THROW(readBytes(text.substr(0, text.size() - 10)), Error);
    EXPECT_THROW(readBytes("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n"), Error);
    EXPECT_THROW(readBytes("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 "
                           "1\nendloop\nendfacet\nendsolid\n"),
                 Error);
    EXPECT_THROW(readBytes("nonsense"), Error);
}

}  // namespace
}  // namespace sunder::testing
