#pragma once
// Provenance: public class pages of GA_ElementGroup and GA_ElementGroupTable; callers in OpenVDB's openvdb_houdini (Apache-2.0). Own code.
#include <GA/GA_Types.h>
#include <UT/UT_StringHolder.h>

#include <atomic>
#include <map>
#include <memory>
#include <vector>

class GA_Detail;

class GA_ElementGroup {
  public:
    GA_ElementGroup(GA_Detail& detail, std::string name) : detail_(detail), name_(std::move(name)) {}
    const UT_StringHolder& getName() const { return name_; }
    bool getInternal() const { return false; }
    bool containsOffset(GA_Offset o) const;
    void addOffset(GA_Offset o);
    void removeOffset(GA_Offset o);
    GA_Size entries() const;
    void bumpDataId();
    GA_DataId getDataId() const { return dataId_; }

    bool standinDirty() const { return dirty_; }
    std::vector<unsigned char> standinMembers;

  private:
    void touch();
    GA_Detail& detail_;
    UT_StringHolder name_;
    GA_DataId dataId_ = 0;
    std::atomic<bool> dirty_{true};
};
class GA_PointGroup : public GA_ElementGroup {
    using GA_ElementGroup::GA_ElementGroup;
};
class GA_VertexGroup : public GA_ElementGroup {
    using GA_ElementGroup::GA_ElementGroup;
};
class GA_PrimitiveGroup : public GA_ElementGroup {
    using GA_ElementGroup::GA_ElementGroup;
};

/// In no order that a caller could rely on: the stand-in hands groups out backwards.
class GA_ElementGroupTable {
  public:
    using Pointers = std::vector<std::unique_ptr<GA_ElementGroup>>;
    Pointers::const_reverse_iterator beginTraverse() const { return standinList.rbegin(); }
    Pointers::const_reverse_iterator endTraverse() const { return standinList.rend(); }
    exint entries() const { return static_cast<exint>(standinList.size()); }

    Pointers standinList;
    GA_ElementGroup* standinFind(const char* name) const;
};
