#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/monitor.h"
#include "core/base/timer.h"

namespace sunder::cli {

enum class ProgressStyle { kBar /* on a terminal */, kLines /* in a pipe */, kJson, kSilent };

/// A bar if standard output is a terminal, otherwise a line a frame; JSON if asked for.
ProgressStyle chooseProgressStyle(bool json);

/// "0:07", "12:30", "1:02:03".
std::string clockText(double seconds);
/// A bar of `width` characters, and the text behind it.
std::string barText(double fraction, int width, const std::string& text);

/// Tells the user how far a run of frames has come. All output goes to standard output.
class Progress {
  public:
    explicit Progress(ProgressStyle style) : style_(style) {}

    /// What is going on before the first frame; shown on a terminal only.
    void stage(const std::string& text);
    /// Frames first to last will follow; time left is reckoned from here.
    void begin(std::int64_t first, std::int64_t last);
    /// Part of the frame that is being worked on.
    void withinFrame(double fraction);
    /// `line` describes the frame for people, `json` for programs.
    void frameDone(std::int64_t frame, const std::string& line, const std::string& json);
    /// A line that stays, above the bar if there is one; not part of a JSON stream.
    void note(const std::string& text);
    void end();

  private:
    double secondsLeft(double done) const;
    void draw(double fraction);
    void clearBar();

    ProgressStyle style_;
    std::int64_t first_ = 0, last_ = 0, current_ = 0;
    Timer timer_, sinceDrawn_;
    bool barShown_ = false;
    std::string stage_;
};

/// Connects long work in core with signals and the bar.
class CommandMonitor : public Monitor {
  public:
    explicit CommandMonitor(Progress& progress) : progress_(progress) {}
    bool cancelled() override;
    void progress(double fraction) override { progress_.withinFrame(fraction); }
    /// To standard error, each text once.
    void warn(const std::string& text) override;
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    Progress& progress_;
    std::vector<std::string> warnings_;
};

}  // namespace sunder::cli
