#pragma once
// Provenance: public class pages of GA_Primitive, GEO_Primitive, GEO_Face. Own code.
#include <GA/GA_Types.h>

#include <memory>
#include <vector>

class GA_Detail;

class GEO_Primitive {
  public:
    GEO_Primitive(GA_PrimitiveTypeId type, bool closed) : type_(type), closed_(closed) {}
    virtual ~GEO_Primitive() = default;
    GA_PrimitiveTypeId getTypeId() const { return type_; }
    GA_Size getVertexCount() const { return static_cast<GA_Size>(standinVertices.size()); }
    GA_Offset getVertexOffset(GA_Size i) const { return standinVertices[static_cast<std::size_t>(i)]; }
    virtual std::unique_ptr<GEO_Primitive> standinClone() const { return std::make_unique<GEO_Primitive>(*this); }
    bool standinClosed() const { return closed_; }
    std::vector<GA_Offset> standinVertices;
    GA_Detail* standinDetail = nullptr;  ///< that it is in

  private:
    GA_PrimitiveTypeId type_;
    bool closed_;
};
