#include "tests/contact/broad_scene.h"

#include <algorithm>

#include "core/base/random.h"

namespace sunder::broad_test {

namespace {
Vec3 drawVec(std::uint64_t seed, std::uint64_t id) {
    return {randomRange(-1, 1, seed, id, 0), randomRange(-1, 1, seed, id, 1),
            randomRange(-1, 1, seed, id, 2)};
}

void addLoose(SceneBody& body, int corners, double size, std::uint64_t seed) {
    const auto first = static_cast<std::int32_t>(body.x.size());
    const Vec3 at = drawVec(seed, first);
    ElementCorners element = kNoElement;
    for (int k = 0; k < corners; ++k) {
        element[k] = first + k;
        body.x.push_back(at + size * drawVec(seed, 1000 + first + k));
    }
    body.elements.push_back(element);
}

/// A sheet of n x n cells of two triangles, bent into a wave so that its boxes overlap; flat if amplitude is
/// 0.
void addSheet(SceneBody& body, int n, double amplitude) {
    const auto at = [n](int i, int j) { return i * (n + 1) + j; };
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j)
            body.x.push_back(Vec3(2.0 * i / n - 1, 2.0 * j / n - 1, 0) +
                             amplitude *
                                 Vec3(std::sin(5.0 * j), 0.3 * std::cos(3.0 * i), std::sin(2.0 * i + j)));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            body.elements.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1), -1});
            body.elements.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1), -1});
        }
}

bool sharesCorner(const ElementCorners& a, const ElementCorners& b) {
    for (const std::int32_t v : a)
        if (v >= 0 && std::find(b.begin(), b.end(), v) != b.end()) return true;
    return false;
}

Aabb tightBox(const SceneBody& body, std::size_t e) {
    Aabb box;
    for (const std::int32_t v : body.elements[e]) {
        if (v < 0) continue;
        box.extend(body.x[v]);
        if (body.swept) box.extend(body.xEnd[v]);
    }
    const Vec3 t = Vec3::Constant(body.settings.thickness);
    return {box.lower - t, box.upper + t};
}

bool listed(const SceneBody& a, const SceneBody& b, std::size_t i, std::size_t j) {
    if (a.elements[i][0] < 0 || b.elements[j][0] < 0) return false;
    if (&a != &b) return true;
    if (i >= j) return false;
    if (a.settings.skipNeighbors && sharesCorner(a.elements[i], a.elements[j])) return false;
    return a.settings.self == SelfContact::kAll || a.pieces[i] != a.pieces[j];
}

bool bodiesMeet(const SceneBody& a, const SceneBody& b) {
    if (&a == &b) return a.settings.self != SelfContact::kNone;
    return (a.settings.mask & b.settings.group) && (b.settings.mask & a.settings.group);
}

std::vector<std::array<std::int32_t, 4>> flat(const PairList& list) {
    std::vector<std::array<std::int32_t, 4>> pairs;
    for (const BodyPairRange& range : list.ranges)
        for (const ElementPair& p : list.of(range)) pairs.push_back({range.bodyA, range.bodyB, p.i, p.j});
    return pairs;
}

std::string text(const std::array<std::int32_t, 4>& p) {
    return "bodies " + std::to_string(p[0]) + " " + std::to_string(p[1]) + ", elements " +
           std::to_string(p[2]) + " " + std::to_string(p[3]);
}
}  // namespace

std::vector<BodyMotion> BroadScene::motion() const {
    std::vector<BodyMotion> motion(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        motion[b] = {bodies[b].x, {}, bodies[b].v, bodies[b].still};
        if (bodies[b].swept) motion[b].end = bodies[b].xEnd;
    }
    return motion;
}

void BroadScene::addTo(BroadPhase& broad) const {
    for (const SceneBody& body : bodies) broad.addBody(body.settings, body.elements, body.pieces);
}

