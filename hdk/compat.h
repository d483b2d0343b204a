#pragma once

// Every difference between versions of Houdini, and every call that no public source has confirmed (docs/houdini-checklist.md), is here.

#include <GA/GA_ElementGroup.h>
#include <GA/GA_Handle.h>
#include <GEO/GEO_PrimPoly.h>
#include <GU/GU_Detail.h>
#include <GU/GU_PackedGeometry.h>
#include <GU/GU_PrimPacked.h>
#include <PRM/PRM_TemplateBuilder.h>
#include <SIM/SIM_DataFilter.h>
#include <SIM/SIM_ForceGravity.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_ObjectArray.h>
#include <SIM/SIM_Options.h>
#include <SIM/SIM_Utils.h>
#include <SOP/SOP_Node.h>
#include <SOP/SOP_NodeParmsOptions.h>
#include <SYS/SYS_Version.h>
#include <UT/UT_IStream.h>
#include <UT/UT_Matrix3.h>
#include <UT/UT_Matrix4.h>

#include <cstring>
#include <string>

#include "core/base/error.h"

static_assert(SYS_VERSION_MAJOR_INT > 20 || (SYS_VERSION_MAJOR_INT == 20 && SYS_VERSION_MINOR_INT >= 5), "Sunder needs Houdini 20.5 or newer");

