#pragma once

#include <UT/UT_Interrupt.h>

#include <string>
#include <vector>

#include "core/base/monitor.h"

namespace sunder::hdk {

/// What Houdini offers a long computation: Escape, a percentage, and warnings that are shown when it is over.
class HostMonitor : public Monitor {
  public:
    explicit HostMonitor(const char* operation) : interrupt_(operation) {}
    bool cancelled() override { return interrupt_.wasInterrupted(percent_); }
    void progress(double fraction) override { percent_ = static_cast<int>(100 * fraction); }
    void warn(const std::string& text) override {
        for (const std::string& known : warnings_)
            if (known == text) return;
        warnings_.push_back(text);
    }
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    UT_AutoInterrupt interrupt_;
    int percent_ = -1;
    std::vector<std::string> warnings_;
};

}  // namespace sunder::hdk
