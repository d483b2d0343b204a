#pragma once
// Provenance: buildBlock and isClosed as on the public class pages of GEO_PrimPoly and GEO_Face; callers in OpenVDB's openvdb_houdini
// (Apache-2.0). Own code.
#include <GEO/GEO_PolyCounts.h>
#include <GEO/GEO_Primitive.h>

class GEO_PrimPoly : public GEO_Primitive {
  public:
    explicit GEO_PrimPoly(bool closed) : GEO_Primitive(GA_PRIMPOLY, closed) {}
    bool isClosed() const { return standinClosed(); }
    std::unique_ptr<GEO_Primitive> standinClone() const override { return std::make_unique<GEO_PrimPoly>(*this); }
    /// Point numbers count from `start`. Returns the offset of the first.
    static GA_Offset buildBlock(GA_Detail* detail, GA_Offset start, GA_Size points, const GEO_PolyCounts& counts, const int* pointNumbers, bool closed = true);
};
