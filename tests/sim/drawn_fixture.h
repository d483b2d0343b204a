#pragma once

#include "core/sim/constraint_track.h"
#include "tests/sim/contact_fixture.h"

/// Constraint geometry by hand.
namespace sunder::testing {

inline Geometry drawnPoints(const std::vector<Vec3>& places) {
    Geometry g;
    g.positions = places;
    return g;
}

inline void addLine(Geometry& g, std::initializer_list<std::int32_t> points) {
    g.addPrimitive(PrimitiveKind::kCurve, Span<const std::int32_t>(points.begin(), points.size()));
}

inline void setText(AttributeSet& set, std::size_t count, const char* name, const std::string& value) {
    set.add<std::string>(name, count).assign(count, value);
}
inline void setNumber(AttributeSet& set, std::size_t count, const char* name, double value) {
    set.add<float>(name, count).assign(count, static_cast<float>(value));
}
/// On all points.
inline void setPoints(Geometry& g, const char* name, const std::string& value) {
    setText(g.points, g.pointCount(), name, value);
}
inline void setPoints(Geometry& g, const char* name, double value) {
    setNumber(g.points, g.pointCount(), name, value);
}

/// What is wrong and what to do, or nothing.
template <class Call>
std::string complaintOf(const Call& call) {
    try {
        call();
    } catch (const Error& e) {
        return std::string(e.what()) + ". " + e.remedy();
    }
    return "";
}

/// Steps a world frame by frame as a host with constraint geometry does.
class DrawnRun {
  public:
    DrawnRun(WorldState& world, const Geometry& drawn, double fps)
        : world_(world), tracks_({bindConstraints(world, 0, drawn)}), fps_(fps) {}

    StepReport to(const Geometry& drawn, const StepSettings& settings) {
        const double from = frame_ / fps_, until = (frame_ + 1) / fps_;
        LedConstraints led(tracks_);
        const std::vector<Geometry> shown = {drawn};
        switched = led.lead(world_, {shown, from, until});
        if (switched) refreshEnergy(world_, settings);
        Workspace workspace;
        StepReport report = step(world_, until - from, settings, workspace);
        EXPECT_FALSE(report.failed) << report.message;
        world_.time = until;
        led.settle(world_);
        tracks_ = led.tracks();
        ++frame_;
        return report;
    }
    const ConstraintTrack& track() const { return tracks_[0]; }
    bool switched = false;  ///< by the last step

  private:
    WorldState& world_;
    std::vector<ConstraintTrack> tracks_;
    double fps_;
    int frame_ = 0;
};

}  // namespace sunder::testing
