#include "tests/sim/pile_rest.h"

/// Takes minutes: one of the tests of `ctest -C slow`.
namespace sunder {

using namespace testing;

TEST(WholePile, AThousandShardsComeToRest) {
    PileOptions options;
    options.cells = {1, 1, 1};
    options.across = options.high = 10;
    options.youngs = 2e7;
    expectRests(options, pileSettings(), 10);
}

}  // namespace sunder
