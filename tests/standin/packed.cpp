#include <GU/GU_PackedGeometry.h>
#include <standin/standin.h>

GU_PrimPacked::GU_PrimPacked(GU_ConstDetailHandle packed) : GEO_Primitive(GA_PRIMPACKED, true), packed_(std::move(packed)) {
    packed_.gdp()->standinFreeze(1);
}
GU_PrimPacked::GU_PrimPacked(const GU_PrimPacked& from) : GEO_Primitive(from), packed_(from.packed_), local_(from.local_), pivot_(from.pivot_) {
    packed_.gdp()->standinFreeze(1);
}
GU_PrimPacked::~GU_PrimPacked() { packed_.gdp()->standinFreeze(-1); }

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
