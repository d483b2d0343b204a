#include "core/sim/cache_departed.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/mesh/adjacency.h"
#include "core/mesh/merge.h"
#include "core/sim/cache_frame.h"
#include "core/sim/frame_particles.h"

namespace sunder {

namespace {
using Numbers = std::unordered_map<std::int64_t, std::int32_t>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

[[noreturn]] void failBetween() {
    throw Error("a piece came off and left as a particle between two frames, so that none shows its tets", "write a frame after every step, and give all of them, in their order");
}

std::vector<std::int64_t> idsOf(const AttributeSet& set, std::size_t count) {
    const Attribute* id = set.find("id");
    if (!id || id->isString() || id->tupleSize != 1) throw Error("points and tets of the frame have no 'id'", "use frames that 'sunder simulate' has written");
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(static_cast<std::int64_t>(id->number(i)));
    return ids;
}

Numbers numbersOf(const std::vector<std::int64_t>& ids) {
    Numbers numbers;
    for (std::size_t i = 0; i < ids.size(); ++i) numbers.emplace(ids[i], static_cast<std::int32_t>(i));
    return numbers;
}

/// Particles of a frame: its points by id.
Numbers particlesOf(const Geometry& frame) {
    Numbers particles;
    const Group* group = frame.points.findGroup(kParticleGroup);
    if (!group) return particles;
    const std::vector<std::int64_t> ids = idsOf(frame.points, frame.pointCount());
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (group->members[i]) particles.emplace(ids[i], static_cast<std::int32_t>(i));
    return particles;
}

/// Those points and tets of a geometry of tets, in that order; every corner has to be among the points.
Geometry pick(const Geometry& from, Span<const std::int32_t> points, Span<const std::int32_t> tets) {
    Geometry out;
    std::vector<std::int32_t> number(from.pointCount(), -1), vertices;
    for (const std::int32_t p : points) {
        number[at(p)] = static_cast<std::int32_t>(out.pointCount());
        out.positions.push_back(from.positions[at(p)]);
    }
    for (const std::int32_t t : tets) {
        Tet corners;
        for (std::size_t k = 0; k < 4; ++k) {
            vertices.push_back(from.primitiveFirstVertex[at(t)] + static_cast<std::int32_t>(k));
            corners[k] = number[at(from.primitivePoints(at(t))[k])];
        }
        out.addPrimitive(PrimitiveKind::kTet, Span<const std::int32_t>(corners.data(), 4));
    }
    out.points = gatherAttributes(from.points, points);
    out.vertices = gatherAttributes(from.vertices, vertices);
    out.primitives = gatherAttributes(from.primitives, tets);
    out.detail = from.detail;
    return out;
}

/// Of every piece its points, ascending.
std::vector<std::vector<std::int32_t>> pointsOfPieces(const Geometry& tetsOnly) {
    std::vector<Tet> tets;
    for (std::size_t t = 0; t < tetsOnly.primitiveCount(); ++t) {
        const auto corners = tetsOnly.primitivePoints(t);
        tets.push_back({corners[0], corners[1], corners[2], corners[3]});
    }
    const std::vector<std::int32_t> label = labelComponents(buildTetNeighbors(tets, tetsOnly.pointCount()));
    std::vector<std::vector<std::int32_t>> pieces;
    for (std::size_t t = 0; t < label.size(); ++t) {
        if (at(label[t]) == pieces.size()) pieces.emplace_back();
        pieces[at(label[t])].insert(pieces[at(label[t])].end(), tets[t].begin(), tets[t].end());
    }
    for (std::vector<std::int32_t>& piece : pieces) {
        std::sort(piece.begin(), piece.end());
        piece.erase(std::unique(piece.begin(), piece.end()), piece.end());
    }
    return pieces;
}

Vec3 centreOf(const Geometry& g, const std::vector<std::int32_t>& points) {
    const Attribute* mass = g.points.find("mass");
    if (!mass || mass->isString()) throw Error("the points of the frame have no 'mass'", "use frames that 'sunder simulate' has written");
    double sum = 0;
    Vec3 weighted = Vec3::Zero();
    for (const std::int32_t p : points) {
        sum += mass->number(at(p));
        weighted += mass->number(at(p)) * g.positions[at(p)];
    }
    return weighted / sum;
}

/// Gives the points the vector that the particle has.
void takeOver(Geometry& to, const std::vector<std::int32_t>& points, const Geometry& from, std::int32_t particle, const char* name) {
    Attribute* a = to.points.find(name);
    const Attribute* given = from.points.find(name);
    if (!a || !given || !a->as<float>() || a->tupleSize != given->tupleSize) return;
    const auto size = static_cast<std::size_t>(a->tupleSize);
    for (const std::int32_t p : points)
        for (std::size_t c = 0; c < size; ++c) (*a->as<float>())[size * at(p) + c] = static_cast<float>(given->number(at(particle), static_cast<int>(c)));
}

/// What a frame no longer has of the one before, and what it has.
class Restoration {
  public:
    Restoration(const Geometry& before, const Geometry& frame, Geometry now)
        : before_(before), frame_(frame), now_(std::move(now)), pointIds_(idsOf(before.points, before.pointCount())), tetIds_(idsOf(before.primitives, before.primitiveCount())),
          newPointIds_(idsOf(now_.points, now_.pointCount())), newTetIds_(idsOf(now_.primitives, now_.primitiveCount())) {}

