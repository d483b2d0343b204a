#include <GU/GU_PackedGeometry.h>
#include <standin/standin.h>

GU_PrimPacked::GU_PrimPacked(GU_ConstDetailHandle packed) : GEO_Primitive(GA_PRIMPACKED, true), packed_(std::move(packed)) {
    if (packed_.isValid()) packed_.gdp()->standinFreeze(1);
}
GU_PrimPacked::GU_PrimPacked(const GU_PrimPacked& from) : GEO_Primitive(from), packed_(from.packed_), local_(from.local_), pivot_(from.pivot_) {
    if (packed_.isValid()) packed_.gdp()->standinFreeze(1);
}
GU_PrimPacked::~GU_PrimPacked() {
    if (packed_.isValid()) packed_.gdp()->standinFreeze(-1);
}

GA_Offset GU_PrimPacked::getPointOffset(GA_Size i) const { return standinDetail->vertexPoint(getVertexOffset(i)); }
void GU_PrimPacked::setLocalTransform(const UT_Matrix3D& local) {
    standinDetail->standinRequireWritable("transform of a packed primitive");
    standinDetail->getPrimitiveList().standinDirty = true;
    local_ = local;
}
void GU_PrimPacked::setPivot(const UT_Vector3& pivot) {
    standinDetail->standinRequireWritable("pivot of a packed primitive");
    standinDetail->getPrimitiveList().standinDirty = true;
    pivot_ = pivot;
}

namespace {
UT_Vector3D turned(const UT_Vector3& v, const UT_Matrix3D& by) {
    UT_Vector3D out;
    for (unsigned c = 0; c < 3; ++c) out[static_cast<int>(c)] = v.x() * by(0, c) + v.y() * by(1, c) + v.z() * by(2, c);
    return out;
}
UT_Matrix3D product(const UT_Matrix3D& first, const UT_Matrix3D& second) {
    UT_Matrix3D out(0.0);
    for (unsigned r = 0; r < 3; ++r)
        for (unsigned c = 0; c < 3; ++c)
            for (unsigned k = 0; k < 3; ++k) out(r, c) += first(r, k) * second(k, c);
    return out;
}
}  // namespace

bool GU_PrimPacked::unpack(GU_Detail& destination) const {
    if (packed_.isNull()) return false;
    if (&destination == standinDetail) standin::violation("a packed primitive was unpacked into its own detail");
    const GU_Detail& from = *packed_.gdp();
    const UT_Vector3 at = standinDetail->getPos3(getPointOffset(0));
    std::vector<GA_Offset> point(static_cast<std::size_t>(from.getNumPointOffsets()), GA_INVALID_OFFSET);
    for (const GA_Offset o : from.getPointRange()) {
        const UT_Vector3 p = from.getPos3(o);
        const UT_Vector3D moved = turned(UT_Vector3(p.x() - pivot_.x(), p.y() - pivot_.y(), p.z() - pivot_.z()), local_);
        const GA_Offset made = point[static_cast<std::size_t>(static_cast<exint>(o))] = destination.appendPointOffset();
        destination.setPos3(made, UT_Vector3(UT_Vector3D(moved.x() + at.x(), moved.y() + at.y(), moved.z() + at.z())));
    }
    for (const GA_Offset o : from.getPrimitiveRange()) {
        const GEO_Primitive& inner = *from.getGEOPrimitive(o);
        std::unique_ptr<GEO_Primitive> copy = inner.standinClone();
        if (isPackedPrimitive(inner)) static_cast<GU_PrimPacked&>(*copy).local_ = product(static_cast<const GU_PrimPacked&>(inner).local_, local_);
        copy->standinVertices.clear();
        std::vector<GA_Offset> corners;
        for (const GA_Offset v : inner.standinVertices) corners.push_back(point[static_cast<std::size_t>(static_cast<exint>(from.vertexPoint(v)))]);
        destination.standinAddPrimitive(std::move(copy), corners);
    }
    destination.standinResizeAfterBlock();
    return true;
}

GU_PrimPacked* GU_PackedGeometry::packGeometry(GU_Detail& destination, const GU_ConstDetailHandle& source) {
    if (source.isNull()) {
        standin::violation("nothing was packed");
        return nullptr;
    }
    if (source.gdp() == &destination) standin::violation("a detail was packed into itself");
    if (source.standinLocks() != 0) standin::violation("geometry was packed while it was locked");
    const std::vector<std::string> stale = source.gdp()->standinStale();
    if (!stale.empty()) standin::violation("geometry was packed whose '" + stale[0] + "' was written and left its data id as it was");
    destination.standinRequireWritable("primitives");
    auto made = std::make_unique<GU_PrimPacked>(source);
    GU_PrimPacked* packed = made.get();
    destination.standinAddPrimitive(std::move(made), {destination.appendPointOffset()});
    destination.standinResizeAfterBlock();
    return packed;
}
