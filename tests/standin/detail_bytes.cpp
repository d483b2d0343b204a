#include <GEO/GEO_PrimPoly.h>
#include <GEO/GEO_PrimTetrahedron.h>
#include <GU/GU_PrimPacked.h>
#include <standin/detail_bytes.h>
#include <standin/standin.h>

#include <ostream>

namespace standin {

namespace {
template <class T>
void put(std::ostream& out, const T& value) { out.write(reinterpret_cast<const char*>(&value), sizeof value); }
void put(std::ostream& out, const std::string& text) {
    put(out, static_cast<exint>(text.size()));
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}
template <class T>
bool get(UT_IStream& in, T& value) { return in.bread(reinterpret_cast<char*>(&value), sizeof value) == static_cast<exint>(sizeof value); }
bool get(UT_IStream& in, std::string& text) {
    exint size = 0;
    if (!get(in, size) || size < 0 || size > in.standinLeft()) return false;
    text.resize(static_cast<std::size_t>(size));
    return in.bread(text.data(), size) == size;
}

constexpr GA_AttributeOwner kOwners[] = {GA_ATTRIB_POINT, GA_ATTRIB_VERTEX, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL};

const GA_AttributeDict& dictOf(const GU_Detail& d, GA_AttributeOwner owner) {
    return owner == GA_ATTRIB_POINT ? d.pointAttribs() : owner == GA_ATTRIB_VERTEX ? d.vertexAttribs() : owner == GA_ATTRIB_PRIMITIVE ? d.primitiveAttribs() : d.attribs();
}
std::vector<GA_Offset> vertexOffsets(const GU_Detail& d) {
    std::vector<GA_Offset> list;
    for (const GA_Offset p : d.getPrimitiveRange())
        for (GA_Size k = 0; k < d.getPrimitiveVertexCount(p); ++k) list.push_back(d.getPrimitiveVertexOffset(p, k));
    return list;
}
std::vector<GA_Offset> offsetsOf(const GU_Detail& d, GA_AttributeOwner owner) { return owner == GA_ATTRIB_VERTEX ? vertexOffsets(d) : d.map(owner).standinOffsets(); }

/// What is packed is not shared any more when it is read again.
void writePacked(std::ostream& out, const GU_PrimPacked& packed) {
    put(out, packed.localTransform());
    put(out, packed.pivot());
    put(out, static_cast<exint>(packed.getPackedDetail().isValid()));
    if (packed.getPackedDetail().isValid()) writeDetail(out, *packed.getPackedDetail().gdp());
}
std::unique_ptr<GEO_Primitive> readPacked(UT_IStream& in) {
    UT_Matrix3D local(1.0);
    UT_Vector3 pivot;
    exint there = 0;
    if (!get(in, local) || !get(in, pivot) || !get(in, there)) return nullptr;
    GU_DetailHandle inside;
    if (there) {
        inside.allocateAndSet(new GU_Detail);
        if (!readDetail(in, *inside.gdpNC())) return nullptr;
    }
    auto made = std::make_unique<GU_PrimPacked>(inside);
    made->standinPlace(local, pivot);
    return made;
}
}  // namespace

void writeDetail(std::ostream& out, const GU_Detail& d) {
    put(out, d.getNumPoints());
    put(out, d.getNumPrimitives());
    for (const GA_Offset p : d.getPrimitiveRange()) {
        put(out, static_cast<exint>(d.getPrimitiveTypeId(p)));
        put(out, static_cast<exint>(d.getGEOPrimitive(p)->standinClosed()));
        put(out, d.getPrimitiveVertexCount(p));
        for (GA_Size k = 0; k < d.getPrimitiveVertexCount(p); ++k) put(out, static_cast<exint>(d.pointIndex(d.vertexPoint(d.getPrimitiveVertexOffset(p, k)))));
        if (d.getPrimitiveTypeId(p) == GA_PRIMPACKED) writePacked(out, *static_cast<const GU_PrimPacked*>(d.getGEOPrimitive(p)));
    }
    for (const GA_AttributeOwner owner : kOwners) {
        const auto& list = dictOf(d, owner).standinList;
        const std::vector<GA_Offset> offsets = offsetsOf(d, owner);
        put(out, static_cast<exint>(list.size()));
        for (const auto& a : list) {
            put(out, a->getName().toStdString());
            put(out, static_cast<exint>(a->standinStorage()));
            put(out, static_cast<exint>(a->getTupleSize()));
            put(out, static_cast<exint>(a->getTypeInfo()));
            for (const GA_Offset o : offsets)
                for (int c = 0; c < a->getTupleSize(); ++c) {
                    if (a->standinIsString())
                        put(out, a->standinText(o));
                    else if (a->standinIsFloat())
                        put(out, a->standinNumber(o, c));
                    else
                        put(out, a->standinInteger(o, c));
                }
        }
        put(out, static_cast<exint>(d.getElementGroupTable(owner).standinList.size()));
        for (const auto& g : d.getElementGroupTable(owner).standinList) {
            put(out, g->getName().toStdString());
            for (const GA_Offset o : offsets) put(out, static_cast<exint>(g->containsOffset(o)));
        }
    }
}

bool readDetail(UT_IStream& in, GU_Detail& d) {
    exint points = 0, primitives = 0;
    if (!get(in, points) || !get(in, primitives) || points > in.standinLeft() || primitives > in.standinLeft()) return false;
    if (points > 0) d.appendPointBlock(points);
    for (exint p = 0; p < primitives; ++p) {
        exint type = 0, closed = 0, count = 0;
        if (!get(in, type) || !get(in, closed) || !get(in, count) || count > in.standinLeft()) return false;
        std::vector<GA_Offset> corners;
        for (exint k = 0, i = 0; k < count; ++k) {
            if (!get(in, i)) return false;
            corners.emplace_back(i);
        }
        std::unique_ptr<GEO_Primitive> made;
        if (type == GA_PRIMTETRAHEDRON)
            made = std::make_unique<GEO_PrimTetrahedron>();
        else if (type == GA_PRIMPACKED)
            made = readPacked(in);
        else if (type == GA_PRIMVOLUME)
            made = std::make_unique<GEO_Primitive>(GA_PRIMVOLUME, true);
        else
            made = std::make_unique<GEO_PrimPoly>(closed != 0);
        if (!made) return false;
        d.standinAddPrimitive(std::move(made), corners);
    }
    d.standinResizeAfterBlock();
    for (const GA_AttributeOwner owner : kOwners) {
        const std::vector<GA_Offset> offsets = offsetsOf(d, owner);
        exint count = 0;
        if (!get(in, count)) return false;
        for (exint k = 0; k < count; ++k) {
            std::string name;
            exint storage = 0, tuple = 0, info = 0;
            if (!get(in, name) || !get(in, storage) || !get(in, tuple) || !get(in, info)) return false;
            GA_Attribute* a = d.addTuple(static_cast<GA_Storage>(storage), owner, name.c_str(), static_cast<int>(tuple));
            a->setTypeInfo(static_cast<GA_TypeInfo>(info));
            for (const GA_Offset o : offsets)
                for (int c = 0; c < tuple; ++c) {
                    std::string text;
                    double real = 0;
                    int64 whole = 0;
                    if (a->standinIsString()) {
                        if (!get(in, text)) return false;
                        a->standinSet(o, text);
                    } else if (a->standinIsFloat()) {
                        if (!get(in, real)) return false;
                        a->standinSet(o, c, real);
                    } else {
                        if (!get(in, whole)) return false;
                        a->standinSet(o, c, whole);
                    }
                }
        }
        if (!get(in, count)) return false;
        for (exint k = 0; k < count; ++k) {
            std::string name;
            if (!get(in, name)) return false;
            GA_ElementGroup* g = owner == GA_ATTRIB_POINT ? static_cast<GA_ElementGroup*>(d.newPointGroup(name.c_str()))
                                 : owner == GA_ATTRIB_VERTEX ? static_cast<GA_ElementGroup*>(d.newVertexGroup(name.c_str()))
                                                             : d.newPrimitiveGroup(name.c_str());
            for (const GA_Offset o : offsets) {
                exint member = 0;
                if (!get(in, member)) return false;
                if (member) g->addOffset(o);
            }
        }
    }
    d.bumpAllDataIds();
    return true;
}

}  // namespace standin
