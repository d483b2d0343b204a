#include "core/sim/stage_unknowns.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kBodyGrain = 16;

Mat3 crossMatrix(const Vec3& r) {
    Mat3 m;
    m << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
    return m;
}
}  // namespace

void StageUnknowns::begin(const std::vector<BodyWork*>& bodies, const std::vector<std::size_t>& offset, const std::vector<Kind>& kinds) {
    bodies_ = bodies;
    offset_ = offset;
    all_ = {};
    frames_.assign(bodies.size(), {});
    weight_.clear();
    for (std::size_t b = 0; b < kinds.size(); ++b) {
        all_.bodies.push_back({kinds[b], static_cast<std::int32_t>(all_.count), Vec3::Zero()});
        if (kinds[b] == Kind::kVertices) all_.count += offset[b + 1] - offset[b];
        if (kinds[b] != Kind::kRigid) continue;
        weight_.resize(all_.count + 1, 1.0);
        const RigidFrame rest = rigidFrame(bodies[b]->body->mass, bodies[b]->body->mesh.rest);
        weight_.push_back(std::sqrt(2 * rest.mass / rest.inertia.trace()));
        all_.count += 2;
    }
    if (!weight_.empty()) weight_.resize(all_.count, 1.0);
}

std::vector<std::size_t> StageUnknowns::parts() const {
    std::vector<std::size_t> list;
    for (std::size_t b = 0; b < all_.bodies.size(); ++b)
        if (kind(b) != Kind::kNone) list.push_back(first(b));
    list.push_back(size());
    return list;
}

const ContactUnknowns& StageUnknowns::at(Span<const Vec3> x) {
    if (weight_.empty()) return all_;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        if (kind(b) != Kind::kRigid) continue;
        frames_[b] = rigidFrame(bodies_[b]->body->mass, part(x, b));
        all_.bodies[b].centre = frames_[b].centre;
    }
    return all_;
}

void StageUnknowns::reduce(Span<const Vec3> x, Span<const Vec3> force, Span<Vec3> out) const {
    parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const Span<const Vec3> own = part(force, b), where = part(x, b);
            if (kind(b) == Kind::kVertices) std::copy(own.begin(), own.end(), out.begin() + static_cast<std::ptrdiff_t>(first(b)));
            if (kind(b) != Kind::kRigid) continue;
            Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
            for (std::size_t i = 0; i < own.size(); ++i) {
                sum += own[i];
                torque += (where[i] - frames_[b].centre).cross(own[i]);
            }
            out[first(b)] = sum;
            out[first(b) + 1] = torque;
        }
    });
}

void StageUnknowns::move(Span<const Vec3> x, Span<const Vec3> way, Span<const double> share, Span<Vec3> out) const {
    const auto led = static_cast<std::ptrdiff_t>(offset_[bodies_.size()]);  // colliders
    std::copy(x.begin() + led, x.end(), out.begin() + led);
    parallelFor(bodies_.size(), kBodyGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const std::size_t u = first(b);
            const Span<Vec3> to = out.subspan(offset_[b], offset_[b + 1] - offset_[b]);
            if (kind(b) == Kind::kRigid)
                moveRigidly(rigidFrame(bodies_[b]->body->mass, part(x, b)), share[b] * way[u], share[b] * way[u + 1], part(x, b), to);
            else if (kind(b) == Kind::kVertices)
                for (std::size_t i = 0; i < to.size(); ++i) to[i] = x[offset_[b] + i] + share[b] * way[u + i];
            else
                for (std::size_t i = 0; i < to.size(); ++i) to[i] = x[offset_[b] + i];
        }
    });
}

std::array<Mat3, 4> StageUnknowns::reduceDiagonal(std::size_t body, Span<const Vec3> x, const BlockMatrix& diagonal) const {
    std::array<Mat3, 4> blocks;
    for (Mat3& m : blocks) m.setZero();
    for (std::size_t i = 0; i < x.size(); ++i) {
        // a vertex goes by way + turn x r = way - [r] turn
        const Mat3 D = diagonal.block(i), lever = crossMatrix(x[i] - frames_[body].centre);
        blocks[0] += D;
        blocks[1] -= D * lever;
        blocks[3] += lever.transpose() * D * lever;
    }
    blocks[2] = blocks[1].transpose();
    return blocks;
}

}  // namespace sunder
