#pragma once

#include <chrono>

namespace sunder {

/// Wall seconds since construction or the last restart. For reports only; nothing in a result may depend on it.
class Timer {
  public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    double restart() {
        const double elapsed = seconds();
        start_ = Clock::now();
        return elapsed;
    }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

}  // namespace sunder
