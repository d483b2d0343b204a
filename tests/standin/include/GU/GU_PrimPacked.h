#pragma once
// Provenance: public class pages of GU_PrimPacked and GEO_PrimPacked (pivot, localTransform, setLocalTransform, getPackedDetail, unpack); callers of setPivot and getPointOffset in SideFX's permissively
// licensed sample packedsphere, of isPackedPrimitive and unpack in OpenVDB's SOP_OpenVDB_Points_Convert (Apache-2.0). Own code. What is packed is shared: it cannot be written any more.
#include <GEO/GEO_Primitive.h>
#include <GU/GU_DetailHandle.h>
#include <UT/UT_Matrix3.h>

class GU_PrimPacked : public GEO_Primitive {
  public:
    /// Without a handle it is one of a file that is not there.
    explicit GU_PrimPacked(GU_ConstDetailHandle packed);
    GU_PrimPacked(const GU_PrimPacked& from);
    ~GU_PrimPacked() override;
    GU_PrimPacked& operator=(const GU_PrimPacked&) = delete;
    GA_Offset getPointOffset(GA_Size i) const;
    GU_ConstDetailHandle getPackedDetail() const { return packed_; }
    const UT_Matrix3D& localTransform() const { return local_; }
    const UT_Vector3& pivot() const { return pivot_; }
    static bool isPackedPrimitive(const GEO_Primitive& primitive) { return primitive.getTypeId() == GA_PRIMPACKED; }
    /// Appends points and primitives of what is packed, moved to where it stands; attributes and groups stay behind. What is packed in it stays packed.
    bool unpack(GU_Detail& destination) const;
    void setLocalTransform(const UT_Matrix3D& local);
    void setPivot(const UT_Vector3& pivot);
    void standinPlace(const UT_Matrix3D& local, const UT_Vector3& pivot) {
        local_ = local;
        pivot_ = pivot;
    }
    std::unique_ptr<GEO_Primitive> standinClone() const override { return std::make_unique<GU_PrimPacked>(*this); }

  private:
    GU_ConstDetailHandle packed_;
    UT_Matrix3D local_{1.0};
    UT_Vector3 pivot_{0, 0, 0};
};
