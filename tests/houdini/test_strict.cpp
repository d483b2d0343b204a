// The stand-in refuses what would go wrong in a real host: every rule is broken here once.
#include <GU/GU_PackedGeometry.h>
#include <PRM/PRM_TemplateBuilder.h>
#include <SOP/SOP_NodeParmsOptions.h>
#include <UT/UT_Interrupt.h>
#include <UT/UT_ParallelUtil.h>
#include <gtest/gtest.h>
#include <standin/dialog_script.h>

#include <functional>

#include "hdk/geometry_bridge.h"
#include "hdk/parameters.h"
#include "tests/houdini/fixtures.h"

namespace sunder::test {

namespace {
const char* kScript = R"({ name test parm { name "size" label "Size" type float default { "2" } } parm { name "word" label "Word" type string default { "x" } } })";

/// A verb whose cook is any function.
class Fault : public SOP_NodeVerb {
  public:
    using Body = std::function<void(const CookParms&, SOP_NodeCacheOptions&)>;
    Fault(CookMode mode, Body body) : mode_(mode), body_(std::move(body)), builder_("test", kScript) {}
    SOP_NodeParms* allocParms() const override { return new SOP_NodeParmsOptions(builder_.templates()); }
    SOP_NodeCache* allocCache() const override { return new Cache(*this); }
    UT_StringHolder name() const override { return "fault"; }
    CookMode cookMode(const SOP_NodeParms*) const override { return mode_; }
    void cook(const CookParms& p) const override { static_cast<Cache*>(p.cache())->doCook(this, p); }

    class Cache : public SOP_NodeCacheOptions {
      public:
        explicit Cache(const Fault& fault) : fault_(fault) {}
        OP_ERROR cookMySop(OP_Context&) override {
            fault_.body_(*cookparms(), *this);
            return UT_ERROR_NONE;
        }
        double size() const { return evalFloat("size", 0, 0); }
        double wrong() const { return evalFloat("siez", 0, 0); }
        UT_String word() const {
            UT_String value;
            evalString(value, "word", 0, 0);
            return value;
        }

      private:
        const Fault& fault_;
    };

