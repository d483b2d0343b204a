#include "core/contact/grown_boxes.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace sunder {

namespace {
constexpr std::size_t kGrain = 4096;

Aabb endlessBox() {
    const double far = std::numeric_limits<double>::infinity();
    return {Vec3::Constant(-far), Vec3::Constant(far)};
}

bool isUsable(const Vec3& p) { return p.cwiseAbs().maxCoeff() <= kLargestPosition && !p.hasNaN(); }

bool canUseVertex(const BodyMotion& motion, std::int32_t v) {
    return isUsable(motion.start[v]) && (motion.end.empty() || isUsable(motion.end[v])) &&
           (motion.velocity.empty() || isUsable(motion.velocity[v]));
}

bool holds(const Aabb& box, const BodyMotion& motion, std::int32_t v) {
    return box.contains(motion.start[v]) && (motion.end.empty() || box.contains(motion.end[v]));
}
}  // namespace

void GrownBoxes::reset(Span<const ElementCorners> elements, Span<const std::int32_t> pieces,
                       double thickness) {
    SUNDER_ASSERT(pieces.empty() || pieces.size() == elements.size());
    *this = {};
    thickness_ = thickness;
    std::vector<ElementChange> all(elements.size());
    for (std::size_t e = 0; e < elements.size(); ++e)
        all[e] = {static_cast<std::int32_t>(e), elements[e], pieces.empty() ? 0 : pieces[e]};
    change(all);
}

void GrownBoxes::change(Span<const ElementChange> changes) {
    for (const ElementChange& c : changes) {
        const auto count = static_cast<std::int32_t>(corners_.size());
        SUNDER_ASSERT(c.element >= 0 && c.element <= count);
        if (c.element == count) {
            corners_.push_back(kNoElement);
            pieces_.push_back(0);
            boxes_.emplace_back();
            dirtyFlag_.push_back(0);
        } else {
            use(c.element, -1);
        }
        place(c.element, c.corners);
        pieces_[c.element] = c.piece;
        use(c.element, 1);
        markChanged(c.element);
    }
}

/// A triangle names its last corner twice, which saves every later loop a question.
void GrownBoxes::place(std::int32_t e, const ElementCorners& corners) {
    corners_[e] = corners;
    for (int k = 1; k < 4; ++k)
        if (corners_[e][k] < 0) corners_[e][k] = corners_[e][k - 1];
}

void GrownBoxes::use(std::int32_t e, int sign) {
    for (const std::int32_t v : corners_[e]) {
        if (v < 0) continue;
        if (v >= static_cast<std::int32_t>(useCount_.size())) {
            useCount_.resize(v + 1, 0);
            vertexBoxes_.resize(v + 1, endlessBox());
        }
        if (useCount_[v] == 0 && sign > 0) vertexBoxes_[v] = Aabb{};
        useCount_[v] += sign;
        if (useCount_[v] == 0) vertexBoxes_[v] = endlessBox();
    }
}

void GrownBoxes::markChanged(std::int32_t e) {
    if (!dirtyFlag_[e]) changed_.push_back(e);
    dirtyFlag_[e] = 1;
}

void GrownBoxes::setThickness(double thickness) {
    if (thickness == thickness_) return;
    thickness_ = thickness;
    for (std::size_t e = 0; e < size(); ++e) markChanged(static_cast<std::int32_t>(e));
}

std::size_t GrownBoxes::findStale(const BodyMotion& motion) {
    const std::size_t count = useCount_.size(), blocks = (count + kGrain - 1) / kGrain;
    SUNDER_ASSERT(motion.start.size() >= count);
    staleFlag_.resize(count);
    blockStale_.assign(blocks, 0);
    blockBad_.assign(blocks, -1);
    parallelFor(count, kGrain, [&](std::size_t first, std::size_t last) {
        std::size_t stale = 0;
        for (std::size_t k = first; k < last; ++k) {
            const auto v = static_cast<std::int32_t>(k);
            staleFlag_[k] = !holds(vertexBoxes_[k], motion, v) && useCount_[k] > 0;
            if (!staleFlag_[k]) continue;
            ++stale;
            if (blockBad_[first / kGrain] < 0 && !canUseVertex(motion, v)) blockBad_[first / kGrain] = v;
        }
        blockStale_[first / kGrain] = stale;
    });
    staleCount_ = 0;
    badVertex_ = -1;
    for (std::size_t b = 0; b < blocks; ++b) {
        staleCount_ += blockStale_[b];
        if (badVertex_ < 0) badVertex_ = blockBad_[b];
    }
    return staleCount_;
}

void GrownBoxes::regrow(const BodyMotion& motion, const GrowthSettings& settings) {
    if (staleCount_ == 0 && changed_.empty()) return;
    if (size_ < 0 || 2 * staleCount_ > useCount_.size()) measure(motion);
    parallelFor(useCount_.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v)
            if (staleFlag_[v]) growVertex(static_cast<std::int32_t>(v), motion, settings);
    });
    parallelFor(size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto e = static_cast<std::int32_t>(k);
            if (!dirtyFlag_[k] && !isStale(e)) continue;
            dirtyFlag_[k] = 1;
            boxes_[k] = Aabb{};
            if (!isAlive(e)) continue;
            for (const std::int32_t v : corners_[k]) boxes_[k].extend(vertexBoxes_[v]);
            boxes_[k] = boxes_[k].inflated(thickness_);
        }
    });
    collectDirty();
}

void GrownBoxes::measure(const BodyMotion& motion) {
    std::size_t alive = 0;
    for (const ElementCorners& c : corners_) alive += c[0] >= 0;
    const double sum = parallelReduce(size(), kGrain, 0.0, [&](std::size_t first, std::size_t last) {
        double part = 0;
        for (std::size_t e = first; e < last; ++e) {
            if (corners_[e][0] < 0) continue;
            Aabb box;
            for (const std::int32_t v : corners_[e]) box.extend(motion.start[v]);
            part += box.diagonal();
        }
        return part;
    });
    size_ = alive > 0 ? sum / static_cast<double>(alive) : -1;
}

void GrownBoxes::growVertex(std::int32_t v, const BodyMotion& motion, const GrowthSettings& settings) {
    Aabb box;
    box.extend(motion.start[v]);
    const Vec3 now = motion.end.empty() ? motion.start[v] : motion.end[v];
    box.extend(now);
    if (!motion.velocity.empty()) {
        Vec3 way = settings.interval * motion.velocity[v];
        const double length = way.norm(), most = settings.mostGrowth * size_;
        if (length > most) way *= most / length;
        box.extend(Vec3(now + way));
    }
    vertexBoxes_[v] = box.inflated(std::min(settings.padding * size_, settings.mostPadding));
}

bool GrownBoxes::isStale(std::int32_t e) const {
    if (!isAlive(e)) return false;
    for (const std::int32_t v : corners_[e])
        if (staleFlag_[v]) return true;
    return false;
}

void GrownBoxes::collectDirty() {
    dirty_.clear();
    for (std::size_t e = 0; e < size(); ++e)
        if (dirtyFlag_[e]) dirty_.push_back(static_cast<std::int32_t>(e));
}

void GrownBoxes::settle() {
    for (const std::int32_t e : dirty_) dirtyFlag_[e] = 0;
    dirty_.clear();
    changed_.clear();
    staleCount_ = 0;
}

}  // namespace sunder
