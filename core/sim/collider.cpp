#include "core/sim/collider.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

namespace {
void checkKeys(const Collider& c) {
    if (c.keys.empty()) throw Error(format("collider '%s' has no surface", c.name.c_str()), "give it one");
    for (std::size_t k = 0; k < c.keys.size(); ++k) {
        if (!std::isfinite(c.keys[k].time))
            throw Error(format("a surface of collider '%s' has a time that is not a number", c.name.c_str()), "give finite times");
        if (k > 0 && !(c.keys[k].time > c.keys[k - 1].time))
            throw Error(format("the surfaces of collider '%s' are out of order at %g s", c.name.c_str(), c.keys[k].time),
                        "sort them by time, with no time twice");
    }
}

/// Vertices that have changed places look like a surface that crosses itself on the way.
void checkMoves(const Collider& c, std::vector<std::string>& warnings) {
    for (std::size_t k = std::max<std::size_t>(1, c.knownKeys); k < c.keys.size(); ++k) {
        if (!topologyMatches(c.keys[k - 1].surface, c.keys[k].surface)) {
            warnings.push_back(format("collider '%s' has another topology at %g s; what touches it is let go and found anew", c.name.c_str(), c.keys[k].time));
            continue;
        }
        const ColliderMove move = measureMove(c.keys[k - 1].surface.positions, c.keys[k].surface.positions);
        if (move.share > 1)
            warnings.push_back(format("point %d of collider '%s' goes %.3g m up to %g s, %.2g times the size of the collider: have its points "
                                      "changed places? Give more frames, or a motion",
                                      move.vertex, c.name.c_str(), move.largest, c.keys[k].time, move.share));
    }
}
}  // namespace

namespace {
/// Applies the motion to what goes its own way at v.
void follow(const Collider& c, double time, std::vector<Vec3>& x, std::vector<Vec3>& v) {
    if (c.motion.keys.empty()) return;
    constexpr double kDelta = 1e-6;  // s, as in Motion::velocity
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 before = c.motion.apply(x[i] - kDelta * v[i], time - kDelta), later = c.motion.apply(x[i] + kDelta * v[i], time + kDelta);
        v[i] = c.moves() ? Vec3((later - before) / (2 * kDelta)) : Vec3(Vec3::Zero());
        x[i] = c.motion.apply(x[i], time);
    }
}
}  // namespace

std::size_t Collider::stretchAt(double time) const {
    std::size_t at = 0;
    for (std::size_t s = 1; s < stretches.size(); ++s)
        if (stretches[s].time.front() <= time) at = s;
    return at;
}

void Collider::place(std::size_t stretch, double time, double since, std::vector<Vec3>& x, std::vector<Vec3>& v) const {
    constexpr double kRounding = 1e-12;  // of sums of times
    const Stretch& s = stretches[stretch];
    const double reached = time - kRounding * std::max(1.0, std::abs(time));
    const auto begun = std::upper_bound(s.time.begin(), s.time.end(), std::min(since, time));
    const auto after = std::max(begun, std::lower_bound(s.time.begin(), s.time.end(), reached)) - s.time.begin();
    x.resize(s.vertices.front().size());
    v.resize(x.size());
    if (after == 0 || static_cast<std::size_t>(after) == s.time.size()) {
        x = s.vertices[after == 0 ? 0 : s.time.size() - 1];
        std::fill(v.begin(), v.end(), Vec3::Zero());
    } else {
        const auto k = static_cast<std::size_t>(after);
        const double duration = s.time[k] - s.time[k - 1];
        moveBetween({s.vertices[k - 1], s.vertices[k], duration}, std::min(1.0, (time - s.time[k - 1]) / duration), x, v);
    }
    follow(*this, time, x, v);
}

std::size_t Collider::placeSurface(double time, std::vector<Vec3>& x, std::vector<Vec3>& v) const {
    std::size_t k = 0;
    while (k + 1 < keys.size() && keys[k + 1].time <= time) ++k;
    const std::vector<Vec3>& here = keys[k].surface.positions;
    x = here;
    v.assign(x.size(), Vec3::Zero());
    if (time >= keys[k].time && k + 1 < keys.size() && topologyMatches(keys[k].surface, keys[k + 1].surface)) {
        const double duration = keys[k + 1].time - keys[k].time;
        moveBetween({here, keys[k + 1].surface.positions, duration}, (time - keys[k].time) / duration, x, v);
    }
    follow(*this, time, x, v);
    return k;
}

std::shared_ptr<const Collider> buildCollider(Collider input) {
    auto c = std::make_shared<Collider>(std::move(input));
    checkKeys(*c);
    checkMoves(*c, c->warnings);
    ColliderProperties properties;
    properties.surface = c->contact;
    for (std::size_t k = 0; k < c->keys.size(); ++k) {
        const Collider::Key& key = c->keys[k];
        if (k == 0 || !topologyMatches(c->keys[k - 1].surface, key.surface)) {
            Collider::Stretch stretch;
            stretch.slab = buildColliderSlab(key.surface);
            std::istringstream odd(stretch.slab.report.summary());
            for (std::string line; std::getline(odd, line);) c->warnings.push_back(format("collider '%s': %s", c->name.c_str(), line.c_str()));
            stretch.shape = buildContactShape(stretch.slab, properties);
            c->stretches.push_back(std::move(stretch));
        } else {
            validateColliderPositions(key.surface.positions);
            updateColliderSlab(c->stretches.back().slab, key.surface.positions);
        }
        c->stretches.back().time.push_back(key.time);
        c->stretches.back().vertices.push_back(c->stretches.back().slab.vertices);
    }
    return c;
}

}  // namespace sunder
