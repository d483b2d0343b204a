#include <Eigen/Geometry>
#include <algorithm>

#include "core/base/parallel.h"
#include "core/contact/contact_potential.h"

/// The stiffness of contact: a sum of k g g^T. For a vertex that pushes g is the gradient of its volume, for a grip the way of its two
/// bodies along one of two directions of the surface.
namespace sunder {

namespace {
constexpr std::size_t kGrain = 128, kBodyGrain = 16;
// Where a corner goes in, V grows as the cube of the way, and the energy's second derivative is 5/3 of what Gauss and Newton see; flat
// faces have all of it. Seen too small, every step would go too far.
constexpr double kCurvature = 2.0 / 3;
}  // namespace

/// Bodies with unknowns, and what touches them.
std::vector<std::uint8_t> ContactPotential::nextToUnknowns(const ContactSet& set, const ContactUnknowns& unknowns) const {
    std::vector<std::uint8_t> own;
    for (const ContactUnknowns::Part& body : unknowns.bodies) own.push_back(body.kind != ContactUnknowns::Kind::kNone);
    std::vector<std::uint8_t> near = own;
    for (const BlockOfBodies& block : set.blocks) {
        const auto a = static_cast<std::size_t>(block.bodyA), b = static_cast<std::size_t>(block.bodyB);
        if (own[a]) near[b] = 1;
        if (own[b]) near[a] = 1;
    }
    return near;
}

/// Rows of the vertices that push, -1 for others and those of bodies left out, and the rows' stiffness.
std::vector<std::int32_t> ContactPotential::pushingVertices(const ContactSet& set, Span<const std::uint8_t> counts, std::vector<double>& stiffness) const {
    std::vector<double> ofVertex(bodies_.vertexCount());  // of those that touch; not positive: none
    parallelFor(bodies_.shapes.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b)
            for (const std::int32_t n : set.vertices[b].touching) {
                if (!counts[b]) break;
                const auto i = static_cast<std::size_t>(n);
                const Push push = pushAt(b, i, set.vertices[b]);
                if (!(push.force > 0)) continue;
                const double area = bodies_.shapes[b]->area[i], share = std::min(1.0, set.vertices[b].facing[i].norm() / area);
                // rows are gradients of volumes
                ofVertex[bodies_.offset[b] + i] = (push.slope + kCurvature * (1 - share) * push.force / push.depth) / (area * area);
            }
    });
    std::vector<std::size_t> firstRow(bodies_.shapes.size() + 1, 0);
    std::vector<std::int32_t> rowOf(bodies_.vertexCount(), -1);
    const auto forPushing = [&](auto use) {
        parallelFor(bodies_.shapes.size(), kBodyGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t b = first; b < last; ++b) {
                std::size_t count = 0;
                for (const std::int32_t n : set.vertices[b].touching)
                    if (const std::size_t v = bodies_.offset[b] + static_cast<std::size_t>(n); ofVertex[v] > 0) use(b, v, count++);
            }
        });
    };
    forPushing([&](std::size_t b, std::size_t, std::size_t k) { firstRow[b + 1] = k + 1; });
    for (std::size_t b = 0; b < bodies_.shapes.size(); ++b) firstRow[b + 1] += firstRow[b];
    stiffness.resize(firstRow.back());
    forPushing([&](std::size_t b, std::size_t v, std::size_t k) {
        rowOf[v] = static_cast<std::int32_t>(firstRow[b] + k);
        stiffness[firstRow[b] + k] = ofVertex[v];
    });
    return rowOf;
}

/// With its spring drawn as far as it is known to be.
double ContactPotential::gripStiffness(std::size_t row) const {
    const Grip& grip = grips_[row];
    const double drawn = knownGrips_.drawn[row];
    return grip.stiffness * drawn > grip.most ? grip.most / drawn : grip.stiffness;
}

