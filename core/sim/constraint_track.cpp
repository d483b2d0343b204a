#include "core/sim/constraint_track.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sim/constraint_geometry.h"
#include "core/sim/snapshot_transfer.h"

namespace sunder {

namespace {
using Places = std::shared_ptr<const std::vector<Vec3>>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// Straight from one place to the other in the time of the step. The line goes on behind both ends, or at
/// these times, where a motion's velocity is the mean of before and after, it would depend on what the host
/// shows next.
Motion wayOf(const Vec3& a, const Vec3& b, double from, double to) {
    Motion motion;
    const auto add = [&](double time, const Vec3& translation) {
        motion.keys.push_back({time, translation, Vec3::Zero()});
    };
    if (a != b) {
        const double h = to - from;
        add(from - h, 2 * a - b);
        add(from, a);
        add(to, b);
        add(to + h, 2 * b - a);
    } else if (!a.isZero(0)) {
        add(from, a);
    }
    return motion;
}

/// Calls use(target, its number among those of the track) for the pins, then for the targets of a track.
template <class BodyType, class Use>
void visitTargets(const ConstraintTrack& track, BodyType& body, const Use& use) {
    for (std::size_t k = 0; k < track.hardPoint.size(); ++k)
        use(body.constraints.hard[at(track.firstHard) + k], k);
    for (std::size_t k = 0; k < track.softPoint.size(); ++k)
        use(body.constraints.soft[at(track.firstSoft) + k], track.hardPoint.size() + k);
}

std::int32_t pointOf(const ConstraintTrack& track, std::size_t k) {
    return k < track.hardPoint.size() ? track.hardPoint[k] : track.softPoint[k - track.hardPoint.size()];
}

/// What is drawn now of every target of a track, in their order.
std::vector<DrawnConstraint> drawnOf(const ConstraintTrack& track, const Geometry& drawn) {
    std::vector<DrawnConstraint> pins, targets;
    for (DrawnConstraint& c : readConstraints(drawn))
        if (!std::holds_alternative<SceneGlue>(c.what))
            (std::holds_alternative<ScenePin>(c.what) ? pins : targets).push_back(std::move(c));
    const auto same = [](const std::vector<DrawnConstraint>& list, const std::vector<std::int32_t>& points) {
        return std::equal(list.begin(), list.end(), points.begin(), points.end(),
                          [](const DrawnConstraint& c, std::int32_t p) { return c.point == p; });
    };
    if (drawn.pointCount() != track.start->size() || !same(pins, track.hardPoint) ||
        !same(targets, track.softPoint))
        throw Error(
            "the constraint geometry no longer has the constraints that it started with",
            "keep its points, primitives and types while it runs; switch constraints off and on by `active`");
    pins.insert(pins.end(), std::make_move_iterator(targets.begin()), std::make_move_iterator(targets.end()));
    return pins;
}

double releaseTimeOf(const DrawnConstraint& c) {
    if (const auto* pin = std::get_if<ScenePin>(&c.what)) return pin->releaseTime;
    return std::get<SceneTarget>(c.what).releaseTime;
}

/// A target that is switched on holds its vertices where they are, those that have been let go, too.
template <class Target>
void switchOn(Target& target, double releaseTime, const Vec3& way, BodyState& state) {
    constexpr std::uint8_t kBy = std::is_same_v<Target, HardTarget> ? kReleasedPin : kReleasedTarget;
    target.releaseTime = releaseTime;
    for (std::size_t i = 0; i < target.vertices.size(); ++i) {
        const std::size_t v = at(target.vertices[i]);
        target.anchor[i] = state.x[v] - way;
        if (!state.released.empty()) state.released[v] &= static_cast<std::uint8_t>(~kBy);
    }
}

/// Switches targets as `active` has it now. False if there is none to switch.
bool switchTargets(const ConstraintTrack& track, const std::vector<DrawnConstraint>& drawn,
                   WorldBody& world) {
    bool switches = false;
    const auto isOff = [](const auto& target) { return target.releaseTime == kSwitchedOff; };
    visitTargets(track, *world.body,
                 [&](const auto& target, std::size_t k) { switches |= isOff(target) == drawn[k].active; });
    if (!switches) return false;
    auto body = std::make_shared<Body>(*world.body);
    auto state = std::make_shared<BodyState>(*world.state);
    visitTargets(track, *body, [&](auto& target, std::size_t k) {
        const auto p = at(pointOf(track, k));
        if (isOff(target) != drawn[k].active) return;
        if (drawn[k].active)
            switchOn(target, releaseTimeOf(drawn[k]), (*track.last)[p] - (*track.start)[p], *state);
        else
            target.releaseTime = kSwitchedOff;
    });
    std::fill(state->a.begin(), state->a.end(), Vec3::Zero());  // of forces that are no more
    state->sleep = {};
    world = {std::move(body), std::move(state), std::move(world.push)};
    return true;
}

/// The same places once more are shared.
Places placesOf(const ConstraintTrack& track, const std::vector<Vec3>& now) {
    for (const Places& known : {track.start, track.last})
        if (*known == now) return known;
    return std::make_shared<const std::vector<Vec3>>(now);
}
}  // namespace

bool LedConstraints::leadOne(WorldState& world, ConstraintTrack& track, const Geometry& drawn,
                             const ConstraintShow& show) {
    WorldBody& own = world.bodies[at(track.body)];
    const bool switched = switchTargets(track, drawnOf(track, drawn), own);
    const std::vector<Vec3>& start = *track.start;
    const Places last = std::exchange(track.last, placesOf(track, drawn.positions));
    if (last == track.start && track.last == track.start) return switched;
    auto led = std::make_shared<Body>(*own.body);
    visitTargets(track, *led, [&](auto& target, std::size_t k) {
        const std::size_t p = at(pointOf(track, k));
        target.motion = wayOf((*last)[p] - start[p], (*track.last)[p] - start[p], show.from, show.to);
    });
    if (last != track.last && (own.state->sleep.asleep || own.state->sleep.anyAsleep())) {
        auto awake = std::make_shared<BodyState>(*own.state);
        awake->sleep = {};
        own.state = std::move(awake);
    }
    led_.push_back({at(track.body), own.body, led});
    own.body = std::move(led);
    return switched;
}

bool LedConstraints::lead(WorldState& world, const ConstraintShow& show) {
    bool switched = false;
    for (std::size_t k = 0; k < tracks_.size(); ++k) {
        try {
            switched |= leadOne(world, tracks_[k], show.drawn[k], show);
        } catch (const Error& e) {
            throw Error(format("'%s': %s", world.bodies[at(tracks_[k].body)].body->name.c_str(), e.what()),
                        e.remedy());
        }
    }
    return switched;
}

void LedConstraints::settle(WorldState& world) {
    for (const Led& led : led_) {
        std::shared_ptr<const Body>& body = world.bodies[led.body].body;
        if (body == led.led) {
            body = led.before;
            continue;
        }
        auto broken = std::make_shared<Body>(*body);
        for (const ConstraintTrack& track : tracks_)
            if (at(track.body) == led.body)
                visitTargets(track, *broken, [](auto& target, std::size_t) { target.motion = {}; });
        body = std::move(broken);
    }
    led_.clear();
}

void checkTracks(const std::vector<ConstraintTrack>& tracks, const WorldState& world) {
    for (const ConstraintTrack& t : tracks) {
        const auto holds = [](std::int32_t first, std::size_t count, std::size_t all) {
            return first >= 0 && at(first) <= all && count <= all - at(first);
        };
        bool fits = t.body >= 0 && at(t.body) < world.bodies.size();
        if (fits) {
            const auto& [hard, soft] = world.bodies[at(t.body)].body->constraints;
            fits = holds(t.firstHard, t.hardPoint.size(), hard.size()) &&
                   holds(t.firstSoft, t.softPoint.size(), soft.size());
        }
        if (!fits) throw Error("constraints hold objects that are not there", "simulate from the start");
    }
}

namespace {
template <class Io, class T>
void transferHead(Io& io, T& track) {
    io(track.body);
    io(track.firstHard);
    io(track.firstSoft);
    io.array(track.hardPoint);
    io.array(track.softPoint);
}

void requirePoints(const ConstraintTrack& track) {
    requireSound(track.last->size() == track.start->size(),
                 "constraint geometry has changed its number of points");
    for (const auto* list : {&track.hardPoint, &track.softPoint})
        for (const std::int32_t p : *list)
            requireSound(p >= 0 && at(p) < track.start->size(),
                         "a constraint is led by a point that does not exist");
}

constexpr std::size_t kTrackBytes = 37;  // the least that one takes
}  // namespace

void transferTracks(ByteWriter& io, const std::vector<ConstraintTrack>& tracks) {
    transferList(io, tracks, kTrackBytes, [](ByteWriter& s, const ConstraintTrack& track) {
        transferHead(s, track);
        s.array(*track.start);
        const bool moved = track.last != track.start;
        transferBool(s, moved);
        if (moved) s.array(*track.last);
    });
}

void transferTracks(ByteReader& io, std::vector<ConstraintTrack>& tracks) {
    transferList(io, tracks, kTrackBytes, [](ByteReader& s, ConstraintTrack& track) {
        transferHead(s, track);
        std::vector<Vec3> start, last;
        s.array(start);
        bool moved = false;
        transferBool(s, moved);
        track.start = track.last = std::make_shared<const std::vector<Vec3>>(std::move(start));
        if (moved) {
            s.array(last);
            track.last = std::make_shared<const std::vector<Vec3>>(std::move(last));
        }
        requirePoints(track);
    });
}

std::size_t memoryOf(const std::vector<ConstraintTrack>& tracks) {
    std::size_t sum = tracks.capacity() * sizeof(ConstraintTrack);
    for (const ConstraintTrack& t : tracks) {
        sum += (t.hardPoint.capacity() + t.softPoint.capacity()) * sizeof(std::int32_t);
        for (const Places& places : {t.start, t.last})
            sum += places->capacity() * sizeof(Vec3) /
                   static_cast<std::size_t>(std::max(1L, places.use_count()));
    }
    return sum;
}

}  // namespace sunder
