#pragma once
// Provenance: public class pages of GA_Detail, GEO_Detail and GU_Detail; callers in OpenVDB's openvdb_houdini (Apache-2.0), elrnv/hdkrs (MIT) and
// SideFX's permissively licensed samples. Own code.
#include <GA/GA_Attribute.h>
#include <GA/GA_ElementGroup.h>
#include <GA/GA_Handle.h>
#include <GA/GA_Range.h>
#include <GEO/GEO_Primitive.h>
#include <UT/UT_Vector3.h>

#include <memory>
#include <vector>

/// Which offsets there are, and in which order.
class GA_IndexMap {
  public:
    GA_Size indexSize() const { return static_cast<GA_Size>(offsets_.size()); }
    GA_Size offsetSize() const { return static_cast<GA_Size>(indices_.size()); }
    GA_Offset offsetFromIndex(GA_Index i) const;
    GA_Index indexFromOffset(GA_Offset o) const;
    bool isOffsetActive(GA_Offset o) const;

    GA_Offset standinAppend(GA_Size count);
    void standinRemove(const std::vector<GA_Offset>& gone);
    void standinPermute(const std::vector<exint>& order);
    /// In the order of the indices.
    const std::vector<GA_Offset>& standinOffsets() const { return offsets_; }

  private:
    std::vector<GA_Offset> offsets_;
    std::vector<GA_Index> indices_;
};

/// What hands out data ids of the list of primitives.
class GA_PrimitiveList {
  public:
    void bumpDataId();
    GA_DataId getDataId() const { return dataId_; }
    bool standinDirty = false;

  private:
    GA_DataId dataId_ = 0;
};
/// Which point each vertex has.
class GA_ATITopology {
  public:
    GA_DataId getDataId() const { return standinDataId; }
    GA_DataId standinDataId = 0;
};
class GA_Topology {
  public:
    const GA_ATITopology* getPointRef() const { return &standinPointRef; }
    bool standinDirty = false;
    GA_ATITopology standinPointRef;
};

class GA_Detail {
  public:
    GA_Detail();
    virtual ~GA_Detail();
    GA_Detail(const GA_Detail&) = delete;
    GA_Detail& operator=(const GA_Detail&) = delete;

    GA_Size getNumPoints() const { return map(GA_ATTRIB_POINT).indexSize(); }
    GA_Size getNumVertices() const { return map(GA_ATTRIB_VERTEX).indexSize(); }
    GA_Size getNumPrimitives() const { return map(GA_ATTRIB_PRIMITIVE).indexSize(); }
    GA_Size getNumPointOffsets() const { return map(GA_ATTRIB_POINT).offsetSize(); }
    GA_Index pointIndex(GA_Offset o) const { return map(GA_ATTRIB_POINT).indexFromOffset(o); }
    GA_Offset pointOffset(GA_Index i) const { return map(GA_ATTRIB_POINT).offsetFromIndex(i); }
    GA_Index primitiveIndex(GA_Offset o) const { return map(GA_ATTRIB_PRIMITIVE).indexFromOffset(o); }
    GA_Offset primitiveOffset(GA_Index i) const { return map(GA_ATTRIB_PRIMITIVE).offsetFromIndex(i); }
    GA_Range getPointRange() const { return GA_Range(map(GA_ATTRIB_POINT).standinOffsets()); }
    GA_Range getPrimitiveRange() const { return GA_Range(map(GA_ATTRIB_PRIMITIVE).standinOffsets()); }

    GA_Offset appendPointBlock(GA_Size count);
    GA_Offset appendPointOffset() { return appendPointBlock(1); }
    /// Those that no vertex refers to.
    GA_Size destroyPoints(const GA_Range& range);
    GA_Size destroyPrimitives(const GA_Range& range);
    void clearAndDestroy();
    void replaceWith(const GA_Detail& from);

    UT_Vector3 getPos3(GA_Offset o) const;
    void setPos3(GA_Offset o, const UT_Vector3& p);
    GA_Attribute* getP() { return p_; }
    const GA_Attribute* getP() const { return p_; }

    GA_Size getPrimitiveVertexCount(GA_Offset primitive) const;
    GA_Offset getPrimitiveVertexOffset(GA_Offset primitive, GA_Size i) const;
    GA_Offset vertexPoint(GA_Offset vertex) const;
    const GEO_Primitive* getGEOPrimitive(GA_Offset primitive) const;
    GA_PrimitiveTypeId getPrimitiveTypeId(GA_Offset primitive) const { return getGEOPrimitive(primitive)->getTypeId(); }

