#pragma once
// Provenance: solveObjectsSubclass and its results as in HinaPE-Houdini (MPL-2.0) and SideFX's permissively licensed samples. Own code.
#include <SIM/SIM_Data.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_ObjectArray.h>

#define SIM_SOLVER_DATANAME "Solver"
enum SIM_ErrorCode { SIM_MESSAGE = 1 };

class SIM_Solver : public SIM_Data {
  public:
    enum SIM_Result { SIM_SOLVER_SUCCESS, SIM_SOLVER_REPEAT, SIM_SOLVER_SUBSTEP, SIM_SOLVER_FAIL };
    explicit SIM_Solver(const SIM_DataFactory* f) : SIM_Data(f) {}
    static const char* classname() { return "SIM_Solver"; }
    void* standinCast(const char* name) override { return std::strcmp(name, classname()) == 0 ? static_cast<void*>(this) : SIM_Data::standinCast(name); }
    SIM_Result standinSolve(SIM_Engine& e, SIM_ObjectArray& o, SIM_ObjectArray& n, SIM_ObjectArray& f, const SIM_Time& t) { return solveObjectsSubclass(e, o, n, f, t); }
    struct StandinMessage {
        std::string object, text;
        UT_ErrorSeverity severity;
    };
    std::vector<StandinMessage> standinMessages;

  protected:
    virtual SIM_Result solveObjectsSubclass(SIM_Engine& engine, SIM_ObjectArray& objects, SIM_ObjectArray& newObjects, SIM_ObjectArray& feedback,
                                            const SIM_Time& timestep) = 0;
    void addError(const SIM_Object* object, int, const char* text, UT_ErrorSeverity severity) {
        standinMessages.push_back({object ? object->getName().toStdString() : "", text, severity});
    }
};
