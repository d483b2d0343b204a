#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sunder::bench {

/// One line of JSON for one figure, the way scripts/bench.sh promises it.
struct Figure {
    std::string name, unit;
    double value = 0;
    double target = 0;       ///< what the value is held against; see atMost
    bool atMost = true;      ///< the target is an upper bound; otherwise a lower one
    bool hasTarget = true;
    bool comparable = true;  ///< false: what was measured is not what the target is for, and it does not hold
    std::string peer;        ///< who ran beside it, or empty
    double peerValue = 0;
    int rounds = 0;
    std::vector<std::pair<std::string, double>> checks;  ///< physical check values, ours and the peer's

    bool holds() const { return !hasTarget || (comparable && (atMost ? value <= target : value >= target)); }
    void print() const;
};

double median(std::vector<double> values);

}  // namespace sunder::bench
