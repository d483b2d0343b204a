#include "core/sim/sleep.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sunder {

namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool lasts(const HardTarget& t) { return !t.motion.moves() && t.releaseTime >= 1e300 && !t.releases(); }

bool maySleep(const Body& body) {
    return body.constraints.soft.empty() && std::all_of(body.constraints.hard.begin(), body.constraints.hard.end(), lasts);
}

Vec3 pullOf(const StepSettings& settings) { return settings.gravity + settings.uniformForce; }

/// Of every vertex the lowest one of its piece. Vertices of one tet are of one piece.
std::vector<std::int32_t> labelPieces(const TetMesh& mesh) {
    std::vector<std::int32_t> label(mesh.vertexCount());
    std::iota(label.begin(), label.end(), 0);
    const auto root = [&](std::int32_t v) {
        while (label[at(v)] != v) v = label[at(v)] = label[at(label[at(v)])];
        return v;
    };
    for (const Tet& tet : mesh.tets) {
        for (const std::int32_t v : tet) {
            const std::int32_t a = root(tet[0]), b = root(v);
            label[at(std::max(a, b))] = std::min(a, b);
        }
    }
    for (std::int32_t& l : label) l = label[at(l)];  // what is lower has been seen to
    return label;
}

const std::vector<std::int32_t>& piecesOf(BodyWork& work) {
    if (work.pieceOfVertex.size() != work.vertexCount()) work.pieceOfVertex = labelPieces(work.body->mesh);
    return work.pieceOfVertex;
}

/// What sleeps and wakes by itself: a piece of a body, or all of one. Colliders, too, as they touch such.
struct Sleeper {
    PieceName name;
    double speedSq = 0;      ///< of the fastest vertex, m2/s2
    PieceSleep sleep;        ///< before the step and, in the end, behind it
    bool stirring = false;   ///< in the step
    bool idle = false;       ///< held in place by targets, or left as debris: it has no need to sleep
    bool tied = false;       ///< to targets that move it or let go of it
    bool grounded = false;
    std::vector<PieceName> touching;  ///< ascending
};

/// Those of a body while something happens to all of them.
class SleepersOfBody {
  public:
    SleepersOfBody(BodyWork& work, std::int32_t number, bool inPieces, bool stirs) : work_(work) {
        const Body& body = *work.body;
        const std::vector<std::int32_t>* label = inPieces ? &piecesOf(work) : nullptr;
        if (label && std::all_of(label->begin(), label->end(), [](std::int32_t l) { return l == 0; })) label = nullptr;
        if (label) {
            of_.resize(label->size());
            for (std::size_t v = 0; v < of_.size(); ++v) {
                const bool first = at((*label)[v]) == v;
                of_[v] = first ? static_cast<std::int32_t>(list_.size()) : of_[at((*label)[v])];
                if (first) list_.emplace_back().name = {number, static_cast<std::int32_t>(v), 0};
                ++list_[at(of_[v])].name.size;
            }
        } else {
            list_.emplace_back().name = {number, 0, static_cast<std::int32_t>(work.vertexCount())};
        }
        for (std::size_t v = 0; v < work.vertexCount(); ++v) of(v).speedSq = std::max(of(v).speedSq, work.state.v[v].squaredNorm());
        findTied(body);
        recall(stirs);
    }

    bool inPieces() const { return !of_.empty(); }
    std::size_t vertexCount() const { return work_.vertexCount(); }
    Sleeper& of(std::size_t vertex) { return list_[of_.empty() ? 0 : at(of_[vertex])]; }
    std::vector<Sleeper>& list() { return list_; }

    void findGrounded() {
        for (std::size_t v = 0; v < work_.vertexCount(); ++v) {
            Sleeper& s = of(v);
            s.grounded = s.grounded || work_.loads->isGrounded(v, work_.state.x[v]);
        }
    }

    /// Into the state; what has fallen asleep stops.
    void keep(const StepSettings& settings) {
        BodyState& s = work_.state;
        const SleepState before = std::move(s.sleep);
        s.sleep = {};
        bool all = true;
        for (const Sleeper& own : list_) {
            all &= own.sleep.asleep || own.idle;
            if (own.sleep.asleep || own.sleep.calm > 0) s.sleep.pieces.push_back(own.sleep);
        }
        if (!s.sleep.anyAsleep()) return;
        s.sleep.asleep = all;
        s.sleep.pull = pullOf(settings);
        if (inPieces()) s.sleep.still.resize(work_.vertexCount(), 0);
        for (std::size_t v = 0; v < work_.vertexCount(); ++v) {
            if (!of(v).sleep.asleep) continue;
            if (inPieces()) s.sleep.still[v] = 1;
            if (before.asleep || before.isStill(v)) continue;
            s.v[v].setZero();
            s.a[v].setZero();
        }
    }