    const GA_AttributeDict& pointAttribs() const { return dicts_[GA_ATTRIB_POINT]; }
    const GA_AttributeDict& vertexAttribs() const { return dicts_[GA_ATTRIB_VERTEX]; }
    const GA_AttributeDict& primitiveAttribs() const { return dicts_[GA_ATTRIB_PRIMITIVE]; }
    const GA_AttributeDict& attribs() const { return dicts_[GA_ATTRIB_GLOBAL]; }
    GA_Attribute* findAttribute(GA_AttributeOwner owner, const char* name);
    const GA_Attribute* findAttribute(GA_AttributeOwner owner, const char* name) const;
    GA_Attribute* addTuple(GA_Storage storage, GA_AttributeOwner owner, const char* name, int size, const GA_Defaults& defaults = GA_Defaults(0));
    GA_Attribute* addFloatTuple(GA_AttributeOwner owner, const char* name, int size, const GA_Defaults& d = GA_Defaults(0)) {
        return addTuple(GA_STORE_REAL32, owner, name, size, d);
    }
    GA_Attribute* addIntTuple(GA_AttributeOwner owner, const char* name, int size, const GA_Defaults& d = GA_Defaults(0)) {
        return addTuple(GA_STORE_INT32, owner, name, size, d);
    }
    GA_Attribute* addStringTuple(GA_AttributeOwner owner, const char* name, int size);
    bool destroyAttribute(GA_AttributeOwner owner, const char* name);

    const GA_ElementGroupTable& getElementGroupTable(GA_AttributeOwner owner) const { return groups_[owner]; }
    GA_PointGroup* newPointGroup(const char* name);
    GA_VertexGroup* newVertexGroup(const char* name);
    GA_PrimitiveGroup* newPrimitiveGroup(const char* name);
    GA_PointGroup* findPointGroup(const char* name) { return static_cast<GA_PointGroup*>(groups_[GA_ATTRIB_POINT].standinFind(name)); }
    const GA_PointGroup* findPointGroup(const char* name) const { return static_cast<GA_PointGroup*>(groups_[GA_ATTRIB_POINT].standinFind(name)); }
    const GA_PrimitiveGroup* findPrimitiveGroup(const char* name) const {
        return static_cast<GA_PrimitiveGroup*>(groups_[GA_ATTRIB_PRIMITIVE].standinFind(name));
    }

    GA_PrimitiveList& getPrimitiveList() { return primitiveList_; }
    const GA_PrimitiveList& getPrimitiveList() const { return primitiveList_; }
    GA_Topology& getTopology() { return topology_; }
    const GA_Topology& getTopology() const { return topology_; }
    void bumpDataIdsForAddOrRemove(bool points, bool vertices, bool primitives);
    void bumpAllDataIds();

    // the stand-in's own
    void standinRequireWritable(const char* what) const;
    void standinFreeze(int by) const { frozen_ += by; }
    void standinSteal() const { stolen_ = true; }
    void standinRequireThere(const char* what) const;
    /// Names of what has been written since its data id was bumped.
    std::vector<std::string> standinStale() const;
    GA_Offset standinAddPrimitive(std::unique_ptr<GEO_Primitive> primitive, const std::vector<GA_Offset>& points);
    void standinResizeAfterBlock() {
        resizeAttributes(GA_ATTRIB_VERTEX);
        resizeAttributes(GA_ATTRIB_PRIMITIVE);
    }
    void standinPermute(GA_AttributeOwner owner, const std::vector<exint>& order) { maps_[owner].standinPermute(order); }
    const GA_IndexMap& map(GA_AttributeOwner owner) const { return maps_[owner]; }

  private:
    void resizeAttributes(GA_AttributeOwner owner);
    template <class Group>
    Group* newGroup(GA_AttributeOwner owner, const char* name);

    GA_IndexMap maps_[4];
    GA_AttributeDict dicts_[4];
    GA_ElementGroupTable groups_[4];
    std::vector<GA_Offset> vertexPoint_;
    std::vector<std::unique_ptr<GEO_Primitive>> primitives_;
    GA_PrimitiveList primitiveList_;
    GA_Topology topology_;
    GA_Attribute* p_ = nullptr;
    mutable std::atomic<int> frozen_{0};
    mutable std::atomic<bool> stolen_{false};
};
using GEO_Detail = GA_Detail;

class GU_Detail : public GA_Detail {};