void ContactPotential::linearize(const ContactSet& set, Span<const Vec3> x, const ContactUnknowns& unknowns) {
    const std::vector<std::uint8_t> counts = nextToUnknowns(set, unknowns);
    std::vector<double> stiffness;
    const std::vector<std::int32_t> rowOf = pushingVertices(set, counts, stiffness);
    const std::size_t normals = stiffness.size();
    const auto isStiff = [&](std::size_t grip) { return counts[static_cast<std::size_t>(grips_[grip].body)] || grips_[grip].hold >= 0; };
    updateGrips(x);
    const bool anyRigid = std::any_of(unknowns.bodies.begin(), unknowns.bodies.end(), [](const auto& body) { return body.kind == ContactUnknowns::Kind::kRigid; });
    std::vector<std::size_t> onRigid, others;  // grips
    for (std::size_t grip = 0; grip < grips_.size(); ++grip) {
        if (!isStiff(grip)) continue;
        bool rigid = false;
        for (auto e = static_cast<std::size_t>(slip_.first[grip]); anyRigid && e < static_cast<std::size_t>(slip_.first[grip + 1]); ++e)
            rigid |= unknowns.bodies[static_cast<std::size_t>(slipBody_[e])].kind == ContactUnknowns::Kind::kRigid;
        (rigid ? onRigid : others).push_back(grip);
        if (rigid) stiffness.insert(stiffness.end(), 2, gripStiffness(grip));
    }
    const std::size_t grips = stiffness.size() - normals;
    const std::vector<SideHold> holds = sides_.empty() ? std::vector<SideHold>() : sides_.holdsAt(bodies_.parts(x));
    for (const HoldPush& push : pushesOf(holds)) stiffness.push_back(push.slope);
    const RowParts parts(set, bodies_.offset, rowOf, normals, counts);
    const auto fillHold = [&](const SideHold& h, RowBlock<Vec3>& block) {
        const auto add = [&](std::int32_t body, std::int32_t vertex, const Vec3& along) {
            const auto b = static_cast<std::size_t>(body), v = static_cast<std::size_t>(vertex);
            block.addForce(unknowns.bodies[b], v, x[bodies_.offset[b] + v], along);
        };
        add(h.body, h.vertex, h.normal);
        for (int k = 0; k < 3; ++k) add(h.other, h.corners[static_cast<std::size_t>(k)], -h.weights[k] * h.normal);
    };
    const auto fillNormal = [&](std::size_t row, RowBlock<Vec3>& block) {
        for (std::size_t k = parts.first[row]; k < parts.first[row + 1]; ++k) {
            const ContactCluster& c = set.clusters[static_cast<std::size_t>(parts.parts[k].cluster)];
            const Vec4* own = c.row(static_cast<std::size_t>(parts.parts[k].place));
            const bool allNew = k == parts.first[row] && c.bodyA != c.bodyB;  // in one body a vertex may be on both sides
            const auto addSide = [&](std::int32_t body, std::size_t first, std::size_t last) {
                const ContactUnknowns::Part& part = unknowns.bodies[static_cast<std::size_t>(body)];
                if (part.kind == ContactUnknowns::Kind::kNone) return;
                if (allNew && part.kind == ContactUnknowns::Kind::kVertices) {
                    for (std::size_t m = first; m < last; ++m)
                        if (!ContactCluster::isNothing(own[m])) block.addNew(static_cast<std::size_t>(part.first + c.vertices[m]), ContactCluster::slope(own[m]));
                    return;
                }
                for (std::size_t m = first; m < last; ++m)
                    if (!ContactCluster::isNothing(own[m]))
                        block.addForce(part, static_cast<std::size_t>(c.vertices[m]), x[vertexOf(c, m)], ContactCluster::slope(own[m]));
            };
            addSide(c.bodyA, 0, c.countA);
            addSide(c.bodyB, c.countA, c.size());
        }
    };
    const auto fillGrip = [&](std::size_t row, const Vec3& along, RowBlock<Vec3>& block) {
        for (auto e = static_cast<std::size_t>(slip_.first[row]); e < static_cast<std::size_t>(slip_.first[row + 1]); ++e) {
            const auto v = static_cast<std::size_t>(slip_.column[e]);
            const auto body = static_cast<std::size_t>(slipBody_[e]);
            block.addForce(unknowns.bodies[body], v - bodies_.offset[body], x[v], slip_.value[e] * along);
        }
    };
    const auto fillRow = [&](std::size_t row, RowBlock<Vec3>& block) {
        if (row < normals) {
            fillNormal(row, block);
        } else if (row >= normals + grips) {
            fillHold(holds[row - normals - grips], block);
        } else {
            const std::size_t grip = onRigid[(row - normals) / 2];
            const Vec3& up = grips_[grip].up;
            const Vec3 first = up.unitOrthogonal();
            fillGrip(grip, (row - normals) % 2 == 0 ? first : Vec3(up.cross(first)), block);
        }
    };
    const std::vector<std::int32_t> bodyOf = unknowns.bodyOfEach();
    parallelBlocks(2, [&](std::size_t kind) {  // each has parts that run on one thread alone
        if (kind == 0) {
            ContactRows<Vec3f> rows = buildRows<Vec3>(stiffness.size(), unknowns.count, fillRow);
            pushes_ = ContactTerms<Vec3f>(std::move(rows), std::move(stiffness), bodyOf);
        } else {
            updateSlips(others, unknowns, bodyOf);
        }
    });
    joinUnknowns();
}