  private:
    CookMode mode_;
    Body body_;
    PRM_TemplateBuilder builder_;
};

/// What the stand-in says of a cook.
bool caught(SOP_NodeVerb::CookMode mode, const Fault::Body& body, const std::string& part, bool steal = false) {
    const Fault verb(mode, body);
    const standin::Recorder recorder;
    standin::CookRequest request;
    request.verb = &verb;
    request.inputs = {makeDetail(cubeSurface())};
    request.stealInput = steal;
    standin::cook(request);
    if (!recorder.has(part))
        for (const std::string& t : recorder.texts()) ADD_FAILURE() << t;
    return recorder.has(part);
}
using Parms = SOP_NodeVerb::CookParms;
using Cache = SOP_NodeCacheOptions;
}  // namespace

TEST(StandIn, ACorrectVerbBreaksNoRule) {
    const Fault verb(SOP_NodeVerb::COOK_INPLACE, [](const Parms& p, Cache& c) {
        EXPECT_EQ(static_cast<Fault::Cache&>(c).size(), 2);
        p.gdh().gdpNC()->getP()->bumpDataId();
    });
    standin::CookRequest request;
    request.verb = &verb;
    request.inputs = {makeDetail(cubeSurface())};
    EXPECT_EQ(standin::cook(request).geometry.gdp()->getNumPoints(), 8);  // would end the program on a violation
}

TEST(StandIn, CatchesWritingAnInput) {
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_GENERIC,
                       [](const Parms& p, Cache&) {
                           auto* d = const_cast<GU_Detail*>(p.inputGeo(0));
                           d->setPos3(d->pointOffset(GA_Index(0)), UT_Vector3(1, 2, 3));
                           d->getP()->bumpDataId();
                       },
                       "const or shared"));
}
TEST(StandIn, CatchesWritingSharedGeometry) {
    const standin::Recorder recorder;
    GU_DetailHandle a = makeDetail(cubeSurface());
    const GU_DetailHandle b = a;
    a.gdpNC();
    EXPECT_TRUE(recorder.has("shared"));
    { const GU_DetailHandleAutoWriteLock lock(b); }
    EXPECT_EQ(recorder.texts().size(), 2u);
}
TEST(StandIn, CatchesALockThatIsKept) {
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_GENERIC, [](const Parms& p, Cache&) { p.standinInputs[0].readLock(); }, "left a lock"));
}
TEST(StandIn, CatchesReadingAStolenInput) {
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_INPLACE, [](const Parms& p, Cache&) { p.inputGeo(0); }, "stolen", true));
}
TEST(StandIn, CatchesAStaleDataId) {
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_INPLACE,
                       [](const Parms& p, Cache&) {
                           GU_Detail* d = p.gdh().gdpNC();
                           d->setPos3(d->pointOffset(GA_Index(0)), UT_Vector3(1, 2, 3));
                       },
                       "left its data id"));
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_GENERATOR, [](const Parms& p, Cache&) { p.gdh().gdpNC()->appendPointBlock(3); }, "left its data id"));
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_INPLACE, [](const Parms& p, Cache&) { p.gdh().gdpNC()->newPointGroup("g"); }, "left its data id"));
}
TEST(StandIn, CatchesAnIndexTakenForAnOffset) {
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_GENERIC,
                       [](const Parms& p, Cache&) {
                           const GU_Detail* d = p.inputGeo(0);
                           for (exint i = 0; i < d->getNumPoints(); ++i) d->getPos3(GA_Offset(i));
                       },
                       "an index taken for an offset"));
}
TEST(StandIn, CatchesAPageHandleOffItsPage) {
    const standin::Recorder recorder;
    const GU_DetailHandle handle = makeDetail(paintedBlock(11));
    GA_ROPageHandleV3 p(handle.gdp()->getP());
    p.setPage(handle.gdp()->pointOffset(GA_Index(0)));
    p.get(handle.gdp()->pointOffset(GA_Index(1500)));
    EXPECT_TRUE(recorder.has("off its page"));
}
TEST(StandIn, CatchesPartsOfALoopThatWriteToTheSamePage) {
    const standin::Recorder recorder;
    GU_Detail detail;
    detail.appendPointBlock(2 * GA_PAGE_SIZE);
    const GA_RWHandleF paint(detail.addFloatTuple(GA_ATTRIB_POINT, "paint", 1));
    const auto writeAll = [&](exint grain) {
        UTparallelFor(UT_BlockedRange<exint>(0, 2 * GA_PAGE_SIZE, static_cast<std::size_t>(grain)), [&](const UT_BlockedRange<exint>& r) {
            for (exint i = r.begin(); i < r.end(); ++i) paint.set(GA_Offset(i), 1);
        });
    };
    for (int k = 0; k < 2; ++k) writeAll(GA_PAGE_SIZE);
    EXPECT_FALSE(recorder.has("the same page"));
    writeAll(GA_PAGE_SIZE - 1);
    EXPECT_TRUE(recorder.has("the same page"));
}
TEST(StandIn, CatchesParametersReadInAParallelLoop) {
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_GENERATOR,
                       [](const Parms&, Cache& c) { UTparallelFor(UT_BlockedRange<exint>(0, 10), [&](const UT_BlockedRange<exint>&) { static_cast<Fault::Cache&>(c).size(); }); },
                       "within a parallel loop"));
}
TEST(StandIn, CatchesParametersReadAfterTheCook) {
    const standin::Recorder recorder;
    const Fault verb(SOP_NodeVerb::COOK_GENERATOR, [](const Parms&, Cache&) {});
    std::unique_ptr<SOP_NodeParms> parms(verb.allocParms());
    static_cast<SOP_NodeParmsOptions&>(*parms).standinNumber("size", 0);
    EXPECT_TRUE(recorder.has("outside of the cook"));
}
TEST(StandIn, CatchesParametersThatAreNotThere) {
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_GENERATOR, [](const Parms&, Cache& c) { static_cast<Fault::Cache&>(c).wrong(); }, "no parameter 'siez'"));
}
TEST(StandIn, CatchesAStringThatIsUsedAfterTheCook) {
    UT_String kept, hardened;
    const char* raw = nullptr;
    EXPECT_FALSE(caught(SOP_NodeVerb::COOK_GENERATOR,
                        [&](const Parms&, Cache& c) {
                            kept = static_cast<Fault::Cache&>(c).word();
                            EXPECT_TRUE(kept == "x");  // within the call it is good
                            raw = kept.c_str();
                            hardened = kept;
                            hardened.harden();
                        },
                        "after its call"));
    EXPECT_TRUE(hardened == "x");
    EXPECT_DEATH(std::fputs(raw, stderr), "a string was used after its call");
    EXPECT_DEATH(std::fputs(kept.c_str(), stderr), "a string was used after its call");
}
TEST(StandIn, CatchesAnException) {
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_GENERATOR, [](const Parms&, Cache&) { throw std::runtime_error("trouble"); }, "an exception left the cook"));
}
TEST(StandIn, CatchesAnInterruptThatIsLeftOpen) {
    EXPECT_TRUE(caught(SOP_NodeVerb::COOK_GENERATOR, [](const Parms&, Cache&) { UTgetInterrupt()->opStart("work"); }, "left an interrupt open"));
    UTgetInterrupt()->opEnd();
}
TEST(StandIn, RunsForeignTasksWhileItWaits) {
    int runs = 0;
    standin::setForeignTask([&] { ++runs; });
    UTparallelFor(UT_BlockedRange<exint>(0, 1000), [](const UT_BlockedRange<exint>&) {});
    standin::setForeignTask(nullptr);
    EXPECT_EQ(runs, 1);
}

