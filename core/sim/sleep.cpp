#include "core/sim/sleep.h"

#include <algorithm>

namespace sunder {

namespace {
bool maySleep(const Body& body) {
    const auto lasts = [](const HardTarget& t) { return !t.motion.moves() && t.releaseTime >= 1e300 && !t.releases(); };
    return body.constraints.soft.empty() && std::all_of(body.constraints.hard.begin(), body.constraints.hard.end(), lasts);
}

Vec3 pullOf(const StepSettings& settings) { return settings.gravity + settings.uniformForce; }

double fastestVertex(const BodyState& s) {
    double square = 0;
    for (const Vec3& v : s.v) square = std::max(square, v.squaredNorm());
    return std::sqrt(square);
}

/// For every body what it touches, ascending, as SleepState::touched has it.
std::vector<std::vector<std::int32_t>> listTouching(const WorldContact& contact, std::size_t bodies) {
    std::vector<std::vector<std::int32_t>> lists(bodies);
    const auto add = [&](std::size_t body, std::size_t other) {
        if (body < bodies) lists[body].push_back(other < bodies ? static_cast<std::int32_t>(other) : -1 - static_cast<std::int32_t>(other - bodies));
    };
    for (const auto& [a, b] : contact.touchingPairs()) {
        add(a, b);
        add(b, a);
    }
    for (auto& list : lists) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return lists;
}

/// Whether something that a sleeper lay on, or that leant on it, has stirred and touches it no more. Of what has not stirred contact may not even be known.
bool hasLostTouch(const SleepState& sleep, const std::vector<std::int32_t>& touching, const std::vector<std::uint8_t>& stirring, std::size_t bodies) {
    return std::any_of(sleep.touched.begin(), sleep.touched.end(), [&](std::int32_t t) {
        const std::size_t other = t >= 0 ? static_cast<std::size_t>(t) : bodies + static_cast<std::size_t>(-1 - t);
        return other < stirring.size() && stirring[other] && !std::binary_search(touching.begin(), touching.end(), t);
    });
}

void fallAsleep(BodyState& s, const std::vector<std::int32_t>& touching, const StepSettings& settings) {
    s.sleep.asleep = true;
    s.sleep.touched = touching;
    s.sleep.pull = pullOf(settings);
    std::fill(s.v.begin(), s.v.end(), Vec3::Zero());
    std::fill(s.a.begin(), s.a.end(), Vec3::Zero());
}
}  // namespace

void wakeDisturbed(std::vector<BodyWork>& bodies, const StepSettings& settings) {
    for (BodyWork& work : bodies) {
        BodyState& s = work.state;
        if (s.sleep.asleep && (settings.sleepSpeed == 0 || s.sleep.pull != pullOf(settings) || fastestVertex(s) > 0 || !work.push.empty())) s.sleep = {};
    }
}

void wakeAll(std::vector<BodyWork>& bodies) {
    for (BodyWork& work : bodies) work.state.sleep = {};
}

void wakeBlasted(std::vector<BodyWork>& bodies, double start, double end) {
    for (BodyWork& work : bodies)
        if (work.state.sleep.asleep && work.loads->shortestPulse(work.state.x, start, end) < 1e300) work.state.sleep = {};
}

std::vector<std::uint8_t> findStirring(const std::vector<BodyWork>& bodies, const WorldContact& contact, double start, double end) {
    std::vector<std::uint8_t> stirring;
    for (const BodyWork& work : bodies) {
        const bool held = work.body->constraints.hard.size() > 0 && maySleep(*work.body) &&
                          heldVertices(*work.body, work.state, start, end).vertices.size() == work.vertexCount();
        stirring.push_back(!work.state.sleep.asleep && !held);
    }
    std::vector<Vec3> before, after, v;
    for (std::size_t c = 0; c < contact.colliderCount(); ++c) {
        contact.placeCollider(c, start, before, v);
        contact.placeCollider(c, end, after, v);
        stirring.push_back(before != after);
    }
    return stirring;
}

void updateSleep(std::vector<BodyWork>& bodies, const WorldContact& contact, const std::vector<std::uint8_t>& stirring, const StepSettings& settings,
                 double time, double dt) {
    if (settings.sleepSpeed == 0 || !contact.active()) return;
    std::vector<double> speed(contact.bodyCount(), 0.0);
    for (std::size_t b = 0; b < bodies.size(); ++b) speed[b] = fastestVertex(bodies[b].state);
    for (std::size_t b = bodies.size(); b < speed.size(); ++b) speed[b] = stirring[b] ? HUGE_VAL : 0;
    const std::vector<std::vector<std::int32_t>> touching = listTouching(contact, bodies.size());
    for (const auto& [a, b] : contact.touchingPairs()) {
        if (a == b) continue;
        for (const auto& [sleeper, other] : {std::pair{a, b}, std::pair{b, a}})
            if (sleeper < bodies.size() && bodies[sleeper].state.sleep.asleep && speed[other] > 2 * settings.sleepSpeed) bodies[sleeper].state.sleep = {};
    }
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        BodyState& s = bodies[b].state;
        if (s.sleep.asleep && hasLostTouch(s.sleep, touching[b], stirring, bodies.size())) s.sleep = {};
        if (s.sleep.asleep || !stirring[b]) continue;
        const bool calm = speed[b] < settings.sleepSpeed && maySleep(*bodies[b].body) && bodies[b].push.empty() &&
                          (!touching[b].empty() || bodies[b].loads->potentials(s.x, time).contact > 0);
        s.sleep.calm = calm ? s.sleep.calm + dt : 0;
        if (s.sleep.calm >= settings.sleepTime) fallAsleep(s, touching[b], settings);
    }
}

}  // namespace sunder
