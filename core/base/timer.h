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

/// Adds what passes until the end of its scope to a sum.
class Timed {
  public:
    explicit Timed(double& sum) : sum_(sum) {}
    ~Timed() { sum_ += timer_.seconds(); }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

  private:
    double& sum_;
    Timer timer_;
};

}  // namespace sunder
