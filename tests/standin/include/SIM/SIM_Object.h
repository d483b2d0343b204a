#pragma once
// Provenance: named sub-data, getGeometry, getAffectors, SIM_ConstDataArray and filterConstSubData as in SideFX's permissively licensed samples and HinaPE-Houdini (MPL-2.0). Own code.
#include <SIM/SIM_Data.h>
#include <SIM/SIM_Geometry.h>
#include <UT/UT_Matrix4.h>

class SIM_ObjectArray;
class SIM_DataFilter;

/// Data that a search has found.
class SIM_ConstDataArray {
  public:
    int entries() const { return static_cast<int>(standinList.size()); }
    const SIM_Data* operator()(int i) const { return standinList[static_cast<std::size_t>(i)]; }
    std::vector<const SIM_Data*> standinList;
};

class SIM_Object : public SIM_Data {
  public:
    SIM_Object(std::string name, int id);
    const UT_StringHolder& getName() const { return name_; }
    int getObjectId() const { return id_; }
    SIM_Data* getNamedSubData(const char* name);
    const SIM_Data* getConstNamedSubData(const char* name) const { return const_cast<SIM_Object*>(this)->getNamedSubData(name); }
    SIM_Data* createNamedSubData(const char* name, const char* className, int flags);
    const SIM_Geometry* getGeometry() const;
    /// Data below one of that name, in the order of their names. Callers leave the second argument out.
    void filterConstSubData(SIM_ConstDataArray& found, std::nullptr_t, const SIM_DataFilter& filter, const char* startFrom, const SIM_DataFilter& recurse) const;
    /// Those of a relationship, this object among them.
    void getAffectors(SIM_ObjectArray& affectors, const char* relationship) const;

    std::map<std::string, std::shared_ptr<SIM_Data>> standinData;
    std::vector<SIM_Object*> standinColliders;
    UT_DMatrix4 standinTransform{1};  ///< of its Position and its geometry

  private:
    UT_StringHolder name_;
    int id_;
};
class SIM_ObjectArray {
  public:
    int entries() const { return static_cast<int>(standinList.size()); }
    SIM_Object* operator()(int i) const { return standinList[static_cast<std::size_t>(i)]; }
    void add(SIM_Object* object) { standinList.push_back(object); }
    std::vector<SIM_Object*> standinList;
};
