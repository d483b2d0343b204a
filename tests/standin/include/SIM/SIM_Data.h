#pragma once
// Provenance: overrides, factories and macros as in SideFX's permissively licensed samples (SIM_SolverHair, SNOW_Solver) and HinaPE-Houdini (MPL-2.0);
// public class page of SIM_Data. Own code.
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Options.h>
#include <SYS/SYS_Types.h>
#include <UT/UT_Error.h>
#include <UT/UT_IStream.h>

#include <cstring>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

class SIM_Data;
class SIM_Object;

class SIM_DataFactory {
  public:
    using Make = SIM_Data* (*)(const SIM_DataFactory*);
    std::string standinClass, standinLabel;
    const SIM_DopDescription* standinDescription = nullptr;
    Make standinMake = nullptr;
};
namespace standin {
void addFactory(SIM_DataFactory factory);
const SIM_DataFactory* findFactory(const std::string& className);
std::vector<const SIM_DataFactory*> allFactories();
}  // namespace standin

class SIM_Data {
  public:
    explicit SIM_Data(const SIM_DataFactory* factory);
    virtual ~SIM_Data();
    SIM_Data(const SIM_Data&) = delete;
    SIM_Data& operator=(const SIM_Data&) = delete;

    void initialize();
    void makeEqual(const SIM_Data* source);
    void save(std::ostream& out) const;
    bool load(UT_IStream& in);
    int64 getMemorySize() const { return getMemorySizeSubclass(); }
    void pubHandleModification() { handleModification(); }
    const char* getDataType() const { return factory_->standinClass.c_str(); }
    virtual void* standinCast(const char* className) { return std::strcmp(className, "SIM_Data") == 0 ? static_cast<void*>(this) : nullptr; }

    const SIM_DataFactory& standinFactory() const { return *factory_; }
    int standinModifications = 0;
    SIM_OptionsUser* standinOptionsUser = nullptr;

  protected:
    virtual void initializeSubclass() {}
    virtual void makeEqualSubclass(const SIM_Data*) {}
    virtual void saveSubclass(std::ostream&) const {}
    virtual bool loadSubclass(UT_IStream&) { return true; }
    virtual int64 getMemorySizeSubclass() const { return 0; }
    virtual void handleModificationSubclass(int) {}
    virtual void optionChangedSubclass(const char*) {}
    void handleModification(int code = 0) {
        ++standinModifications;
        handleModificationSubclass(code);
    }

  private:
    const SIM_DataFactory* factory_;
};

#define DECLARE_STANDARD_GETCASTTOTYPE()                                                                                \
  public:                                                                                                               \
    void* standinCast(const char* className) override {                                                                 \
        return std::strcmp(className, classname()) == 0 ? static_cast<void*>(this) : BaseClass::standinCast(className); \
    }                                                                                                                   \
                                                                                                                        \
  private:                                                                                                              \
    static_assert(true, "takes the semicolon that callers write")
#define DECLARE_DATAFACTORY(ClassName, SuperClass, label, description)                                                                 \
  public:                                                                                                                              \
    typedef SuperClass BaseClass;                                                                                                      \
    static const char* classname() { return #ClassName; }                                                                              \
    static void standinRegister() {                                                                                                    \
        standin::addFactory({#ClassName, label, description, [](const SIM_DataFactory* f) -> SIM_Data* { return new ClassName(f); }}); \
    }                                                                                                                                  \
                                                                                                                                       \
  private:                                                                                                                             \
    static_assert(true, "takes the semicolon that callers write")
#define IMPLEMENT_DATAFACTORY(ClassName) ClassName::standinRegister()

#define SIM_DATA_CAST(data, Type) static_cast<Type*>((data) ? (data)->standinCast(#Type) : nullptr)
#define SIM_DATA_CASTCONST(data, Type) static_cast<const Type*>((data) ? const_cast<SIM_Data*>(static_cast<const SIM_Data*>(data))->standinCast(#Type) : nullptr)
#define SIM_DATA_GET(object, name, Type) SIM_DATA_CAST((object).getNamedSubData(name), Type)
#define SIM_DATA_GETCONST(object, name, Type) SIM_DATA_CASTCONST((object).getConstNamedSubData(name), Type)
#define SIM_DATA_CREATE(object, name, Type, flags) SIM_DATA_CAST((object).createNamedSubData(name, #Type, flags), Type)
enum { SIM_DATA_RETURN_EXISTING = 1, SIM_DATA_ADOPT_EXISTING_ON_DELETE = 2 };

/// The hook of a plugin for its data.
extern "C" __attribute__((visibility("default"))) void initializeSIM(void*);
