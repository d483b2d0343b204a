#pragma once
// Provenance: getGeometry, locks and setOwnGeometry as in SideFX's permissively licensed samples and HinaPE-Houdini (MPL-2.0). Own code. Geometry that other timesteps share is copied
// as it is locked; a lock that is released with stale data ids is refused.
#include <GU/GU_DetailHandle.h>
#include <SIM/SIM_Data.h>

#define SIM_GEOMETRY_DATANAME "Geometry"

class SIM_Geometry : public SIM_Data {
  public:
    explicit SIM_Geometry(const SIM_DataFactory* f) : SIM_Data(f) {}
    GU_ConstDetailHandle getGeometry() const { return handle_; }
    void* standinCast(const char* name) override { return std::strcmp(name, "SIM_Geometry") == 0 ? static_cast<void*>(this) : SIM_Data::standinCast(name); }

  protected:
    void makeEqualSubclass(const SIM_Data* source) override;
    void saveSubclass(std::ostream& out) const override;
    bool loadSubclass(UT_IStream& in) override;
    GU_DetailHandle handle_;
};
class SIM_GeometryCopy : public SIM_Geometry {
  public:
    using SIM_Geometry::SIM_Geometry;
    GU_DetailHandle& lockGeometry();
    void releaseGeometry();
    void setOwnGeometry(const GU_Detail* detail);
    /// Locks that are open, those of readers among them.
    int standinLocks() const { return locks_ + handle_.standinLocks(); }
    static const char* classname() { return "SIM_GeometryCopy"; }
    void* standinCast(const char* name) override { return std::strcmp(name, classname()) == 0 ? static_cast<void*>(this) : SIM_Geometry::standinCast(name); }

  private:
    int locks_ = 0;
};
/// What a SOP Geometry node attaches: the SOP's own detail, which nobody may write.
class SIM_SopGeometry : public SIM_Geometry {
  public:
    using SIM_Geometry::SIM_Geometry;
    ~SIM_SopGeometry() override { standinShow({}); }
    void standinShow(const GU_DetailHandle& shown);
    static const char* classname() { return "SIM_SopGeometry"; }
    void* standinCast(const char* name) override { return std::strcmp(name, classname()) == 0 ? static_cast<void*>(this) : SIM_Geometry::standinCast(name); }

  protected:
    void makeEqualSubclass(const SIM_Data* source) override;
    bool loadSubclass(UT_IStream& in) override;
};
class SIM_GeometryAutoWriteLock {
  public:
    explicit SIM_GeometryAutoWriteLock(SIM_GeometryCopy* geometry) : geometry_(geometry), detail_(geometry->lockGeometry().gdpNC()) {}
    ~SIM_GeometryAutoWriteLock() { geometry_->releaseGeometry(); }
    SIM_GeometryAutoWriteLock(const SIM_GeometryAutoWriteLock&) = delete;
    SIM_GeometryAutoWriteLock& operator=(const SIM_GeometryAutoWriteLock&) = delete;
    GU_Detail& getGdp() { return *detail_; }

  private:
    SIM_GeometryCopy* geometry_;
    GU_Detail* detail_;
};
