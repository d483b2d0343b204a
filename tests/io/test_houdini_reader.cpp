#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/io/geometry_io.h"
#include "tests/io/samples.h"
#include "tests/io/variants.h"

namespace sunder::testing {
namespace {

Geometry readText(const std::string& text, Monitor* monitor = nullptr, const ReadLimits& limits = {}) {
    return decodeGeometry(bytesOf(text), GeometryFormat::kGeo, "hand.geo", monitor, limits);
}

/// The message of the Error that reading gives; empty if there is none.
std::string complaint(const std::string& text, const ReadLimits& limits = {}) {
    try {
        readText(text, nullptr, limits);
    } catch (const Error& error) {
        EXPECT_FALSE(error.remedy().empty());
        return error.what();
    }
    return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(HoudiniReader, PagesPackingConstantFlagsAndAliases) {
    WarningLog log;
    const Geometry g = readText(kPagedGeo, &log);
    ASSERT_EQ(g.pointCount(), 5u);
    const Vec3 expected[] = {{0, 0, 0}, {1, 0, 0}, {7, 7, 7}, {7, 7, 7}, {0, 0, 1}};
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(g.positions[i], expected[i]) << i;
    const std::vector<double> three = {1, 10, 11, 2, 20, 21, 3, 30, 31, 4, 40, 41, 5, 50, 51};
    ASSERT_TRUE(g.points.find("three"));
    EXPECT_EQ(*g.points.find("three")->as<double>(), three);
    const std::vector<std::string> labels = {"left", "right \"/\\", "", "left", "right \"/\\"};
    EXPECT_EQ(*g.points.find("label")->as<std::string>(), labels);
    EXPECT_EQ(*g.detail.find("pair")->as<std::int32_t>(), (std::vector<std::int32_t>{-5, 6}));
    EXPECT_EQ(g.points.findGroup("runs")->members, (std::vector<std::uint8_t>{1, 1, 0, 0, 0}));
    EXPECT_EQ(g.points.findGroup("ordered")->members, (std::vector<std::uint8_t>{1, 0, 0, 0, 1}));
    EXPECT_FALSE(g.points.find("Pw"));
    // a quad and a triangle, turned; the packed primitive is left out, and told of
    EXPECT_EQ(g.vertexPoint, (std::vector<std::int32_t>{0, 3, 2, 1, 4, 2, 3}));
    ASSERT_EQ(g.primitiveCount(), 2u);
    for (const char* what : {"PackedGeometry", "weights", "ordered", "1 vertices that no primitive uses"})
        EXPECT_NE(log.all.find(what), std::string::npos) << what << " in " << log.all;
}

TEST(HoudiniReader, WeightsOfPointsAreKept) {
    const Geometry g = readText(replaced(kPagedGeo, "[0,0,0, 1,0,0, 1,", "[0,0,0, 1,0,0, 0.5,"));
    ASSERT_TRUE(g.points.find("Pw"));
    EXPECT_EQ(*g.points.find("Pw")->as<float>(), (std::vector<float>{0.5f, 0.5f, 1, 1, 1}));
}

TEST(HoudiniReader, OldRunsTuplesAndSinglePrimitives) {
    WarningLog log;
    const Geometry g = readText(kOldGeo, &log);
    EXPECT_EQ(log.all, "");
    const std::vector<PrimitiveKind> kinds = {PrimitiveKind::kPolygon, PrimitiveKind::kPolygon,
                                              PrimitiveKind::kTet, PrimitiveKind::kCurve};
    EXPECT_EQ(g.primitiveKind, kinds);
    EXPECT_EQ(g.vertexPoint, (std::vector<std::int32_t>{0, 2, 1, 2, 3, 1, 0, 3, 2, 1, 1, 2, 3}));
    // a vertex's attribute moves with it
    EXPECT_EQ(*g.vertices.find("n")->as<std::int32_t>(),
              (std::vector<std::int32_t>{0, 2, 1, 3, 5, 4, 6, 9, 8, 7, 12, 11, 10}));
    EXPECT_EQ(g.positions[3], Vec3(0, 0, 1.5));
}

TEST(HoudiniReader, ErrorsNameFilePlaceAndCulprit) {
    const std::pair<std::string, const char*> cases[] = {
        {"{", "hand.geo', line 1"},
        {"[\"pointcount\",", "line 1"},
        {"[1,2", "line 1"},
        {"[]", "pointcount"},
        {"[\"pointcount\",3]", "attribute P"},
        {"[\"pointcount\",-1]", "-1 is not a possible count"},
        {"[\"pointcount\",1e30]", "number"},
        {"[\"pointcount\",4294967296]", "not a possible count"},
        {"[\"pointcount\",0,\"vertexcount\",1,\"topology\",[\"pointref\",[\"indices\",[0]]]]",
         "vertex 0 refers to point 0 of 0"},
        {"PGEOMETRY V5\n", "Houdini 11"},
        {"BgeoV\x05", "Houdini 11"},
        {replaced(kOldGeo, "[12,11,10]", "[13,11,10]"), "line 11: vertex 13 of 13"},
        {replaced(kOldGeo, "\"int8\",\"values\"", "\"int7\",\"values\""), "'int7'"},
        {replaced(kOldGeo, "[0,1,2,3,4,5,6,7,8,9,10,11,12]", "[0,1,2,3]"), "4 numbers where"},
        {replaced(kOldGeo, "[0,1,2,3,4,5,6,7,8,9,10,11,12]", "[0,1,2,3,4,5,6,7,8,9,10,11,1.5]"), "line 7"},
        {replaced(kOldGeo, "\"primitivecount\",4", "\"primitivecount\",5"),
         "4 primitives are listed where 5"},
        {replaced(kPagedGeo, "[2,true,3,false]", "[2,true,2,false]"), "do not cover"},
        {replaced(kPagedGeo, "[2,true,3,false]", "[2,true,30,false]"), "longer than the elements"},
        {replaced(kPagedGeo, "\"packing\",[3,1]", "\"packing\",[3,2]"), "packing"},
        {replaced(kPagedGeo, "\"pagesize\",2", "\"pagesize\",0"), "page size"},
        {replaced(kPagedGeo, "[4,1,3,1]", "[4,1,30000,1]"), "more vertices than there are"},
        {replaced(kPagedGeo, "\"ri\\u0067ht", "\"ri\\q0067ht"), "escape"},
        {replaced(kPagedGeo, "[[0,1,-1,0,1]]", "[[0,1,-1,0,2]]"), "string 2 of 2"},
        {std::string(1000, '['), "deep"},
    };
    for (const auto& [text, expected] : cases) {
        const std::string found = complaint(text);
        EXPECT_NE(found.find(expected), std::string::npos)
            << "expected " << expected << ", found " << found << " for " << text.substr(0, 200);
    }
}

TEST(HoudiniReader, NumbersThatAreNotThereAreNotBelieved) {
    // a few bytes must not unfold to more than the limits allow, whichever way they try
    const std::string head =
        "[\"pointcount\",2000000000,\"attributes\",[\"pointattributes\",[[[\"type\",\"numeric\",\"name\","
        "\"P\"],";
    const std::string constant =
        head +
        "[\"size\",3,\"storage\",\"fpreal32\",\"values\",[\"size\",3,\"packing\",[3],\"pagesize\",2147483647,"
        "\"constantpageflags\",[[true]],\"rawpagedata\",[0,0,0]]]]]]]";
    EXPECT_NE(complaint(constant).find("unfold"), std::string::npos) << complaint(constant);
    const std::string zeros =
        "[\"pointcount\",0,\"primitivecount\",2000000000,\"primitives\",[[[\"type\",\"Polygon_run\"],"
        "[\"startvertex\",0,\"nprimitives\",2000000000,\"nvertices_rle\",[0,2000000000]]]]]";
    EXPECT_NE(complaint(zeros).find("unfold"), std::string::npos) << complaint(zeros);
    ReadLimits tight;
    tight.maxBytes = 100;
    EXPECT_NE(complaint(kOldGeo, tight).find("unfold"), std::string::npos);
}

// ---- the binary form, written by hand here so that the reader is not only tested against our own writer

class BinaryTree {
  public:
    explicit BinaryTree(bool bigEndian) : bigEndian_(bigEndian) {
        byte(0x7f);
        number(std::uint32_t{0x624a534e});
    }
    BinaryTree& byte(int value) {
        bytes_.push_back(static_cast<std::uint8_t>(value));
        return *this;
    }
    template <class T>
    BinaryTree& number(T value) {
        std::uint8_t raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        if (bigEndian_) std::reverse(raw, raw + sizeof(T));
        bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
        return *this;
    }
    BinaryTree& text(const std::string& text) {
        byte(0x27).byte(static_cast<int>(text.size()));
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        return *this;
    }
    BinaryTree& define(int id, const std::string& text) {
        byte(0x2b).byte(id).byte(static_cast<int>(text.size()));
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        return *this;
    }
    BinaryTree& open() { return byte(0x5b); }
    BinaryTree& close() { return byte(0x5d); }
    std::vector<std::uint8_t> bytes() const { return bytes_; }

  private:
    bool bigEndian_;
    std::vector<std::uint8_t> bytes_;
};

/// Two points and a curve; keys by token, numbers of many types, a length written in 2, 4 and 8 bytes, a bit
/// array.
std::vector<std::uint8_t> handMadeBinary(bool bigEndian) {
    BinaryTree t(bigEndian);
    t.open().define(1, "pointcount").byte(0x26).byte(1).byte(0x11).byte(2);
    t.define(200, "size").define(3, "storage").define(4, "values");
    t.text("vertexcount")
        .byte(0x12)
        .number(std::int16_t{2})
        .text("primitivecount")
        .byte(0x14)
        .number(std::int64_t{1});
    t.text("topology")
        .open()
        .text("pointref")
        .open()
        .text("indices")
        .byte(0x40)
        .byte(0x22)
        .byte(0xf2)
        .number(std::uint16_t{2});
    t.number(std::uint16_t{1}).number(std::uint16_t{0}).close().close();
    t.text("attributes").open().text("pointattributes").open();
    t.open()
        .open()
        .text("name")
        .text("P")
        .text("type")
        .text("numeric")
        .close()
        .open()
        .byte(0x26)
        .byte(200)
        .byte(0x21)
        .byte(3);
    t.byte(0x26)
        .byte(3)
        .text("fpreal16")
        .byte(0x26)
        .byte(4)
        .open()
        .byte(0x26)
        .byte(200)
        .byte(0x13)
        .number(std::int32_t{3});
    t.text("tuples").open().byte(0x40).byte(0x18).byte(3);
    for (const int half : {0x3c00, 0xc000, 0x0001})
        t.number(static_cast<std::uint16_t>(half));  // 1, -2, 2^-24
    t.open().byte(0x19).number(0.25f).byte(0x1a).number(0.5).byte(0x13).number(std::int32_t{7}).close();
    t.close().close().close().close().close();  // tuples, values, data, attribute, list
    t.close();                                  // attributes
    t.text("pointgroups")
        .open()
        .open()
        .open()
        .text("name")
        .text("g")
        .close()
        .open()
        .text("selection")
        .open()
        .text("unordered")
        .open();
    t.text("i8")
        .byte(0x40)
        .byte(0x10)
        .byte(0xf4)
        .number(std::uint32_t{2})
        .number(std::uint32_t{2})
        .close()
        .close()
        .close()
        .close()
        .close();
    t.text("primitives")
        .open()
        .open()
        .open()
        .text("type")
        .text("c_r")
        .close()
        .open()
        .text("s_v")
        .byte(0x11)
        .byte(0)
        .text("n_p")
        .byte(0x11);
    t.byte(1)
        .text("n_v")
        .byte(0x40)
        .byte(0x14)
        .byte(0xf8)
        .number(std::uint64_t{1})
        .number(std::int64_t{2})
        .close()
        .close()
        .close();
    t.text("hasindex")
        .byte(0x30)
        .text("spare")
        .byte(0x7b)
        .text("a")
        .byte(0x00)
        .text("b")
        .byte(0x10)
        .byte(1)
        .byte(0x7d)
        .byte(0x2d)
        .byte(3);
    return t.close().bytes();
}

TEST(HoudiniReader, BinaryOfBothEndiannesses) {
    for (const bool bigEndian : {false, true}) {
        const Geometry g = decodeGeometry(handMadeBinary(bigEndian), GeometryFormat::kBgeo, "hand.bgeo");
        ASSERT_EQ(g.pointCount(), 2u);
        EXPECT_EQ(g.positions[0], Vec3(1, -2, 0x1p-24));
        EXPECT_EQ(g.positions[1], Vec3(0.25, 0.5, 7));
        EXPECT_EQ(g.vertexPoint, (std::vector<std::int32_t>{1, 0}));
        EXPECT_EQ(g.primitiveKind, std::vector<PrimitiveKind>{PrimitiveKind::kCurve});
        EXPECT_EQ(g.points.findGroup("g")->members, (std::vector<std::uint8_t>{0, 1}));
    }
}

TEST(HoudiniReader, EveryTruncationIsAnError) {
    for (const std::vector<std::uint8_t>& whole :
         {handMadeBinary(false), encodeGeometry(sampleGeometry(true), GeometryFormat::kBgeoGz),
          encodeGeometry(sampleGeometry(true), GeometryFormat::kBgeoSc), bytesOf(kPagedGeo)}) {
        // the last two bytes of the text are a bracket and a line break
        const std::size_t stop = whole.back() == '\n' ? whole.size() - 1 : whole.size();
        for (std::size_t size = 0; size < stop; ++size)
            EXPECT_THROW(decodeGeometry({whole.data(), size}, GeometryFormat::kBgeo, "cut"), Error)
                << size << " of " << whole.size();
    }
}

TEST(HoudiniReader, StopsWhenAsked) {
    class Impatient : public Monitor {
        bool cancelled() override { return true; }
    } monitor;
    EXPECT_THROW(readText(kOldGeo, &monitor), Cancelled);
}

}  // namespace
}  // namespace sunder::testing