    /// `place` of particles is that in the frame before.
    Geometry run(const std::unordered_map<std::int64_t, Vec3>& place) {
        findGone();
        if (tets_.empty()) return std::move(now_);
        Geometry gone = pick(before_, points_, tets_);
        follow(gone, place);
        return inOrder(std::move(gone));
    }

  private:
    void findGone() {
        const Numbers pointNow = numbersOf(newPointIds_), tetNow = numbersOf(newTetIds_);
        std::vector<std::uint8_t> isGone(pointIds_.size(), 0);
        for (std::size_t i = 0; i < pointIds_.size(); ++i) {
            if (pointNow.count(pointIds_[i])) continue;
            isGone[i] = 1;
            points_.push_back(static_cast<std::int32_t>(i));
        }
        for (std::size_t t = 0; t < tetIds_.size(); ++t) {
            if (tetNow.count(tetIds_[t])) continue;
            tets_.push_back(static_cast<std::int32_t>(t));
            for (const std::int32_t p : before_.primitivePoints(t))
                if (!isGone[at(p)]) failBetween();  // a piece that was part of one that is still there
        }
    }

    void follow(Geometry& gone, const std::unordered_map<std::int64_t, Vec3>& place) const {
        const Numbers particles = particlesOf(frame_);
        for (const std::vector<std::int32_t>& points : pointsOfPieces(gone)) {
            const auto isParticle = [&](std::int32_t p) { return particles.count(pointIds_[at(points_[at(p)])]) > 0; };
            const auto own = std::find_if(points.begin(), points.end(), isParticle);
            if (own == points.end()) failBetween();
            const std::int64_t id = pointIds_[at(points_[at(*own)])];
            const std::int32_t particle = particles.at(id);
            const auto known = place.find(id);
            const Vec3 way = frame_.positions[at(particle)] - (known == place.end() ? centreOf(gone, points) : known->second);
            for (const std::int32_t p : points) gone.positions[at(p)] += way;
            for (const char* name : {"v", "accel"}) takeOver(gone, points, frame_, particle, name);
        }
        for (const char* name : {"stress", "strain"})
            if (Attribute* a = gone.primitives.find(name); a && a->as<float>()) std::fill(a->as<float>()->begin(), a->as<float>()->end(), 0.f);
        gone.points.addGroup(kDepartedGroup, 0).members.assign(gone.pointCount(), 1);
        gone.primitives.addGroup(kDepartedGroup, 0).members.assign(gone.primitiveCount(), 1);
    }

    /// What the frame before had keeps its number, so that parents come before what was made of them.
    Geometry inOrder(Geometry gone) {
        const auto order = [](const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& now) {
            const Numbers place = numbersOf(now), known = numbersOf(before);
            std::vector<std::int32_t> source;
            auto next = static_cast<std::int32_t>(now.size());
            for (const std::int64_t id : before) {
                const auto here = place.find(id);
                source.push_back(here == place.end() ? next++ : here->second);
            }
            for (std::size_t i = 0; i < now.size(); ++i)
                if (!known.count(now[i])) source.push_back(static_cast<std::int32_t>(i));
            return source;
        };
        Geometry all = std::move(now_);
        appendGeometry(all, gone);
        return pick(all, order(pointIds_, newPointIds_), order(tetIds_, newTetIds_));
    }

    const Geometry &before_, &frame_;
    Geometry now_;
    std::vector<std::int64_t> pointIds_, tetIds_, newPointIds_, newTetIds_;
    std::vector<std::int32_t> points_, tets_;  ///< of the frame before, that have gone
};
}  // namespace

Geometry DepartedPieces::restore(const Geometry& frame, Monitor* monitor) {
    throwIfCancelled(monitor);
    Geometry now = tetsOf(frame);
    if (frame.points.findGroup(kParticleGroup)) {
        std::vector<Group>& groups = now.points.groups;
        groups.erase(std::remove_if(groups.begin(), groups.end(), [](const Group& g) { return g.name == kParticleGroup; }), groups.end());
        now.points.erase("radius");
        throwIfCancelled(monitor);
        if (before_.primitiveCount() > 0) now = Restoration(before_, frame, std::move(now)).run(place_);
        place_.clear();
        for (const auto& [id, point] : particlesOf(frame)) place_.emplace(id, frame.positions[at(point)]);
    }
    before_ = now;
    return now;
}

}  // namespace sunder
