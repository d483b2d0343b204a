#pragma once
// Provenance: public class page of GU_PackedGeometry; callers of packGeometry in sideeffects/HoudiniGLTF. Own code.
#include <GU/GU_PrimPacked.h>

class GU_PackedGeometry {
  public:
    /// Appends a point and a primitive that shows `source` there.
    static GU_PrimPacked* packGeometry(GU_Detail& destination, const GU_ConstDetailHandle& source);
};