  private:
    void findTied(const Body& body) {
        std::vector<std::int32_t> held(list_.size(), 0);
        std::vector<std::uint8_t> seen;
        const auto tie = [&](const auto& target) {
            for (const std::int32_t v : target.vertices) of(at(v)).tied = true;
        };
        for (const SoftTarget& t : body.constraints.soft) tie(t);
        for (const HardTarget& t : body.constraints.hard) {
            if (!lasts(t)) tie(t);
            seen.resize(work_.vertexCount(), 0);
            for (const std::int32_t v : t.vertices)
                if (!std::exchange(seen[at(v)], std::uint8_t{1})) ++held[of_.empty() ? 0 : at(of_[at(v)])];
        }
        for (std::size_t k = 0; k < list_.size(); ++k) list_[k].idle = held[k] == list_[k].name.size && !list_[k].tied;
        for (std::size_t t = 0; t < body.goneTets.size(); ++t)
            if (body.isGone(t)) of(at(body.mesh.tets[t][0])).idle = true;
    }

    /// What the state says of them. Of what has another size since, nothing.
    void recall(bool stirs) {
        const std::vector<PieceSleep>& pieces = work_.state.sleep.pieces;
        auto known = pieces.begin();
        for (Sleeper& s : list_) {
            while (known != pieces.end() && known->vertex < s.name.vertex) ++known;
            const bool found = known != pieces.end() && known->vertex == s.name.vertex && known->size == s.name.size && !s.idle;
            if (found) s.sleep = *known;
            s.sleep.vertex = s.name.vertex;
            s.sleep.size = s.name.size;
            s.stirring = stirs && !s.sleep.asleep && !s.idle;
        }
    }

    BodyWork& work_;
    std::vector<std::int32_t> of_;  ///< of every vertex, in list_; empty: all are of the only one
    std::vector<Sleeper> list_;     ///< ascending
};

/// Glued bodies sleep as a whole.
std::vector<std::uint8_t> findGlued(const Workspace::Data& data) {
    std::vector<std::uint8_t> glued(data.bodies.size(), 0);
    for (const GlueBond& bond : data.glue)
        if (!bond.broken) glued[at(bond.body)] = glued[at(bond.other)] = 1;
    return glued;
}

bool sleepsInPieces(const BodyWork& work, bool glued) { return !work.body->rigid && !glued; }

/// All that may touch.
class AllSleepers {
  public:
    AllSleepers(Workspace::Data& data, const std::vector<std::uint8_t>& stirring) {
        const std::vector<std::uint8_t> glued = findGlued(data);
        for (std::size_t b = 0; b < data.bodies.size(); ++b)
            bodies_.emplace_back(data.bodies[b], static_cast<std::int32_t>(b), sleepsInPieces(data.bodies[b], glued[b] != 0), stirring[b] != 0);
        colliders_.resize(data.contact.colliderCount());
        for (std::size_t c = 0; c < colliders_.size(); ++c) {
            colliders_[c].name = {-1 - static_cast<std::int32_t>(c), 0, 0};
            colliders_[c].stirring = stirring[bodies_.size() + c] != 0;
            colliders_[c].speedSq = colliders_[c].stirring ? HUGE_VAL : 0;
        }
    }

    std::vector<SleepersOfBody>& bodies() { return bodies_; }

    /// What touches what. What touches a sleeper with more than a speed wakes it.
    void findTouching(const WorldContact& contact, double wakingSpeed) {
        const auto see = [&](Sleeper& s, const Sleeper& other) {
            if (s.touching.empty() || !(s.touching.back() == other.name)) s.touching.push_back(other.name);
            if (s.sleep.asleep && std::sqrt(other.speedSq) > wakingSpeed) wake(s);
        };
        contact.visitTouches([&](const auto& first, const auto& second) {
            Sleeper &a = of(first), &b = of(second);
            if (&a == &b) return;
            see(a, b);
            see(b, a);
        });
        for (SleepersOfBody& body : bodies_)
            for (Sleeper& s : body.list()) {
                std::sort(s.touching.begin(), s.touching.end());
                s.touching.erase(std::unique(s.touching.begin(), s.touching.end()), s.touching.end());
            }
    }

