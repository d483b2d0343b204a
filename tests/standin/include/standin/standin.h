#pragma once

// The stand-in's own face, for tests: nothing in hdk, sop or dop may include it.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace standin {

/// A broken rule of the host. Ends the program with the text, unless a Recorder is there to note it.
void violation(const std::string& text);

/// Notes violations as long as it lives, for tests that break rules on purpose.
class Recorder {
  public:
    Recorder();
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    std::vector<std::string> texts() const;
    bool has(const std::string& part) const;
};

/// Escape is pressed when the interrupt has been asked this often; negative: never.
void interruptAfter(long polls);
long interruptPolls();
/// Escape is pressed that many seconds after a cook or solve, that is in no other, begins; negative: never. For measuring: one call at a time.
void interruptWithin(double seconds);
/// How long the cook or solve took that ended last and was in no other.
double lastCallSeconds();
/// Processor time, of all threads, from the last look at the interrupt before Escape was pressed in it to its end: at least what went on after that, however busy the machine is.
double lastCallUnheardSeconds();
/// Interrupts that were started and not ended.
int openInterrupts();

/// Details, and data of simulations, that are alive.
long liveDetails();
long liveData();
void countDetails(int by);
void countData(int by);

/// There is no more memory once solves have added this many attributes to details: std::bad_alloc. Negative: there always is.
void outOfMemoryAfter(long attributes);
/// What adding one does about it.
void takeMemory();

/// A task that some waiting thread runs inside every parallel loop, as a host that steals tasks may; none if empty.
void setForeignTask(std::function<void()> task);
/// Threads of parallel loops, at least 1.
void setThreads(int count);

/// True while the calling thread is within a parallel loop of the host.
bool inParallelLoop();
/// Number of the part of a parallel loop that the calling thread is at, another one for every part of every loop; 0 outside of all.
std::uint64_t partOfLoop();
/// That of the first part of the same loop.
std::uint64_t firstPartOfLoop();

}  // namespace standin
