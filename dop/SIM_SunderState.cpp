#include "dop/SIM_SunderState.h"

#include <PRM/PRM_Template.h>

#include <ostream>

#include "core/base/error.h"
#include "core/sim/world_memory.h"
#include "hdk/compat.h"

const SIM_DopDescription* SIM_SunderState::description() {
    static PRM_Template none[] = {PRM_Template()};
    static const SIM_DopDescription made(false, "sunderstate", "Sunder State", dataName(), classname(), none);
    return &made;
}

void SIM_SunderState::initializeSubclass() {
    BaseClass::initializeSubclass();
    part_ = nullptr;
}

void SIM_SunderState::makeEqualSubclass(const SIM_Data* source) {
    BaseClass::makeEqualSubclass(source);
    if (const auto* from = SIM_DATA_CASTCONST(source, SIM_SunderState)) part_ = from->part_;
}

void SIM_SunderState::saveSubclass(std::ostream& out) const {
    BaseClass::saveSubclass(out);
    const std::vector<std::uint8_t> bytes = part_ ? sunder::savePart(*part_) : std::vector<std::uint8_t>();
    const std::uint64_t size = bytes.size();
    out.write(reinterpret_cast<const char*>(&size), sizeof size);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
}

bool SIM_SunderState::loadSubclass(UT_IStream& in) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 36;
    std::uint64_t size = 0;
    if (!BaseClass::loadSubclass(in) || !sunder::hdk::compat::readBytes(in, &size, sizeof size) || size > kMost) return false;
    part_ = nullptr;
    if (size == 0) return true;
    std::vector<std::uint8_t> bytes(size);
    if (!sunder::hdk::compat::readBytes(in, bytes.data(), bytes.size())) return false;
    try {
        part_ = std::make_shared<const sunder::WorldPart>(sunder::loadPart(bytes));
        return true;
    } catch (const sunder::Error&) {
        return false;
    }
}

int64 SIM_SunderState::getMemorySizeSubclass() const {
    return BaseClass::getMemorySizeSubclass() + static_cast<int64>(part_ ? sunder::shareOf(part_, sunder::memoryOf(*part_)) : 0);
}
