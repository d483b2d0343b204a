// Faults of DOP plugins, one at a time in a solver that is otherwise right: the stand-in catches each.
#include <PRM/PRM_TemplateBuilder.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_OptionsUser.h>
#include <SIM/SIM_Solver.h>
#include <UT/UT_Interrupt.h>
#include <UT/UT_ParallelUtil.h>
#include <gtest/gtest.h>
#include <standin/dop.h>

#include <memory>
#include <ostream>

#include "hdk/compat.h"
#include "tests/houdini/fixtures.h"

namespace sunder::test {

namespace {
using standin::DopNetwork;

enum class Fault {
    kNone,
    kStateIsShared,         // makeEqual hands on a pointer to what a step changes in place
    kMakeEqualForgets,
    kSaveForgets,
    kLoadLeavesBytes,
    kStateInTheSolver,      // a number that belongs to the simulation is a static one
    kTouchesAndFails,
    kWritesOneAndFails,     // of two objects, the second of which it cannot write
    kTellsNobody,
    kKeepsALock,
    kKeepsAReadLock,
    kKeepsAnInterrupt,
    kLeavesStaleIds,
    kThrows,
    kReadsAnotherType,
    kReadsANodeParameter,
    kReadsANodeParameterInALoop,
    kKeepsAString,
    kKeepsACString
};
Fault fault = Fault::kNone;
const OP_Node* someNode = nullptr;
UT_String keptString;
const char* keptCString = nullptr;
int countInTheSolver = 0;

const PRM_Template* templates() {
    static const PRM_Template* made =
        hdk::compat::makeTemplates(R"({ name test parm { name "word" label "Word" type string default { "x" } help "h" } parm { name "size" label "Size" type float default { "2" } help "h" } })", "test");
    return made;
}

class SIM_TestState : public SIM_Data {
  public:
    int count() const { return *count_; }
    void increase() {
        if (fault == Fault::kStateIsShared)
            ++*count_;
        else
            count_ = std::make_shared<int>(*count_ + 1);
        if (fault != Fault::kTellsNobody) handleModification();
    }

  protected:
    explicit SIM_TestState(const SIM_DataFactory* f) : BaseClass(f) {}
    void initializeSubclass() override { count_ = std::make_shared<int>(0); }
    void makeEqualSubclass(const SIM_Data* source) override {
        const auto* from = SIM_DATA_CASTCONST(source, SIM_TestState);
        if (from && fault != Fault::kMakeEqualForgets) count_ = from->count_;
    }
    void saveSubclass(std::ostream& out) const override {
        if (fault != Fault::kSaveForgets) out.write(reinterpret_cast<const char*>(count_.get()), sizeof(int));
    }
    bool loadSubclass(UT_IStream& in) override {
        count_ = std::make_shared<int>(0);
        if (fault == Fault::kSaveForgets || fault == Fault::kLoadLeavesBytes) return true;
        return hdk::compat::readBytes(in, count_.get(), sizeof(int));
    }

  private:
    static const SIM_DopDescription* description() {
        static PRM_Template none[] = {PRM_Template()};
        static const SIM_DopDescription made(false, "teststate", "Test State", "TestState", classname(), none);
        return &made;
    }
    std::shared_ptr<int> count_;

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_TestState, SIM_Data, "Test State", description());
};

class SIM_TestSolver : public SIM_Solver, public SIM_OptionsUser {
  protected:
    explicit SIM_TestSolver(const SIM_DataFactory* f) : BaseClass(f), SIM_OptionsUser(this) {}
    SIM_Result solveObjectsSubclass(SIM_Engine&, SIM_ObjectArray& objects, SIM_ObjectArray&, SIM_ObjectArray&, const SIM_Time&) override {
        SIM_Object& object = *objects(0);
        if (fault == Fault::kThrows) throw std::runtime_error("trouble");
        if (fault == Fault::kReadsAnotherType) getOptions().getOptionI("size");
        if (fault == Fault::kReadsANodeParameter) someNode->evalFloat("density", 0, 0);
        if (fault == Fault::kReadsANodeParameterInALoop)
            UTparallelFor(UT_BlockedRange<exint>(0, 1000), [](const UT_BlockedRange<exint>&) { someNode->evalFloat("density", 0, 0); });
        keepStrings();
        if (fault == Fault::kKeepsAnInterrupt) UTgetInterrupt()->opStart("work");
        if (fault == Fault::kKeepsAReadLock) object.getGeometry()->getGeometry().readLock();
        auto* state = SIM_DATA_CREATE(object, "TestState", SIM_TestState, SIM_DATA_RETURN_EXISTING);
        state->increase();
        if (fault == Fault::kTouchesAndFails) return SIM_SOLVER_FAIL;
        write(object, fault == Fault::kStateInTheSolver ? ++countInTheSolver : state->count());
        if (fault == Fault::kWritesOneAndFails) return SIM_SOLVER_FAIL;
        write(*objects(1), state->count());
        return SIM_SOLVER_SUCCESS;
    }

