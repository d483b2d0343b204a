#include <string>

#include "core/base/error.h"
#include "core/io/number_text.h"
#include "core/io/obj.h"

namespace sunder {

namespace {
class ObjWriter {
  public:
    explicit ObjWriter(const Geometry& geometry)
        : geometry_(geometry),
          uv_(triple(geometry.vertices, "uv")),
          normal_(triple(geometry.vertices, "N")),
          color_(triple(geometry.points, "Cd")),
          name_(text(geometry.primitives, "name")),
          material_(text(geometry.primitives, "shop_materialpath")) {}

    std::vector<std::uint8_t> write() {
        for (std::size_t i = 0; i < geometry_.pointCount(); ++i) writePoint(i);
        writeTriples("vt", uv_);
        writeTriples("vn", normal_);
        for (std::size_t p = 0; p < geometry_.primitiveCount(); ++p) {
            writeChanges(p);
            writePrimitive(p);
        }
        return {out_.begin(), out_.end()};
    }

  private:
    static const Attribute* triple(const AttributeSet& set, const char* name) {
        const Attribute* a = set.find(name);
        return a && a->isFloat() && a->tupleSize == 3 ? a : nullptr;
    }
    static const std::vector<std::string>* text(const AttributeSet& set, const char* name) {
        const Attribute* a = set.find(name);
        return a ? a->as<std::string>() : nullptr;
    }

    void append(const Attribute& attribute, std::size_t element) {
        for (int c = 0; c < 3; ++c) {
            out_ += ' ';
            if (const auto* values = attribute.as<float>())
                appendNumber(out_, (*values)[3 * element + static_cast<std::size_t>(c)]);
            else
                appendNumber(out_, attribute.number(element, c));
        }
    }

    void writePoint(std::size_t i) {
        out_ += 'v';
        for (int c = 0; c < 3; ++c) {
            out_ += ' ';
            appendNumber(out_, geometry_.positions[i][c]);
        }
        if (color_) append(*color_, i);
        out_ += '\n';
    }

    void writeTriples(const char* keyword, const Attribute* attribute) {
        if (!attribute) return;
        for (std::size_t v = 0; v < geometry_.vertexCount(); ++v) {
            out_ += keyword;
            append(*attribute, v);
            out_ += '\n';
        }
    }

    void writeChanges(std::size_t p) {
        if (name_ && (p == 0 || (*name_)[p] != (*name_)[p - 1])) out_ += "o " + (*name_)[p] + '\n';
        if (material_ && (p == 0 || (*material_)[p] != (*material_)[p - 1]))
            out_ += "usemtl " + (*material_)[p] + '\n';
        const auto& groups = geometry_.primitives.groups;
        bool changed = p == 0 && !groups.empty();
        for (const Group& g : groups) changed = changed || (p > 0 && g.members[p] != g.members[p - 1]);
        if (!changed) return;
        out_ += 'g';
        for (const Group& g : groups)
            if (g.members[p]) out_ += ' ' + g.name;
        out_ += '\n';
    }

    void writePrimitive(std::size_t p) {
        const bool isCurve = geometry_.primitiveKind[p] == PrimitiveKind::kCurve;
        out_ += isCurve ? 'l' : 'f';
        for (std::int32_t v = geometry_.primitiveFirstVertex[p]; v < geometry_.primitiveFirstVertex[p + 1];
             ++v) {
            out_ += ' ';
            appendIndex(geometry_.vertexPoint[static_cast<std::size_t>(v)]);
            if (uv_ || normal_) out_ += '/';
            if (uv_) appendIndex(v);
            if (normal_) out_ += '/', appendIndex(v);
        }
        out_ += '\n';
    }
    void appendIndex(std::int32_t index) { appendNumber(out_, static_cast<std::int64_t>(index) + 1); }

    const Geometry& geometry_;
    const Attribute *uv_, *normal_, *color_;
    const std::vector<std::string>*name_, *material_;
    std::string out_;
};
}  // namespace

std::vector<std::uint8_t> writeObj(const Geometry& geometry) {
    geometry.validate();
    if (geometry.countOf(PrimitiveKind::kTet) > 0)
        throw Error(".obj cannot hold tetrahedra", "write .bgeo.sc, or take the surface first");
    return ObjWriter(geometry).write();
}

}  // namespace sunder
