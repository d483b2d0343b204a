#pragma once

#include "core/base/monitor.h"

namespace sunder::testing {

/// Counts how often somebody asked whether to stop.
class Polls : public Monitor {
  public:
    bool cancelled() override {
        ++count;
        return false;
    }
    int count = 0;
};

}  // namespace sunder::testing
