#include "core/mesh/tet_links.h"

#include <algorithm>
#include <numeric>

#include "core/mesh/adjacency.h"

namespace sunder {

namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void makeUnique(std::vector<std::int32_t>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Sets of 0, 1, 2 ... that grow together.
class Sets {
  public:
    explicit Sets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
    std::int32_t root(std::int32_t i) {
        while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
        return i;
    }
    void join(std::int32_t a, std::int32_t b) { parent_[at(std::max(root(a), root(b)))] = std::min(root(a), root(b)); }

  private:
    std::vector<std::int32_t> parent_;
};

std::int32_t findBehind(std::int32_t tet, int face, Span<const Tet> tets, const TetStars& stars) {
    const Tet& own = tets[at(tet)];
    const std::vector<std::int32_t>* shortest = nullptr;
    for (const int c : kTetFaces[face])
        if (const auto& around = stars.around(own[at(c)]); !shortest || around.size() < shortest->size()) shortest = &around;
    for (const std::int32_t t : *shortest)
        if (t != tet && sharedFace(own, tets[at(t)]) == face) return t;
    return -1;
}

/// Tets that were touched, and their neighbours of before.
std::vector<std::int32_t> withNeighbors(const std::vector<std::int32_t>& touched, const TetLinks& links) {
    std::vector<std::int32_t> list = touched;
    for (const std::int32_t t : touched)
        for (const std::int32_t n : links.neighbors[at(t)])
            if (n >= 0) list.push_back(n);
    makeUnique(list);
    return list;
}

/// Number of the cluster of every seed: a touched tet is in that of its neighbours of before, and of the tet that it was cut from.
std::vector<std::int32_t> findClusters(const TopologyEdit& edit, const std::vector<std::int32_t>& seeds, const TetLinks& links) {
    Sets sets(seeds.size());
    const auto join = [&](std::size_t k, std::int32_t other) {
        const auto place = std::lower_bound(seeds.begin(), seeds.end(), other);
        if (place != seeds.end() && *place == other) sets.join(static_cast<std::int32_t>(k), static_cast<std::int32_t>(place - seeds.begin()));
    };
    for (std::size_t k = 0; k < seeds.size(); ++k) {
        if (at(seeds[k]) >= edit.tetCount) join(k, edit.newTets[at(seeds[k]) - edit.tetCount]);
        for (const std::int32_t n : links.neighbors[at(seeds[k])])
            if (n >= 0) join(k, n);
    }
    std::vector<std::int32_t> cluster(seeds.size());
    for (std::size_t k = 0; k < seeds.size(); ++k) cluster[k] = sets.root(static_cast<std::int32_t>(k));
    return cluster;
}

/// Finds which of some tets no longer hold together. From each a search spreads, all at the same pace; where two meet they become one, and one that
/// has nowhere left to go has found a piece. It ends when a single one is left, so the largest piece costs no more than the others.
class PieceSearch {
  public:
    PieceSearch(TetLinks& links, std::int32_t firstNew, std::vector<std::int32_t>& renumbered) : links_(links), firstNew_(firstNew), renumbered_(renumbered) {}

    /// Returns a tet of what is left if something came apart, else -1.
    std::int32_t separate(Span<const std::int32_t> seeds) {
        Sets sets(seeds.size());
        std::vector<Wave> waves(seeds.size());
        std::vector<std::int32_t> going(seeds.size());
        std::iota(going.begin(), going.end(), 0);
        for (const std::int32_t k : going) reach(seeds[at(k)], k, waves, sets);
        bool apart = false;
        for (dropMerged(going, sets); going.size() > 1; dropMerged(going, sets))
            for (const std::int32_t k : std::vector<std::int32_t>(going)) {
                if (sets.root(k) != k) continue;
                if (spread(k, waves, sets)) continue;
                apart = true;
                renumber(waves[at(k)].found);
                going.erase(std::find(going.begin(), going.end(), k));
                if (going.size() == 1) break;
            }
        for (const Wave& wave : waves)
            for (const std::int32_t t : wave.found) links_.visitor[at(t)] = -1;
        return apart ? seeds[at(going.front())] : -1;
    }

  private:
    struct Wave {
        std::vector<std::int32_t> found, front;
        std::size_t done = 0;  ///< of the front
    };

    static void dropMerged(std::vector<std::int32_t>& going, Sets& sets) {
        going.erase(std::remove_if(going.begin(), going.end(), [&](std::int32_t k) { return sets.root(k) != k; }), going.end());
    }

    void reach(std::int32_t tet, std::int32_t wave, std::vector<Wave>& waves, Sets& sets) {
        std::int32_t& visitor = links_.visitor[at(tet)];
        if (visitor < 0) {
            visitor = wave;
            waves[at(wave)].found.push_back(tet);
            waves[at(wave)].front.push_back(tet);
        } else if (const std::int32_t other = sets.root(visitor); other != wave) {
            merge(wave, other, waves, sets);
        }
    }

    /// The smaller number gets all.
    static void merge(std::int32_t a, std::int32_t b, std::vector<Wave>& waves, Sets& sets) {
        Wave &to = waves[at(std::min(a, b))], &from = waves[at(std::max(a, b))];
        if (to.found.size() < from.found.size()) std::swap(to, from);
        to.found.insert(to.found.end(), from.found.begin(), from.found.end());
        to.front.insert(to.front.end(), from.front.begin() + static_cast<std::ptrdiff_t>(from.done), from.front.end());
        from = {};
        sets.join(a, b);
    }

    /// One tet further; false if there is none.
    bool spread(std::int32_t k, std::vector<Wave>& waves, Sets& sets) {
        Wave& wave = waves[at(k)];
        if (wave.done == wave.front.size()) return false;
        const std::int32_t tet = wave.front[wave.done++];
        for (const std::int32_t n : links_.neighbors[at(tet)])
            if (n >= 0) reach(n, sets.root(k), waves, sets);
        return true;
    }

    void renumber(const std::vector<std::int32_t>& tets) {
        if (links_.piece[at(tets.front())] >= firstNew_) return;  // known from another place
        for (const std::int32_t t : tets) links_.piece[at(t)] = links_.pieceNumbers;
        ++links_.pieceNumbers;
        renumbered_.insert(renumbered_.end(), tets.begin(), tets.end());
    }

    TetLinks& links_;
    std::int32_t firstNew_;
    std::vector<std::int32_t>& renumbered_;
};

/// `cluster` before, `seeds` after the neighbours were brought up to date.
std::vector<std::int32_t> findPieces(const std::vector<std::int32_t>& seeds, const std::vector<std::int32_t>& cluster, TetLinks& links) {
    std::vector<std::int32_t> renumbered, order(seeds.size());
    const std::int32_t firstNew = links.pieceNumbers;
    PieceSearch search(links, firstNew, renumbered);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return cluster[at(a)] < cluster[at(b)]; });
    std::vector<std::int32_t> left;
    for (std::size_t first = 0; first < order.size();) {
        std::vector<std::int32_t> own;
        const std::int32_t number = cluster[at(order[first])];
        for (; first < order.size() && cluster[at(order[first])] == number; ++first) own.push_back(seeds[at(order[first])]);
        if (const std::int32_t rest = search.separate(own); rest >= 0) left.push_back(rest);
    }
    // what was left in two places may be two pieces that still have one number
    left.erase(std::remove_if(left.begin(), left.end(), [&](std::int32_t t) { return links.piece[at(t)] >= firstNew; }), left.end());
    std::stable_sort(left.begin(), left.end(), [&](std::int32_t a, std::int32_t b) { return links.piece[at(a)] < links.piece[at(b)]; });
    for (std::size_t first = 0; first < left.size();) {
        std::size_t last = first + 1;
        while (last < left.size() && links.piece[at(left[last])] == links.piece[at(left[first])]) ++last;
        search.separate(Span<const std::int32_t>(left).subspan(first, last - first));
        first = last;
    }
    makeUnique(renumbered);
    return renumbered;
}
}  // namespace

