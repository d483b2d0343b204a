#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/monitor.h"
#include "core/base/timer.h"

namespace sunder::python {

namespace py = pybind11;

/// Connects long work in core, which runs without the interpreter's lock, with Python: Ctrl-C, a progress function and warnings.
class PythonMonitor : public Monitor {
  public:
    /// `progress` is None or a function of the share that is done; one that returns False asks to stop.
    explicit PythonMonitor(py::object progress);

    bool cancelled() override;
    void progress(double fraction) override;
    void warn(const std::string& text) override { warnings_.push_back(text); }

    /// After Cancelled: throws what Python raised (KeyboardInterrupt, or what the progress function raised), if it did.
    void rethrow();
    /// Hands warnings to Python's warnings module, which may raise.
    void issueWarnings();

  private:
    void askPython();

    py::object progress_;
    std::thread::id thread_;
    Timer sinceAsked_;
    double fraction_ = 0;  ///< that was told last
    std::atomic<bool> stop_{false};
    std::exception_ptr raised_;
    std::vector<std::string> warnings_;
};

/// Runs `work` without the interpreter's lock, so that other Python threads go on.
template <class Work>
auto runUnlocked(PythonMonitor& monitor, Work&& work) {
    try {
        py::gil_scoped_release unlocked;
        return work();
    } catch (const Cancelled&) {
        monitor.rethrow();
        throw;
    }
}

}  // namespace sunder::python
