#include <UT/UT_Interrupt.h>
#include <UT/UT_ParallelUtil.h>
#include <UT/UT_StringHolder.h>
#include <standin/call.h>
#include <standin/standin.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

namespace standin {

namespace {
std::mutex violationMutex;
int recorders = 0;
std::vector<std::string> recorded;

std::atomic<long> polls{0}, limit{-1};
std::atomic<long> details{0}, data{0};
thread_local int opened = 0;  // interrupts belong to the thread that cooks

std::function<void()> foreignTask;
std::atomic<int> threads{3};
thread_local int loopDepth = 0;
std::atomic<std::uint64_t> parts{0};
thread_local std::uint64_t part = 0, firstPart = 0;
}  // namespace

void violation(const std::string& text) {
    const std::lock_guard<std::mutex> guard(violationMutex);
    if (recorders > 0) {
        recorded.push_back(text);
        return;
    }
    std::fprintf(stderr, "stand-in: %s\n", text.c_str());
    std::abort();
}

Recorder::Recorder() {
    const std::lock_guard<std::mutex> guard(violationMutex);
    if (recorders++ == 0) recorded.clear();
}
Recorder::~Recorder() {
    const std::lock_guard<std::mutex> guard(violationMutex);
    --recorders;
}
std::vector<std::string> Recorder::texts() const {
    const std::lock_guard<std::mutex> guard(violationMutex);
    return recorded;
}
bool Recorder::has(const std::string& part) const {
    const std::vector<std::string> all = texts();
    return std::any_of(all.begin(), all.end(), [&](const std::string& t) { return t.find(part) != std::string::npos; });
}

namespace {
std::atomic<long> memoryLeft{-1};
}
void outOfMemoryAfter(long attributes) { memoryLeft = attributes; }
void takeMemory() {
    if (memoryLeft < 0 || !inSolve()) return;
    if (memoryLeft == 0) throw std::bad_alloc();
    --memoryLeft;
}

void interruptAfter(long count) {
    polls = 0;
    limit = count;
}
long interruptPolls() { return polls; }
int openInterrupts() { return opened; }

long liveDetails() { return details; }
long liveData() { return data; }
void countDetails(int by) { details += by; }
void countData(int by) { data += by; }

void setForeignTask(std::function<void()> task) { foreignTask = std::move(task); }
void setThreads(int count) { threads = std::max(1, count); }
bool inParallelLoop() { return loopDepth > 0; }
std::uint64_t partOfLoop() { return part; }
std::uint64_t firstPartOfLoop() { return firstPart; }

void runParallel(std::size_t count, const std::function<void(std::size_t)>& task) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    std::mutex errorMutex;
    const int depth = solveDepth();
    const std::uint64_t first = parts.fetch_add(count) + 1;
    const auto work = [&] {
        ++loopDepth;
        const int before = solveDepth();
        const std::uint64_t outer = part, outerFirst = firstPart;
        firstPart = first;
        setSolveDepth(depth);
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                part = first + i;
                task(i);
            }
        } catch (...) {
            next = count;
            const std::lock_guard<std::mutex> guard(errorMutex);
            if (!error) error = std::current_exception();
        }
        part = outer;
        firstPart = outerFirst;
        setSolveDepth(before);
        --loopDepth;
    };
    std::vector<std::thread> others;
    for (std::size_t t = 1; t < std::min<std::size_t>(static_cast<std::size_t>(threads.load()), count); ++t) others.emplace_back(work);
    work();
    // while it waits, the thread that started the loop takes up somebody else's work
    if (foreignTask && loopDepth == 0) {
        const std::function<void()> once = std::exchange(foreignTask, nullptr);
        once();
        foreignTask = once;
    }
    for (std::thread& t : others) t.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace standin

const char* UT_String::c_str() const {
    if (!shallow_) return text_.c_str();
    if (standin::isTakenBack(shallow_)) {
        standin::violation("a string was used after its call");
        return "";
    }
    return shallow_;
}

int UT_Interrupt::opStart(const char*, int, int) {
    ++standin::opened;
    return 1;
}
int UT_Interrupt::opInterrupt(int) {
    const long n = ++standin::polls;
    return (standin::limit >= 0 && n > standin::limit) || standin::isEscapeDue() ? 1 : 0;
}
void UT_Interrupt::opEnd(int) {
    if (--standin::opened < 0) standin::violation("an interrupt was ended that had not been started");
}
UT_Interrupt* UTgetInterrupt() {
    static UT_Interrupt boss;
    return &boss;
}
UT_AutoInterrupt::UT_AutoInterrupt(const char* operation) : id_(UTgetInterrupt()->opStart(operation)) {}
UT_AutoInterrupt::~UT_AutoInterrupt() { UTgetInterrupt()->opEnd(id_); }
bool UT_AutoInterrupt::wasInterrupted(int percent) { return UTgetInterrupt()->opInterrupt(percent) != 0; }