    /// Something that a sleeper lay on, or that leant on it, has broken, or has stirred and touches it no more. Of what has not stirred contact may not even be known.
    bool hasLostTouch(const Sleeper& s) {
        return std::any_of(s.sleep.touched.begin(), s.sleep.touched.end(), [&](const PieceName& t) {
            const Sleeper* other = find(t);
            return !other || (other->stirring && !std::binary_search(s.touching.begin(), s.touching.end(), t));
        });
    }

    static void wake(Sleeper& s) {
        s.sleep.asleep = false;
        s.sleep.calm = 0;
        s.sleep.touched.clear();
    }

  private:
    Sleeper& of(const std::pair<std::int32_t, std::int32_t>& vertex) {
        return at(vertex.first) < bodies_.size() ? bodies_[at(vertex.first)].of(at(vertex.second)) : colliders_[at(vertex.first) - bodies_.size()];
    }
    Sleeper* find(const PieceName& name) {
        if (name.body < 0) return at(-1 - name.body) < colliders_.size() ? &colliders_[at(-1 - name.body)] : nullptr;
        if (at(name.body) >= bodies_.size()) return nullptr;
        SleepersOfBody& body = bodies_[at(name.body)];
        if (at(name.vertex) >= body.vertexCount()) return nullptr;
        Sleeper& s = body.of(at(name.vertex));
        return s.name == name ? &s : nullptr;
    }

    std::vector<SleepersOfBody> bodies_;
    std::vector<Sleeper> colliders_;
};

/// Pieces that a host has given a velocity.
void wakeMoved(BodyWork& work) {
    BodyState& s = work.state;
    const std::vector<std::int32_t>& label = piecesOf(work);
    std::vector<std::uint8_t> moved(work.vertexCount(), 0);
    for (std::size_t v = 0; v < moved.size(); ++v)
        if (s.sleep.still[v] && s.v[v] != Vec3::Zero()) moved[at(label[v])] = 1;
    const auto isMoved = [&](const PieceSleep& p) { return moved[at(p.vertex)] != 0; };
    if (std::none_of(s.sleep.pieces.begin(), s.sleep.pieces.end(), isMoved)) return;
    s.sleep.asleep = false;
    s.sleep.pieces.erase(std::remove_if(s.sleep.pieces.begin(), s.sleep.pieces.end(), isMoved), s.sleep.pieces.end());
    for (std::size_t v = 0; v < moved.size(); ++v)
        if (moved[at(label[v])]) s.sleep.still[v] = 0;
}
}  // namespace

void wakeDisturbed(std::vector<BodyWork>& bodies, const StepSettings& settings) {
    for (BodyWork& work : bodies) {
        BodyState& s = work.state;
        if (!s.sleep.anyAsleep()) continue;
        const bool all = settings.sleepSpeed == 0 || settings.integrator == Integrator::kRkf45 || s.sleep.pull != pullOf(settings) || !work.push.empty();
        if (all || (s.sleep.still.empty() && std::any_of(s.v.begin(), s.v.end(), [](const Vec3& v) { return v != Vec3::Zero(); })))
            s.sleep = {};
        else if (!s.sleep.still.empty())
            wakeMoved(work);
    }
}

void wakeAll(std::vector<BodyWork>& bodies) {
    for (BodyWork& work : bodies) work.state.sleep = {};
}

void wakeBlasted(std::vector<BodyWork>& bodies, double start, double end) {
    for (BodyWork& work : bodies)
        if (work.state.sleep.anyAsleep() && work.loads->shortestPulse(work.state.x, start, end) < 1e300) work.state.sleep = {};
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

void updateSleep(Workspace::Data& data, const std::vector<std::uint8_t>& stirring, const StepSettings& settings, double dt) {
    if (settings.sleepSpeed == 0 || !data.contact.active()) return;
    AllSleepers all(data, stirring);
    all.findTouching(data.contact, 2 * settings.sleepSpeed);
    for (std::size_t b = 0; b < data.bodies.size(); ++b) {
        SleepersOfBody& own = all.bodies()[b];
        if (stirring[b] && settings.ground.enabled) own.findGrounded();
        for (Sleeper& s : own.list()) {
            if (s.sleep.asleep && all.hasLostTouch(s)) AllSleepers::wake(s);
            if (!s.stirring) continue;
            const bool calm = std::sqrt(s.speedSq) < settings.sleepSpeed && !s.tied && data.bodies[b].push.empty() && (!s.touching.empty() || s.grounded);
            s.sleep.calm = calm ? s.sleep.calm + dt : 0;
            if (s.sleep.calm < settings.sleepTime) continue;
            s.sleep.asleep = true;
            s.sleep.touched = s.touching;
        }
        own.keep(settings);
    }
}

}  // namespace sunder
