#pragma once
// Provenance: typed options by name and the GETSET_DATA_FUNCS macros, as in SideFX's permissively licensed samples (SIM_SolverHair, SIM_ForceOrbit) and
// HinaPE-Houdini (MPL-2.0); SIM_OptionsUser of the public class page. Own code. An option that was not declared, or is of another type, is refused.
#include <SYS/SYS_Types.h>
#include <UT/UT_StringHolder.h>
#include <UT/UT_Vector3.h>

#include <map>
#include <string>
#include <variant>

enum UT_OptionType { UT_OPTION_INVALID, UT_OPTION_INT, UT_OPTION_BOOL, UT_OPTION_FPREAL, UT_OPTION_STRING, UT_OPTION_VECTOR3 };

class SIM_Data;

class SIM_Options {
  public:
    using Value = std::variant<int64, bool, fpreal, std::string, UT_Vector3D>;
    bool hasOption(const char* name) const { return standinValues.count(name) > 0; }
    UT_OptionType getOptionType(const char* name) const;
    int64 getOptionI(const char* name) const;
    bool getOptionB(const char* name) const;
    fpreal getOptionF(const char* name) const;
    void getOptionS(const char* name, UT_String& value) const;
    UT_Vector3D getOptionV3(const char* name) const;

    std::map<std::string, Value> standinValues;

  private:
    template <class T>
    T typed(const char* name) const;
};

class SIM_OptionsUser {
  public:
    explicit SIM_OptionsUser(SIM_Data* owner);
    virtual ~SIM_OptionsUser() = default;
    const SIM_Options& getOptions() const { return standinOptions; }
    SIM_Options standinOptions;
};
