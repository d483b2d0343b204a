#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "cli/signals.h"
#include "core/base/text.h"

namespace sunder::cli {

namespace {
constexpr int kBarWidth = 30;
constexpr double kRedrawSeconds = 0.1;
}  // namespace

ProgressStyle chooseProgressStyle(bool json) {
    if (json) return ProgressStyle::kJson;
    return ::isatty(STDOUT_FILENO) ? ProgressStyle::kBar : ProgressStyle::kLines;
}

std::string clockText(double seconds) {
    const auto s = static_cast<long long>(std::lround(std::clamp(seconds, 0.0, 1e9)));
    if (s >= 3600) return format("%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    return format("%lld:%02lld", s / 60, s % 60);
}

std::string barText(double fraction, int width, const std::string& text) {
    const double share = std::clamp(fraction, 0.0, 1.0);
    const int filled = static_cast<int>(share * width);
    return "[" + std::string(static_cast<std::size_t>(filled), '#') +
           std::string(static_cast<std::size_t>(width - filled), '.') +
           format("] %3d%%  ", static_cast<int>(100 * share)) + text;
}

void Progress::stage(const std::string& text) {
    if (style_ != ProgressStyle::kBar) return;
    clearBar();
    std::cout << text << std::flush;
    barShown_ = true;
}

void Progress::begin(std::int64_t first, std::int64_t last) {
    first_ = current_ = first;
    last_ = last;
    timer_.restart();
    if (style_ == ProgressStyle::kBar) draw(0);
}

double Progress::secondsLeft(double done) const {
    const double all = static_cast<double>(last_ - first_ + 1);
    return done > 0 ? timer_.seconds() / done * (all - done) : 0;
}

void Progress::draw(double fraction) {
    const double done = static_cast<double>(current_ - first_) + fraction,
                 all = static_cast<double>(last_ - first_ + 1);
    const std::string left = done > 0 ? clockText(secondsLeft(done)) + " left" : "";
    const long long frame = std::min(current_, last_);
    // ESC [ K clears what a longer line has left behind
    std::cout << '\r'
              << barText(done / all, kBarWidth,
                         format("frame %lld of %lld  %s", frame, static_cast<long long>(last_), left.c_str()))
              << "\033[K" << std::flush;
    barShown_ = true;
    sinceDrawn_.restart();
}

void Progress::withinFrame(double fraction) {
    if (style_ == ProgressStyle::kBar && last_ > 0 && sinceDrawn_.seconds() > kRedrawSeconds)
        draw(std::clamp(fraction, 0.0, 1.0));
}

void Progress::frameDone(std::int64_t frame, const std::string& line, const std::string& json) {
    current_ = frame + 1;
    switch (style_) {
        case ProgressStyle::kBar:
            draw(0);
            break;
        case ProgressStyle::kLines:
            std::cout << line << "  " << clockText(secondsLeft(static_cast<double>(current_ - first_)))
                      << " left" << std::endl;
            break;
        case ProgressStyle::kJson:
            std::cout << json << std::endl;
            break;
        case ProgressStyle::kSilent:
            break;
    }
}

void Progress::clearBar() {
    if (barShown_) std::cout << "\r\033[K" << std::flush;
    barShown_ = false;
}

void Progress::note(const std::string& text) {
    clearBar();
    (style_ == ProgressStyle::kJson ? std::cerr : std::cout) << text << std::endl;
}

void Progress::end() { clearBar(); }

bool CommandMonitor::cancelled() { return caughtSignal() != 0; }

void CommandMonitor::warn(const std::string& text) {
    if (std::find(warnings_.begin(), warnings_.end(), text) != warnings_.end()) return;
    warnings_.push_back(text);
    progress_.end();
    std::cerr << "sunder: warning: " << text << '\n';
}

}  // namespace sunder::cli
