#include "core/sim/cache_frame.h"

#include "core/base/error.h"
#include "tests/sim/broken_frames.h"

namespace sunder {
namespace {
using namespace testing;

TEST(CacheFrame, RefusesWhatIsNotOurs) {
    Geometry g = brokenFrames().frames.back();
    for (const char* name : {"id", "parent", "parentweight", "restP"}) {
        Geometry without = g;
        without.points.erase(name);
        EXPECT_THROW(makeCacheFrame(without), Error) << name;
    }
    for (const char* name : {"id", "parent", "insidefaces"}) {
        Geometry without = g;
        without.primitives.erase(name);
        EXPECT_THROW(makeCacheFrame(without), Error) << name;
    }
    EXPECT_THROW(makeCacheFrame(Geometry()), Error);
    EXPECT_THROW(findAncestry(cachedFrames().back(), cachedFrames().front()), Error) << "the order is wrong";
}

}  // namespace
}  // namespace sunder