TEST(StandIn, RefusesDialogScriptsThatAreNone) {
    EXPECT_EQ(standin::parseDialogScript(kScript).size(), 2u);
    EXPECT_THROW(standin::parseDialogScript("{ name x"), std::runtime_error);
    EXPECT_THROW(standin::parseDialogScript("{ parm { name a label A type flaot } }"), std::runtime_error);
    EXPECT_THROW(standin::parseDialogScript("{ parm { name a label A type float default { 1 2 } } }"), std::runtime_error);
    EXPECT_THROW(standin::parseDialogScript("{ parm { name a label A type float } parm { name a label A type float } }"), std::runtime_error);
    EXPECT_THROW(standin::parseDialogScript("{ parm { name a label A type ordinal } }"), std::runtime_error);
}

TEST(StandIn, WhatIsPackedCannotBeWritten) {
    EXPECT_TRUE(caught(
        SOP_NodeVerb::COOK_GENERIC,
        [](const Parms& p, Cache&) {
            auto* inner = new GU_Detail;
            GU_DetailHandle handle;
            handle.allocateAndSet(inner);
            GU_Detail& out = *p.gdh().gdpNC();
            GU_PackedGeometry::packGeometry(out, handle);
            out.bumpDataIdsForAddOrRemove(true, true, true);
            inner->appendPointOffset();
        },
        "const or shared"));
}

TEST(StandIn, PackedPrimitivesAreNotLeftStale) {
    EXPECT_TRUE(caught(
        SOP_NodeVerb::COOK_GENERIC,
        [](const Parms& p, Cache&) {
            GU_DetailHandle handle;
            handle.allocateAndSet(new GU_Detail);
            GU_Detail& out = *p.gdh().gdpNC();
            GU_PrimPacked* packed = GU_PackedGeometry::packGeometry(out, handle);
            out.bumpDataIdsForAddOrRemove(true, true, true);
            packed->setPivot(UT_Vector3(1, 0, 0));
        },
        "the list of primitives"));
    EXPECT_TRUE(caught(
        SOP_NodeVerb::COOK_GENERIC,
        [](const Parms& p, Cache&) {
            auto* inner = new GU_Detail;
            GU_DetailHandle handle;
            handle.allocateAndSet(inner);
            inner->setPos3(inner->appendPointOffset(), UT_Vector3(1, 2, 3));
            GU_Detail& out = *p.gdh().gdpNC();
            GU_PackedGeometry::packGeometry(out, handle);
            out.bumpDataIdsForAddOrRemove(true, true, true);
        },
        "was packed whose 'P'"));
}

}  // namespace sunder::test