TetLinks buildTetLinks(const TetMesh& mesh) {
    TetLinks links;
    links.neighbors = buildTetNeighbors(mesh.tets, mesh.vertexCount());
    links.piece = labelComponents(links.neighbors);
    links.visitor.assign(mesh.tetCount(), -1);
    for (const std::int32_t p : links.piece) links.pieceNumbers = std::max(links.pieceNumbers, p + 1);
    return links;
}

std::vector<std::int32_t> patchTetLinks(const TopologyEdit& edit, Span<const Tet> tets, const TetStars& stars, TetLinks& links) {
    const std::vector<std::int32_t> touched = edit.touchedTets();
    links.neighbors.resize(tets.size(), {-1, -1, -1, -1});
    links.visitor.resize(tets.size(), -1);
    for (const std::int32_t parent : edit.newTets) links.piece.push_back(links.piece[at(parent)]);
    const std::vector<std::int32_t> seeds = withNeighbors(touched, links), cluster = findClusters(edit, seeds, links);
    for (const std::int32_t t : seeds)
        for (int f = 0; f < 4; ++f) links.neighbors[at(t)][at(f)] = findBehind(t, f, tets, stars);
    return findPieces(seeds, cluster, links);
}

EditReach findReach(const TopologyEdit& edit, Span<const Tet> tets, const TetStars& stars) {
    EditReach reach;
    for (const std::int32_t t : edit.touchedTets()) reach.vertices.insert(reach.vertices.end(), tets[at(t)].begin(), tets[at(t)].end());
    for (const VertexOrigin& o : edit.newVertices) reach.vertices.insert(reach.vertices.end(), {o.a, o.b});
    makeUnique(reach.vertices);
    for (const std::int32_t v : reach.vertices) reach.tets.insert(reach.tets.end(), stars.around(v).begin(), stars.around(v).end());
    makeUnique(reach.tets);
    return reach;
}

}  // namespace sunder
