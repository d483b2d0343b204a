#pragma once

// Every difference between versions of Houdini, and every call that no public source has confirmed (docs/houdini-checklist.md), is here.

#include <GEO/GEO_PrimPoly.h>
#include <GU/GU_Detail.h>
#include <GU/GU_PackedGeometry.h>
#include <GU/GU_PrimPacked.h>
#include <PRM/PRM_TemplateBuilder.h>
#include <SIM/SIM_Utils.h>
#include <SOP/SOP_NodeVerb.h>
#include <SYS/SYS_Version.h>
#include <UT/UT_IStream.h>
#include <UT/UT_Matrix4.h>

#include <string>

#include "core/base/error.h"

static_assert(SYS_VERSION_MAJOR_INT > 20 || (SYS_VERSION_MAJOR_INT == 20 && SYS_VERSION_MINOR_INT >= 5), "Sunder needs Houdini 20.5 or newer");

namespace sunder::hdk::compat {

/// Open polygons are curves.
inline bool isClosed(const GEO_Primitive& polygon) { return static_cast<const GEO_PrimPoly&>(polygon).isClosed(); }

/// Changes with what vertices and points belong together.
inline GA_DataId topologyId(const GU_Detail& detail) { return detail.getTopology().getPointRef()->getDataId(); }

/// Tells of a stopped cook: an error, so that nobody keeps what is unfinished.
inline void reportInterrupt(const SOP_NodeVerb::CookParms& parms) { parms.sopAddError(SOP_MESSAGE, "interrupted"); }

/// Templates of a dialog script, which lives as long as the plugin.
inline PRM_Template* makeTemplates(const std::string& script, const char* name) { return (new PRM_TemplateBuilder(UT_StringHolder(name), script.c_str()))->templates(); }

/// A packed primitive at the origin, with a point of its own.
inline GU_PrimPacked& packInto(GU_Detail& detail, const GU_ConstDetailHandle& part) {
    GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(detail, part);
    if (!packed) throw Error("the host made no packed primitive", "choose another output");
    return *packed;
}

/// True for every kind of packed primitive: of geometry, fragments, files.
inline bool isPacked(const GEO_Primitive& primitive) { return GU_PrimPacked::isPackedPrimitive(primitive); }

/// Appends what a packed primitive shows, where it shows it; what is packed in that stays packed. False if it has nothing to show, as one of a file that is not there.
inline bool unpackInto(GU_Detail& detail, const GEO_Primitive& packed) { return static_cast<const GU_PrimPacked&>(packed).unpack(detail); }

/// From the space of an object's geometry to that of the simulation: rows times matrix.
inline UT_DMatrix4 worldTransform(const SIM_Object& object) {
    UT_DMatrix4 transform(1.0);
    SIMgetGeometryTransform(transform, object);
    return transform;
}

inline bool readBytes(UT_IStream& stream, void* to, std::size_t count) {
    return stream.bread(static_cast<char*>(to), static_cast<exint>(count)) == static_cast<exint>(count);
}

}  // namespace sunder::hdk::compat