  private:
    void keepStrings() const {
        UT_String word;
        getOptions().getOptionS("word", word);
        if (fault == Fault::kKeepsAString) keptString = word;
        if (fault == Fault::kKeepsACString) keptCString = word.c_str();
    }
    static void write(SIM_Object& object, int count) {
        auto* geometry = SIM_DATA_CREATE(object, SIM_GEOMETRY_DATANAME, SIM_GeometryCopy, SIM_DATA_RETURN_EXISTING);
        GU_Detail& d = *geometry->lockGeometry().gdpNC();
        d.setPos3(d.pointOffset(GA_Index(0)), UT_Vector3(static_cast<float>(count), 0, 0));
        if (fault != Fault::kLeavesStaleIds) d.getP()->bumpDataId();
        if (fault != Fault::kKeepsALock) geometry->releaseGeometry();
        geometry->pubHandleModification();
    }
    static const SIM_DopDescription* description() {
        static const SIM_DopDescription made(false, "testsolver", "Test Solver", SIM_SOLVER_DATANAME, classname(), templates());
        return &made;
    }

    DECLARE_STANDARD_GETCASTTOTYPE();
    DECLARE_DATAFACTORY(SIM_TestSolver, SIM_Solver, "Test Solver", description());
};

DopNetwork network() {
    IMPLEMENT_DATAFACTORY(SIM_TestState);
    IMPLEMENT_DATAFACTORY(SIM_TestSolver);
    DopNetwork net;
    for (const char* name : {"thing", "other"}) net.addObject(name, *makeDetail(cubeSurface()).gdp());
    net.attach(-1, "SIM_TestSolver", "Solver");
    return net;
}
float shown(const DopNetwork& net, int frame) { return net.geometry(frame, 0).getPos3(net.geometry(frame, 0).pointOffset(GA_Index(0))).x(); }

/// Whether the stand-in says it of a network that plays a few frames.
bool caught(Fault which, const std::string& part) {
    const standin::Recorder recorder;
    fault = which;
    {
        DopNetwork net = network();
        net.reloadEveryStep = which == Fault::kLoadLeavesBytes;
        net.play(3);
    }
    fault = Fault::kNone;
    if (!recorder.has(part))
        for (const std::string& t : recorder.texts()) ADD_FAILURE() << t;
    return recorder.has(part);
}
}  // namespace

