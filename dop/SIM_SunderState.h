#pragma once

#include <SIM/SIM_Data.h>

#include <memory>

#include "core/sim/world_parts.h"

/// What the solver knows of an object beyond its geometry. A step makes a new part; copies share it, so that a cache holds every block once.
class SIM_SunderState : public SIM_Data {
  public:
    const std::shared_ptr<const sunder::WorldPart>& part() const { return part_; }
    void setPart(std::shared_ptr<const sunder::WorldPart> part) {
        part_ = std::move(part);
        handleModification();
    }
    static const char* dataName() { return "SunderState"; }

  protected:
    explicit SIM_SunderState(const SIM_DataFactory* factory) : BaseClass(factory) {}
    void initializeSubclass() override;
    void makeEqualSubclass(const SIM_Data* source) override;
    void saveSubclass(std::ostream& out) const override;
    bool loadSubclass(UT_IStream& in) override;
    int64 getMemorySizeSubclass() const override;

  private:
    static const SIM_DopDescription* description();
    std::shared_ptr<const sunder::WorldPart> part_;

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_SunderState, SIM_Data, "Sunder State", description());
};
