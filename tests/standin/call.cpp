#include <signal.h>
#include <standin/call.h>
#include <standin/standin.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace standin {

namespace {
constexpr std::size_t kArena = 64 * 1024;
constexpr std::size_t kKept = 512;  // arenas of calls that are over: nobody can read them, and nothing else gets their addresses

std::array<std::atomic<std::uintptr_t>, kKept> takenBack{};
std::atomic<std::size_t> nextPlace{0};
thread_local Call* innermost = nullptr;
thread_local int solves = 0;

bool isWithin(std::uintptr_t at) {
    for (const auto& start : takenBack) {
        const std::uintptr_t first = start.load();
        if (first != 0 && at >= first && at < first + kArena) return true;
    }
    return false;
}

void onFault(int signal, siginfo_t* info, void*) {
    if (isWithin(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
        constexpr char kText[] = "stand-in: a string was used after its call\n";
        if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) _exit(1);
        std::abort();
    }
    ::signal(signal, SIG_DFL);  // not ours: the fault comes again
}
void watchFaults() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = onFault;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGSEGV, &action, nullptr);
    });
}

// of the outermost call, in nanoseconds of the steady clock
std::atomic<std::int64_t> began{0}, took{0}, escape{0};
std::atomic<std::int64_t> escapeAfter{-1};
// of the processor time of all threads
std::atomic<std::int64_t> asked{0}, unheard{0};

std::int64_t now() { return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
std::int64_t processorNow() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return std::int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}
void beginClock() {
    asked = processorNow();
    began = now();
    escape = escapeAfter < 0 ? 0 : began + escapeAfter;
}
void endClock() {
    took = now() - began;
    unheard = processorNow() - asked;
    escape = 0;
}

void takeBack(char* arena) {
    madvise(arena, kArena, MADV_DONTNEED);
    mprotect(arena, kArena, PROT_NONE);
    const std::uintptr_t oldest = takenBack[nextPlace++ % kKept].exchange(reinterpret_cast<std::uintptr_t>(arena));
    if (oldest != 0) munmap(reinterpret_cast<void*>(oldest), kArena);
}
}  // namespace

Call::Call(Kind kind) : kind_(kind), outer_(innermost) {
    if (!outer_) beginClock();
    innermost = this;
    if (kind_ == kSolve) ++solves;
}
Call::~Call() {
    if (!outer_) endClock();
    innermost = outer_;
    if (kind_ == kSolve) --solves;
    if (!arenas_.empty()) watchFaults();
    for (char* arena : arenas_) takeBack(arena);
}

void interruptWithin(double seconds) { escapeAfter = seconds < 0 ? -1 : static_cast<std::int64_t>(seconds * 1e9); }
double lastCallSeconds() { return static_cast<double>(took) / 1e9; }
double lastCallUnheardSeconds() { return static_cast<double>(unheard) / 1e9; }
bool isEscapeDue() {
    if (escape <= 0) return false;
    if (now() >= escape) return true;
    asked = processorNow();
    return false;
}

const char* lend(const std::string& text) {
    Call* call = innermost;
    const std::size_t size = text.size() + 1;
    if (!call || size > kArena) return nullptr;
    if (call->arenas_.empty() || call->used_ + size > kArena) {
        void* pages = mmap(nullptr, kArena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) return nullptr;
        call->arenas_.push_back(static_cast<char*>(pages));
        call->used_ = 0;
    }
    char* place = call->arenas_.back() + call->used_;
    std::memcpy(place, text.c_str(), size);
    call->used_ += size;
    return place;
}
bool isTakenBack(const char* text) { return isWithin(reinterpret_cast<std::uintptr_t>(text)); }

bool inSolve() { return solves > 0; }
int solveDepth() { return solves; }
void setSolveDepth(int depth) { solves = depth; }

}  // namespace standin
