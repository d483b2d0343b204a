#pragma once

// Calls of the host into a plugin, and strings that are good for one call alone. Part of the stand-in's own face.

#include <string>
#include <vector>

namespace standin {

/// The host is within a cook or a solve of a plugin, on this thread, as long as one lives. Strings that were lent in it are then taken away: whoever reads
/// one later ends the program.
class Call {
  public:
    enum Kind { kCook, kSolve };
    explicit Call(Kind kind);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

  private:
    friend const char* lend(const std::string& text);
    Kind kind_;
    Call* outer_;
    std::vector<char*> arenas_;
    std::size_t used_ = 0;  ///< bytes of the last arena
};

/// True once a moment at which Escape is pressed is over (interruptWithin).
bool isEscapeDue();

/// A copy that is good until the innermost call of this thread ends; null outside of calls, and for texts of more than an arena.
const char* lend(const std::string& text);
/// True for a text that was lent in a call that is over.
bool isTakenBack(const char* text);

/// True while this thread is within a solve, or runs a parallel loop for one.
bool inSolve();
/// For threads of parallel loops: how deep the thread that started the loop is in solves.
int solveDepth();
void setSolveDepth(int depth);

}  // namespace standin
