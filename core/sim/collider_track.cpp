#include "core/sim/collider_track.h"

#include <algorithm>
#include <cmath>

#include "core/sim/snapshot_transfer.h"

namespace sunder {

namespace {
using KeyPointer = std::shared_ptr<const Collider::Key>;

bool sameSurface(const ColliderSurface& a, const ColliderSurface& b) { return a.positions == b.positions && a.triangles == b.triangles; }

const ColliderTrack* findTrack(const std::vector<ColliderTrack>& tracks, const std::string& name) {
    const auto place = std::find_if(tracks.begin(), tracks.end(), [&](const ColliderTrack& t) { return t.name == name; });
    return place == tracks.end() ? nullptr : &*place;
}

/// One that is there already, if it is the same.
KeyPointer shared(const Collider::Key& key, const KeyPointer& there, bool timeCounts) {
    const bool same = there && (!timeCounts || there->time == key.time) && sameSurface(there->surface, key.surface);
    return same ? there : std::make_shared<const Collider::Key>(key);
}

/// The number of the first key with the topology of the last one.
std::size_t firstOfTopology(const std::vector<Collider::Key>& keys) {
    std::size_t f = keys.size() - 1;
    while (f > 0 && topologyMatches(keys[f - 1].surface, keys[f].surface)) --f;
    return f;
}

ColliderTrack trackOf(const Collider& c, double time, const ColliderTrack* old) {
    const std::size_t f = firstOfTopology(c.keys);
    ColliderTrack track;
    track.name = c.name;
    track.first = shared(c.keys[f], old ? old->first : nullptr, true);
    track.last = sameSurface(c.keys.back().surface, track.first->surface) ? track.first : shared(c.keys.back(), old ? old->last : nullptr, false);
    const bool isNew = f > 0 && c.keys[f].time >= time;
    if (isNew) track.before = shared(c.keys[f - 1], old ? old->last : nullptr, true);
    track.earlier = c.earlier + static_cast<std::int32_t>(c.stretches.size()) - (isNew ? 2 : 1);
    return track;
}
}  // namespace

void followTrack(const ColliderShow& show, Collider& input) {
    Collider::Key now = std::move(input.keys.at(0));
    now.time = show.to;
    input.keys.clear();
    const auto add = [&](const Collider::Key& key, double time) {
        input.keys.push_back({time, {key.surface.positions, key.surface.triangles, now.surface.thickness, now.surface.twoSided}});
    };
    const ColliderTrack* track = findTrack(show.tracks, input.name);
    if (track) {
        if (track->before) add(*track->before, track->before->time);
        add(*track->first, track->first->time);
        input.earlier = track->earlier;
        input.knownKeys = input.keys.size();
        if (track->first == track->last && sameSurface(track->first->surface, now.surface)) return;  // it has never moved
        if (show.from > track->first->time) add(*track->last, show.from);
        input.knownKeys = input.keys.size();
    }
    input.keys.push_back(std::move(now));
}

std::vector<ColliderTrack> trackColliders(const std::vector<std::shared_ptr<const Collider>>& colliders, double time, const std::vector<ColliderTrack>& before) {
    std::vector<ColliderTrack> tracks;
    for (const auto& c : colliders) tracks.push_back(trackOf(*c, time, findTrack(before, c->name)));
    return tracks;
}

namespace {
template <class Io, class T>
void transferKey(Io& io, T& key) {
    io(key.time);
    io.array(key.surface.positions);
    io.array(key.surface.triangles);
}

void checkKey(const Collider::Key& key) {
    requireSound(std::isfinite(key.time), "a surface has a time that is not a number");
    for (const Tri& t : key.surface.triangles)
        for (const std::int32_t v : t) requireSound(v >= 0 && static_cast<std::size_t>(v) < key.surface.positions.size(), "a surface refers to a point that does not exist");
}

KeyPointer readKey(ByteReader& io) {
    Collider::Key key;
    transferKey(io, key);
    checkKey(key);
    return std::make_shared<const Collider::Key>(std::move(key));
}
}  // namespace

std::vector<std::uint8_t> saveTracks(const std::vector<ColliderTrack>& tracks) {
    ByteWriter io;
    io(std::uint64_t{tracks.size()});
    for (const ColliderTrack& t : tracks) {
        io(t.name);
        io(t.earlier);
        transferKey(io, *t.first);
        for (const KeyPointer* key : {&t.last, &t.before}) {
            const bool own = *key && *key != t.first;
            transferBool(io, own);
            if (own) transferKey(io, **key);
        }
    }
    return io.take();
}

std::vector<ColliderTrack> loadTracks(Span<const std::uint8_t> bytes) {
    ByteReader io(bytes);
    std::vector<ColliderTrack> tracks(io.count(38));
    for (ColliderTrack& t : tracks) {
        io(t.name);
        io(t.earlier);
        requireSound(t.earlier >= 0, "a collider has had less than no topologies");
        t.first = t.last = readKey(io);
        for (KeyPointer* key : {&t.last, &t.before}) {
            bool own = false;
            transferBool(io, own);
            if (own) *key = readKey(io);
        }
        requireSound(topologyMatches(t.first->surface, t.last->surface), "a collider has two topologies at a time");
    }
    requireSound(io.left() == 0, "there are bytes behind its end");
    return tracks;
}

std::size_t memoryOf(const std::vector<ColliderTrack>& tracks) {
    std::size_t sum = 0;
    for (const ColliderTrack& t : tracks)
        for (const KeyPointer* key : {&t.first, &t.last, &t.before})
            if (*key) sum += ((*key)->surface.positions.size() * sizeof(Vec3) + (*key)->surface.triangles.size() * sizeof(Tri)) / static_cast<std::size_t>(std::max(1L, key->use_count()));
    return sum;
}

}  // namespace sunder
