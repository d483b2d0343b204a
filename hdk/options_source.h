#pragma once

#include <SIM/SIM_Options.h>

#include "hdk/parameters.h"

namespace sunder::hdk {

/// Parameters of DOP nodes, as the options of their data hold them: they are saved and copied with it.
class OptionsSource : public ParmSource {
  public:
    explicit OptionsSource(const SIM_Options& options) : options_(options) {}
    double number(const char* name, int component) const override {
        if (options_.getOptionType(name) == UT_OPTION_VECTOR3) return options_.getOptionV3(name)[component];
        return options_.getOptionF(name);
    }
    std::int64_t integer(const char* name) const override {
        return options_.getOptionType(name) == UT_OPTION_BOOL ? static_cast<std::int64_t>(options_.getOptionB(name)) : options_.getOptionI(name);
    }
    std::string text(const char* name) const override {
        UT_String value;
        options_.getOptionS(name, value);
        return value.toStdString();
    }

  private:
    const SIM_Options& options_;
};

}  // namespace sunder::hdk
