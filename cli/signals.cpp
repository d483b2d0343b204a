#include "cli/signals.h"

#include <csignal>
#include <initializer_list>

namespace sunder::cli {

namespace {
volatile std::sig_atomic_t caught = 0;

void noteSignal(int number) { caught = number; }
}  // namespace

void catchSignals() {
    struct sigaction action = {};
    action.sa_handler = noteSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

int caughtSignal() { return caught; }

}  // namespace sunder::cli
