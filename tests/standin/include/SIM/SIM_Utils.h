#pragma once
// Provenance: name and arguments of SIMgetGeometryTransform from notes on the HDK, not checked against a class page (checklist 32); what it is the product of, from the help of the expression `doptransform`. Own code.
#include <SIM/SIM_Object.h>

/// From the space of the object's geometry to that of the simulation: rows times matrix.
inline void SIMgetGeometryTransform(UT_DMatrix4& transform, const SIM_Object& object) { transform = object.standinTransform; }
