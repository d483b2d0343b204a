#pragma once

namespace sunder::cli {

/// From now on Ctrl-C, SIGTERM and SIGHUP only raise a flag, which the work polls. The same signal a second
/// time ends the process at once. SIGPIPE and SIGXFSZ are ignored: writing fails with an error instead.
void catchSignals();

/// The signal that asked to stop, or 0.
int caughtSignal();

}  // namespace sunder::cli