SceneBody makeBody(Layout layout, int size, std::uint64_t seed) {
    SceneBody body;
    switch (layout) {
        case Layout::kMesh:
            addSheet(body, std::max(1, static_cast<int>(std::sqrt(size / 2.0))), 0.3);
            break;
        case Layout::kFlat:
            addSheet(body, std::max(1, static_cast<int>(std::sqrt(size / 2.0))), 0.0);
            break;
        case Layout::kCoincident:
            for (int e = 0; e < size / 4; ++e) addLoose(body, 3, 0.2, seed);
            for (std::size_t v = 0; v < body.x.size(); ++v) body.x[v] = body.x[v % 3];
            break;
        case Layout::kPoints:
            for (int e = 0; e < size; ++e) addLoose(body, 1 + e % 3, e % 5 ? 0.0 : 0.3, seed);
            for (std::size_t v = 0; v < body.x.size(); ++v) body.x[v][2] = std::round(4 * body.x[v][2]) / 4;
            break;
        case Layout::kTets:
            for (int e = 0; e < size; ++e) addLoose(body, 4, 0.15, seed);
            break;
        default:
            for (int e = 0; e < size; ++e) addLoose(body, 3, 0.2, seed);
    }
    body.v.assign(body.x.size(), Vec3::Zero());
    body.xEnd = body.x;
    body.pieces.resize(body.elements.size());
    for (std::size_t e = 0; e < body.pieces.size(); ++e) body.pieces[e] = body.x[body.elements[e][0]][0] > 0;
    return body;
}

BroadScene makeScene(std::uint64_t seed) {
    BroadScene scene;
    const int count = 1 + static_cast<int>(randomBits(seed, 1) % 6);
    const double scales[] = {1, 1, 1e-6, 1e6, 1e-25, 1e9};
    const double scale = scales[randomBits(seed, 2) % 6], away = seed % 3 == 0 ? 1e4 : 0;
    for (int b = 0; b < count; ++b) {
        const std::uint64_t key = 100 * seed + b;
        const auto layout = static_cast<Layout>(randomBits(key, 3) % static_cast<int>(Layout::kLayoutCount));
        SceneBody body = makeBody(layout, 4 + static_cast<int>(randomBits(key, 4) % 80), key);
        const Vec3 shift = 0.8 * drawVec(key, 5) + Vec3::Constant(away);
        for (Vec3& p : body.x) p = scale * (p + shift);
        body.xEnd = body.x;
        body.swept = randomBits(key, 6) % 2;
        body.settings.self = static_cast<SelfContact>(randomBits(key, 7) % 3);
        body.settings.skipNeighbors = randomBits(key, 8) % 4 != 0;
        body.settings.thickness = randomBits(key, 9) % 2 ? 0.02 * scale : 0.0;
        body.settings.group = 1u << (randomBits(key, 10) % 3);
        body.settings.mask = seed % 2 ? ~0u : static_cast<std::uint32_t>(randomBits(key, 11) % 8);
        for (Vec3& v : body.v) v = Vec3::Constant(scale);  // the unit of speed; moveScene draws the rest
        scene.bodies.push_back(body);
    }
    return scene;
}

void moveScene(BroadScene& scene, std::uint64_t seed, int step) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        SceneBody& body = scene.bodies[b];
        const std::uint64_t key = 1000 * seed + 10 * b;
        body.still = randomBits(key, 1, step) % 4 == 0;
        if (body.still) continue;
        const double unit = body.v.empty() ? 1.0 : std::max(1e-30, body.v[0].cwiseAbs().maxCoeff());
        const bool turns = step % 3 == 0;
        for (std::size_t k = 0; k < body.x.size(); ++k) {
            if (turns) {
                const double tiny = randomBits(key + 1, step) % 2 ? 0.02 : 1.0;
                body.v[k] = unit * (0.7 * drawVec(key + 2, step) + 0.3 * tiny * drawVec(key + 3 + step, k));
            }
            body.x[k] = body.swept ? body.xEnd[k] : Vec3(body.x[k] + 0.004 * body.v[k]);
            // What velocities promise is not what happens.
            body.xEnd[k] = body.x[k] + 0.004 * (body.v[k] + 0.2 * unit * drawVec(key + 4 + step, k));
        }
        if (turns) body.v[0] = unit * Vec3(1, 0, 0);  // keeps the unit
    }
}

