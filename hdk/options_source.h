#pragma once

#include "hdk/compat.h"
#include "hdk/parameters.h"

namespace sunder::hdk {

/// Parameters of DOP nodes, as the options of their data hold them: they are saved and copied with it.
class OptionsSource : public ParmSource {
  public:
    explicit OptionsSource(const SIM_Options& options) : options_(options) {}
    double number(const char* name, int component) const override { return compat::optionNumber(options_, name, component); }
    std::int64_t integer(const char* name) const override { return compat::optionInteger(options_, name); }
    std::string text(const char* name) const override { return compat::optionText(options_, name); }

  private:
    const SIM_Options& options_;
};

}  // namespace sunder::hdk