/// Along the surface a grip is as stiff one way as the other, so its row needs no directions.
void ContactPotential::updateSlips(const std::vector<std::size_t>& grips, const ContactUnknowns& unknowns, Span<const std::int32_t> bodyOf) {
    std::vector<Mat3> stiffness(grips.size());
    parallelFor(grips.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const Vec3& up = grips_[grips[k]].up;
            stiffness[k] = gripStiffness(grips[k]) * (Mat3::Identity() - up * up.transpose());
        }
    });
    if (slipsOf_.known && slipsOf_.grips == grips && slipsOf_.unknowns.sameLayout(unknowns)) return slips_.setStiffness(std::move(stiffness));
    slips_ = {slipRows(grips, unknowns), std::move(stiffness), bodyOf};
    slipsOf_ = {true, grips, unknowns};
}

ContactRows<float> ContactPotential::slipRows(Span<const std::size_t> grips, const ContactUnknowns& unknowns) const {
    const auto forEachEntry = [&](std::size_t grip, auto use) {
        for (auto e = static_cast<std::size_t>(slip_.first[grip]); e < static_cast<std::size_t>(slip_.first[grip + 1]); ++e) {
            const auto body = static_cast<std::size_t>(slipBody_[e]);
            if (unknowns.bodies[body].kind != ContactUnknowns::Kind::kNone) use(e, body);
        }
    };
    ContactRows<float> rows;
    rows.first.assign(grips.size() + 1, 0);
    parallelFor(grips.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) forEachEntry(grips[k], [&](std::size_t, std::size_t) { ++rows.first[k + 1]; });
    });
    for (std::size_t k = 0; k < grips.size(); ++k) rows.first[k + 1] += rows.first[k];
    rows.column.resize(static_cast<std::size_t>(rows.first.back()));
    rows.value.resize(rows.column.size());
    parallelFor(grips.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            auto to = static_cast<std::size_t>(rows.first[k]);
            forEachEntry(grips[k], [&](std::size_t e, std::size_t body) {
                rows.column[to] = unknowns.bodies[body].first + slip_.column[e] - static_cast<std::int32_t>(bodies_.offset[body]);
                rows.value[to++] = static_cast<float>(slip_.value[e]);
            });
        }
    });
    return rows;
}

/// Lists the unknowns of both kinds of terms, with their diagonal blocks.
void ContactPotential::joinUnknowns() {
    stiffUnknowns_.clear();
    stiffPlaces_.clear();
    const std::vector<std::int32_t>&a = pushes_.unknowns(), &b = slips_.unknowns();
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        const bool first = j == b.size() || (i < a.size() && a[i] <= b[j]), second = i == a.size() || (j < b.size() && b[j] <= a[i]);
        stiffUnknowns_.push_back(first ? a[i] : b[j]);
        stiffPlaces_.push_back({first ? static_cast<std::int32_t>(i++) : -1, second ? static_cast<std::int32_t>(j++) : -1});
    }
    diagonal_.resize(stiffUnknowns_.size());
    parallelFor(diagonal_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) diagonal_[k] = pushes_.diagonal(stiffPlaces_[k].inPushes) + slips_.diagonal(stiffPlaces_[k].inSlips);
    });
}

void ContactPotential::addProduct(Span<const Vec3> x, Span<Vec3> y, bool betweenBodies) const {
    std::vector<double> pushed = pushes_.motions(x);
    std::vector<Vec3> pulled = slips_.motions(x);
    pushes_.push(pushed, betweenBodies);
    slips_.push(pulled, betweenBodies);
    parallelFor(stiffUnknowns_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto u = static_cast<std::size_t>(stiffUnknowns_[k]);
            y[u] += pushes_.force(stiffPlaces_[k].inPushes, pushed) + slips_.force(stiffPlaces_[k].inSlips, pulled);
            if (!betweenBodies) y[u] -= diagonal_[k] * x[u];
        }
    });
}

void ContactPotential::addWithin(std::size_t first, std::size_t last, Eigen::Ref<Eigen::MatrixXd> matrix) const {
    pushes_.addWithin(first, last, matrix);
    slips_.addWithin(first, last, matrix);
}

std::vector<std::uint8_t> ContactPotential::markShared(std::size_t count) const {
    std::vector<std::uint8_t> marks(count, 0);
    pushes_.markShared(marks);
    slips_.markShared(marks);
    return marks;
}

}  // namespace sunder
