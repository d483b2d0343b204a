#pragma once
// Provenance: buildBlock as on the public class page of GEO_PrimTetrahedron. Own code.
#include <GEO/GEO_Primitive.h>

class GEO_PrimTetrahedron : public GEO_Primitive {
  public:
    GEO_PrimTetrahedron() : GEO_Primitive(GA_PRIMTETRAHEDRON, true) {}
    std::unique_ptr<GEO_Primitive> standinClone() const override { return std::make_unique<GEO_PrimTetrahedron>(*this); }
    /// Point numbers count from `start`, four a tet. Returns the offset of the first.
    static GA_Offset buildBlock(GA_Detail* detail, GA_Offset start, GA_Size points, GA_Size tets, const int* pointNumbers);
};
