#pragma once

#include <string>

#include "core/base/error.h"

namespace sunder {

/// What the host offers a long computation. Polled once a block or an iteration, never once a tetrahedron.
/// warn may be called from one thread only, the one that called into core.
class Monitor {
  public:
    virtual ~Monitor() = default;
    virtual bool cancelled() { return false; }
    virtual void progress(double /*fraction of the whole, 0 to 1*/) {}
    virtual void warn(const std::string& /*text*/) {}
};

/// Throws Cancelled if the host asked to stop.
inline void throwIfCancelled(Monitor* monitor) {
    if (monitor && monitor->cancelled()) throw Cancelled();
}

}  // namespace sunder