void editScene(BroadScene& scene, BroadPhase& broad, std::uint64_t seed, int step) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        SceneBody& body = scene.bodies[b];
        std::vector<ElementChange> changes;
        const auto vertex = [&](int k) {
            return static_cast<std::int32_t>(randomBits(seed, 50 * step + k, b) % body.x.size());
        };
        const int kind = static_cast<int>(randomBits(seed, step, 900 + b) % 4);
        for (int k = 0; k < 1 + 3 * (kind == 3); ++k) {
            const auto e =
                static_cast<std::int32_t>(randomBits(seed, 20 * step + k, 500 + b) % body.elements.size());
            const std::int32_t v = vertex(3 * k);
            ElementChange change{
                kind == 1 ? static_cast<std::int32_t>(body.elements.size()) : e,
                {v, (v + 1) % static_cast<std::int32_t>(body.x.size()), vertex(3 * k + 1), -1},
                k % 3};
            if (kind == 0) change.corners = kNoElement;
            if (kind == 2) {  // a vertex of its own, as a crack makes it
                change.corners = body.elements[e][0] < 0 ? change.corners : body.elements[e];
                const std::int32_t from = change.corners[0];
                change.corners[0] = static_cast<std::int32_t>(body.x.size());
                for (auto* list : {&body.x, &body.xEnd, &body.v}) list->push_back(Vec3((*list)[from]));
            }
            if (change.element == static_cast<std::int32_t>(body.elements.size())) {
                body.elements.emplace_back();
                body.pieces.push_back(0);
            }
            body.elements[change.element] = change.corners;
            body.pieces[change.element] = change.piece;
            changes.push_back(change);
        }
        broad.changeElements(static_cast<std::int32_t>(b), changes);
    }
}

PairList bruteForcePairs(const BroadScene& scene) {
    PairList list;
    std::vector<std::vector<Aabb>> boxes(scene.bodies.size());
    std::vector<Aabb> bounds(scene.bodies.size());
    for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        for (std::size_t e = 0; e < scene.bodies[b].elements.size(); ++e) {
            boxes[b].push_back(tightBox(scene.bodies[b], e));
            bounds[b].extend(boxes[b].back());
        }
    for (std::size_t a = 0; a < scene.bodies.size(); ++a)
        for (std::size_t b = a; b < scene.bodies.size(); ++b) {
            const SceneBody &p = scene.bodies[a], &q = scene.bodies[b];
            if (!bounds[a].overlaps(bounds[b]) || !bodiesMeet(p, q)) continue;
            const std::size_t first = list.pairs.size();
            for (std::size_t i = 0; i < p.elements.size(); ++i)
                for (std::size_t j = 0; j < q.elements.size(); ++j)
                    if (boxes[a][i].overlaps(boxes[b][j]) && listed(p, q, i, j))
                        list.pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
            if (list.pairs.size() > first)
                list.ranges.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), first,
                                       list.pairs.size() - first});
        }
    return list;
}

std::string difference(const PairList& found, const PairList& expected) {
    const auto f = flat(found), e = flat(expected);
    if (f == e) return {};
    const auto [x, y] = std::mismatch(f.begin(), f.end(), e.begin(), e.end());
    return std::to_string(f.size()) + " pairs for " + std::to_string(e.size()) + "; found " +
           (x == f.end() ? "no more" : text(*x)) + ", expected " + (y == e.end() ? "no more" : text(*y));
}

std::string missing(const PairList& part, const PairList& whole) {
    const auto w = flat(whole);
    if (!std::is_sorted(w.begin(), w.end())) return "the whole is not in canonical order";
    for (const auto& p : flat(part))
        if (!std::binary_search(w.begin(), w.end(), p)) return text(p);
    return {};
}

}  // namespace sunder::broad_test