namespace sunder::hdk::compat {

// ---- geometry

/// Open polygons are curves.
inline bool isClosed(const GEO_Primitive& polygon) { return static_cast<const GEO_PrimPoly&>(polygon).isClosed(); }

/// Changes with what vertices and points belong together.
inline GA_DataId topologyId(const GU_Detail& detail) { return detail.getTopology().getPointRef()->getDataId(); }

/// Integers of 8 bits have no handles of their own.
using ByteReader = GA_ROHandleI;
using ByteWriter = GA_RWHandleI;

/// One component of a tuple.
template <class Handle, class Value>
void setComponent(Handle& handle, GA_Offset offset, int component, Value value) {
    handle.set(offset, component, value);
}

/// An attribute of numbers, or of one text each: what is there if it is of that name, size and storage. Null if the host has something against the name.
inline GA_Attribute* addNumbers(GU_Detail& detail, GA_Storage storage, GA_AttributeOwner owner, const char* name, int size) { return detail.addTuple(storage, owner, name, size); }
inline GA_Attribute* addTexts(GU_Detail& detail, GA_AttributeOwner owner, const char* name) { return detail.addStringTuple(owner, name, 1); }

/// Calls body(group) for all groups of points, vertices or primitives.
template <class Body>
void forGroups(const GU_Detail& detail, GA_AttributeOwner owner, const Body& body) {
    const GA_ElementGroupTable& table = detail.getElementGroupTable(owner);
    for (auto it = table.beginTraverse(); it != table.endTraverse(); ++it) body(**it);
}

/// A group of that name; null if there is none.
inline GA_ElementGroup* findGroup(const GU_Detail& detail, GA_AttributeOwner owner, const char* name) {
    GA_ElementGroup* there = nullptr;
    forGroups(detail, owner, [&](GA_ElementGroup& group) {
        if (std::strcmp(group.getName().c_str(), name) == 0) there = &group;
    });
    return there;
}

/// What is there, or a new one. Null for owners without groups.
inline GA_ElementGroup* addGroup(GU_Detail& detail, GA_AttributeOwner owner, const char* name) {
    if (owner == GA_ATTRIB_DETAIL) return nullptr;
    if (GA_ElementGroup* there = findGroup(detail, owner, name)) return there;
    if (owner == GA_ATTRIB_POINT) return detail.newPointGroup(name);
    if (owner == GA_ATTRIB_VERTEX) return detail.newVertexGroup(name);
    return detail.newPrimitiveGroup(name);
}

// ---- packed primitives

/// A packed primitive at the origin, with a point of its own.
inline GU_PrimPacked& packInto(GU_Detail& detail, const GU_ConstDetailHandle& part) {
    GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(detail, part);
    if (!packed) throw Error("the host made no packed primitive", "choose another output");
    return *packed;
}

/// Shows a place x of what is packed at (x - pivot) turn + the primitive's point: rows times matrix.
inline void placePacked(GU_PrimPacked& packed, const UT_Vector3& pivot, const UT_Matrix3D& turn) {
    packed.setPivot(pivot);
    packed.setLocalTransform(turn);
}

/// True for every kind of packed primitive: of geometry, fragments, files.
inline bool isPacked(const GEO_Primitive& primitive) { return GU_PrimPacked::isPackedPrimitive(primitive); }

/// Appends what a packed primitive shows, where it shows it; what is packed in that stays packed. False if it has nothing to show, as one of a file that is not there.
inline bool unpackInto(GU_Detail& detail, const GEO_Primitive& packed) { return static_cast<const GU_PrimPacked&>(packed).unpack(detail); }

// ---- nodes

/// Templates of a dialog script, which lives as long as the plugin.
inline PRM_Template* makeTemplates(const std::string& script, const char* name) { return (new PRM_TemplateBuilder(UT_StringHolder(name), script.c_str()))->templates(); }

inline bool hasInput(const SOP_NodeVerb::CookParms& parms, int i) { return parms.hasInput(i); }

/// Tells of a stopped cook: an error, so that nobody keeps what is unfinished.
inline void reportInterrupt(const SOP_NodeVerb::CookParms& parms) { parms.sopAddError(SOP_MESSAGE, "interrupted"); }

/// The cook of a verb by name of parameters.
class VerbCache : public SOP_NodeCacheOptions {
  protected:
    /// A whole number, a switch, or the place in a menu.
    exint wholeNumber(const char* name, fpreal time) const { return evalInt(name, 0, time); }
};

/// A node that cooks by a verb, and what that keeps from cook to cook.
class VerbNode : public SOP_Node {
  protected:
    VerbNode(OP_Network* network, const char* name, OP_Operator* op) : SOP_Node(network, name, op) { mySopFlags.setManagesDataIDs(true); }
    OP_ERROR cookMySop(OP_Context& context) override { return cookMyselfAsVerb(context); }
    const SOP_NodeCache* verbCache() const { return myNodeVerbCache; }
};

// ---- objects of a simulation

/// Options as templates make them: toggles are switches, menus whole numbers, vectors three numbers.
inline double optionNumber(const SIM_Options& options, const char* name, int component) {
    return options.getOptionType(name) == UT_OPTION_VECTOR3 ? options.getOptionV3(name)[component] : options.getOptionF(name);
}
inline int64 optionInteger(const SIM_Options& options, const char* name) {
    return options.getOptionType(name) == UT_OPTION_BOOL ? static_cast<int64>(options.getOptionB(name)) : options.getOptionI(name);
}
inline std::string optionText(const SIM_Options& options, const char* name) {
    UT_String value;
    options.getOptionS(name, value);
    return value.toStdString();
}

/// Geometry of an object that can be written. One that a SOP shows is replaced by a copy of it; null if the host will not have that.
inline SIM_GeometryCopy* writableGeometry(SIM_Object& object) {
    if (auto* there = SIM_DATA_GET(object, SIM_GEOMETRY_DATANAME, SIM_GeometryCopy)) return there;
    const GU_ConstDetailHandle before = object.getGeometry()->getGeometry();
    auto* made = SIM_DATA_CREATE(object, SIM_GEOMETRY_DATANAME, SIM_GeometryCopy, SIM_DATA_RETURN_EXISTING | SIM_DATA_ADOPT_EXISTING_ON_DELETE);
    const GU_DetailHandleAutoReadLock lock(before);
    if (made && lock.getGdp()) made->setOwnGeometry(lock.getGdp());
    return made;
}

/// From the space of an object's geometry to that of the simulation: rows times matrix.
inline UT_DMatrix4 worldTransform(const SIM_Object& object) {
    UT_DMatrix4 transform(1.0);
    SIMgetGeometryTransform(transform, object);
    return transform;
}

/// All that an object collides with, itself among them.
inline void findColliders(const SIM_Object& object, SIM_ObjectArray& found) { object.getAffectors(found, "SIM_RelationshipCollide"); }

/// Data of force nodes.
inline void findForces(const SIM_Object& object, SIM_ConstDataArray& found) {
    object.filterConstSubData(found, nullptr, SIM_DataFilterByType("SIM_Force"), SIM_FORCES_DATANAME, SIM_DataFilterNone());
}
/// What one does to a point with mass; points have no size, so torques do nothing to them.
inline UT_Vector3 forceAt(const SIM_Force& from, const SIM_Object& object, const UT_Vector3& position, const UT_Vector3& velocity, double mass) {
    UT_Vector3 force(0, 0, 0), torque(0, 0, 0);
    from.getForce(object, position, velocity, UT_Vector3(0, 0, 0), mass, force, torque);
    return force;
}
inline UT_Vector3 gravityOf(const SIM_ForceGravity& force) { return force.getGravity(); }

inline bool readBytes(UT_IStream& stream, void* to, std::size_t count) {
    return stream.bread(static_cast<char*>(to), static_cast<exint>(count)) == static_cast<exint>(count);
}

}  // namespace sunder::hdk::compat