TEST(StandInDops, ACorrectSolverBreaksNoRule) {
    fault = Fault::kNone;
    for (const bool reload : {false, true}) {
        DopNetwork net = network();
        net.reloadEveryStep = reload;
        ASSERT_TRUE(net.play(5));  // would end the program on a violation
        for (int f = 1; f <= 5; ++f) EXPECT_EQ(shown(net, f), static_cast<float>(f));
    }
}
TEST(StandInDops, CatchesAStateThatCopiesShare) { EXPECT_TRUE(caught(Fault::kStateIsShared, "changed the data of the timestep before")); }
TEST(StandInDops, CatchesACopyThatForgets) { EXPECT_TRUE(caught(Fault::kMakeEqualForgets, "makeEqual of SIM_TestState has lost something")); }
TEST(StandInDops, CatchesALoadThatLeavesBytes) { EXPECT_TRUE(caught(Fault::kLoadLeavesBytes, "did not read all that it has saved")); }
TEST(StandInDops, CatchesAFailedSolveThatTouchedItsObjects) {
    EXPECT_TRUE(caught(Fault::kTouchesAndFails, "a solve that failed has"));
    EXPECT_TRUE(caught(Fault::kWritesOneAndFails, "a solve that failed has changed 'Geometry' of 'thing'"));
}
TEST(StandInDops, CatchesAChangeThatNobodyIsToldOf) { EXPECT_TRUE(caught(Fault::kTellsNobody, "told nobody")); }
TEST(StandInDops, CatchesLocksThatAreKept) {
    EXPECT_TRUE(caught(Fault::kKeepsALock, "left a lock on the geometry"));
    EXPECT_TRUE(caught(Fault::kKeepsAReadLock, "left a lock on the geometry"));
}
TEST(StandInDops, CatchesAnInterruptThatIsLeftOpen) {
    EXPECT_TRUE(caught(Fault::kKeepsAnInterrupt, "left an interrupt open"));
    while (standin::openInterrupts() > 0) UTgetInterrupt()->opEnd();
}
TEST(StandInDops, CatchesStaleDataIds) { EXPECT_TRUE(caught(Fault::kLeavesStaleIds, "data id left as it was")); }
TEST(StandInDops, CatchesAnException) { EXPECT_TRUE(caught(Fault::kThrows, "an exception left a solve")); }
TEST(StandInDops, CatchesAnOptionOfAnotherType) { EXPECT_TRUE(caught(Fault::kReadsAnotherType, "read as another type")); }

TEST(StandInDops, CatchesParametersThatAreEvaluatedInASolve) {
    Network sops;
    SOP_Node* node = sops.node("sunder::material::1.0", {});
    EXPECT_GT(node->evalFloat("density", 0, 0), 0);  // anywhere else nodes may be asked
    someNode = node;
    EXPECT_TRUE(caught(Fault::kReadsANodeParameter, "was evaluated inside a solve"));
    EXPECT_TRUE(caught(Fault::kReadsANodeParameterInALoop, "was evaluated inside a solve"));
    EXPECT_DEATH(
        {
            fault = Fault::kReadsANodeParameter;
            network().play(1);
        },
        "parameter 'density' of 'node' was evaluated inside a solve");
}

TEST(StandInDops, CatchesStringsThatAreUsedAfterTheSolve) {
    fault = Fault::kKeepsAString;
    network().play(1);
    fault = Fault::kNone;
    const standin::Recorder recorder;
    EXPECT_TRUE(keptString.toStdString().empty());
    EXPECT_TRUE(recorder.has("a string was used after its call"));
}
TEST(StandInDops, EndsWhenAStringIsReadAfterTheSolve) {
    EXPECT_DEATH(
        {
            fault = Fault::kKeepsACString;
            network().play(1);
            std::fputs(keptCString, stderr);
        },
        "a string was used after its call");
}

// what no rule can see: the frames of the same network differ, which every comparison of frames finds
TEST(StandInDops, ReloadingFindsASaveThatForgets) {
    fault = Fault::kSaveForgets;
    DopNetwork plain = network(), reloading = network();
    reloading.reloadEveryStep = true;
    ASSERT_TRUE(plain.play(3));
    ASSERT_TRUE(reloading.play(3));
    fault = Fault::kNone;
    EXPECT_NE(shown(plain, 3), shown(reloading, 3));
}
TEST(StandInDops, ScrubbingFindsStateInTheSolver) {
    fault = Fault::kStateInTheSolver;
    DopNetwork net = network();
    ASSERT_TRUE(net.play(3));
    const float before = shown(net, 3);
    net.scrub(1);
    ASSERT_TRUE(net.play(3));
    fault = Fault::kNone;
    EXPECT_NE(shown(net, 3), before);
}

}  // namespace sunder::test
