#include "core/sim/cache_pieces.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/body/rigid.h"
#include "core/math/decompose.h"
#include "core/sim/cache_departed.h"
#include "core/sim/cache_surface.h"
#include "core/sim/cache_topology.h"

namespace sunder {

namespace {
const std::vector<std::string>& namesOf(const CacheFrame& frame) {
    const Attribute* name = frame.geometry.primitives.find("name");
    if (!name || !name->isString()) throw Error("the tets of the frame have no 'name'", "use frames that 'sunder simulate' has written");
    return *name->as<std::string>();
}

double tetVolume(const CacheFrame& frame, std::size_t t) {
    const auto p = [&](std::size_t c) -> const Vec3& { return frame.rest[static_cast<std::size_t>(frame.tets[t][c])]; };
    return signedVolume(p(0), p(1), p(2), p(3));
}

/// With masses m, places at rest a about their centre and places now b about theirs, the sum of m |b - R a|^2 is least for the rotation R of the
/// polar decomposition of sum m b a^T.
PieceMotion fitPiece(Span<const double> mass, Span<const Vec3> rest, Span<const Vec3> x, Span<const Vec3> v) {
    PieceMotion m;
    const RigidFrame then = rigidFrame(mass, rest), now = rigidFrame(mass, x);
    m.pivot = then.centre;
    m.centre = now.centre;
    Mat3 product = Mat3::Zero();
    for (std::size_t i = 0; i < x.size(); ++i) product += mass[i] * (x[i] - m.centre) * (rest[i] - m.pivot).transpose();
    const Mat3 R = polar3(product).R;
    m.turn = Eigen::Quaterniond(R);
    const RigidField field = rigidPart(now, mass, x, v);
    m.v = field.centre;
    m.w = field.turn;
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double errorSq = (x[i] - m.centre - R * (rest[i] - m.pivot)).squaredNorm();
        sum += mass[i] * errorSq;
        m.largestError = std::max(m.largestError, std::sqrt(errorSq));
    }
    m.error = std::sqrt(sum / now.mass);
    return m;
}

/// For every piece whether the piece of the frame that it is in is all its own.
std::vector<bool> findFree(const CachePieces& pieces, const CacheFrame& frame, const CacheFrame& last) {
    const std::vector<std::int32_t> from = findAncestry(frame, last).tet;
    const std::vector<std::string>& names = namesOf(frame);
    std::map<std::string, std::int32_t> owner;
    std::vector<bool> free(pieces.name.size(), true);
    for (std::size_t t = 0; t < from.size(); ++t) {
        const auto place = owner.emplace(names[static_cast<std::size_t>(from[t])], pieces.ofTet[t]).first;
        if (place->second == pieces.ofTet[t]) continue;
        free[static_cast<std::size_t>(place->second)] = false;
        free[static_cast<std::size_t>(pieces.ofTet[t])] = false;
    }
    return free;
}

void addVectors(Geometry& g, const char* name, AttributeMeaning meaning, const std::vector<PieceMotion>& motions, Vec3 PieceMotion::*member) {
    auto& out = g.points.add<float>(name, motions.size(), 3, meaning);
    for (std::size_t i = 0; i < motions.size(); ++i)
        for (int c = 0; c < 3; ++c) out[3 * i + static_cast<std::size_t>(c)] = static_cast<float>((motions[i].*member)[c]);
}

/// What comes before pivot, turn and P: nothing, as pieces are drawn where they are at rest.
void addRestTransforms(Geometry& g) {
    auto& out = g.points.add<float>("restxform", g.pointCount(), 16, AttributeMeaning::kMatrix);
    for (std::size_t i = 0; i < g.pointCount(); ++i)
        for (std::size_t c = 0; c < 4; ++c) out[16 * i + 5 * c] = 1;
}

/// What would otherwise follow from parameters of the host's object, which would then differ from what was simulated here.
void addFixedValues(Geometry& g) {
    constexpr float kForever = 1e9f;  // s; a piece whose age exceeds its life is deleted
    const std::size_t n = g.pointCount();
    // Bullet would otherwise compute mass and centre of mass from the shape, over ours
    for (const char* name : {"computemass", "computecom", "animated", "deforming", "bullet_add_impact", "bullet_ignore", "bullet_sleeping", "dead"}) g.points.add<std::int32_t>(name, n);
    for (const char* name : {"inheritvelocity", "bullet_want_deactivate"}) g.points.add<std::int32_t>(name, n).assign(n, 1);
    constexpr std::pair<const char*, float> kNumbers[] = {
        {"pscale", 1.f}, {"inertialtensorstiffness", 1.f}, {"bullet_linear_sleep_threshold", 0.8f}, {"bullet_angular_sleep_threshold", 1.f}, {"age", 0.f}, {"life", kForever}};
    for (const auto& [name, value] : kNumbers) g.points.add<float>(name, n).assign(n, value);
    g.points.add<float>("scale", n, 3).assign(3 * n, 1);
}

void addFitErrors(Geometry& g, const std::vector<PieceMotion>& motions) {
    double error = 0, largest = 0;
    auto& rms = g.points.add<float>("fiterror", motions.size());
    for (std::size_t i = 0; i < motions.size(); ++i) {
        rms[i] = static_cast<float>(motions[i].error);
        error = std::max(error, motions[i].error);
    }
    auto& worst = g.points.add<float>("fiterrormax", motions.size());
    for (std::size_t i = 0; i < motions.size(); ++i) {
        worst[i] = static_cast<float>(motions[i].largestError);
        largest = std::max(largest, motions[i].largestError);
    }
    g.detail.add<double>("fiterror", 1)[0] = error;
    g.detail.add<double>("fiterrormax", 1)[0] = largest;
}

void addDeparted(Geometry& g, const CachePieces& pieces, const std::vector<PieceMotion>& motions) {
    if (std::find(pieces.departs.begin(), pieces.departs.end(), 1) == pieces.departs.end()) return;
    Group& group = g.points.addGroup(kDepartedGroup, motions.size());
    for (std::size_t p = 0; p < motions.size(); ++p) group.members[p] = motions[p].departed;
}
}  // namespace

CachePieces collectPieces(const CacheFrame& last) {
    CachePieces out;
    const std::vector<std::string>& names = namesOf(last);
    std::map<std::string, std::int32_t> number;
    std::vector<std::vector<std::int32_t>> points;
    for (std::size_t t = 0; t < last.tets.size(); ++t) {
        const auto [place, isFresh] = number.emplace(names[t], static_cast<std::int32_t>(out.name.size()));
        if (isFresh) {
            out.name.push_back(names[t]);
            out.volume.push_back(0);
            points.emplace_back();
        }
        const auto piece = static_cast<std::size_t>(place->second);
        out.ofTet.push_back(place->second);
        out.volume[piece] += tetVolume(last, t);
        points[piece].insert(points[piece].end(), last.tets[t].begin(), last.tets[t].end());
    }
    out.departs.assign(out.name.size(), 0);
    if (const Group* departed = last.geometry.primitives.findGroup(kDepartedGroup))
        for (std::size_t t = 0; t < last.tets.size(); ++t) out.departs[static_cast<std::size_t>(out.ofTet[t])] |= departed->members[t];
    const Attribute* mass = last.geometry.points.find("mass");
    if (!mass || mass->isString()) throw Error("the points of the last frame have no 'mass'", "use frames that 'sunder simulate' has written");
    std::vector<double> users(last.pointId.size(), 0);  // parts of a model that touch at a point share its mass
    out.points.first.push_back(0);
    for (std::vector<std::int32_t>& list : points) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        for (const std::int32_t i : list) users[static_cast<std::size_t>(i)] += 1;
        out.points.items.insert(out.points.items.end(), list.begin(), list.end());
        out.points.first.push_back(static_cast<std::int32_t>(out.points.items.size()));
    }
    for (std::size_t p = 0; p < points.size(); ++p) {
        std::vector<double>& masses = out.mass.emplace_back();
        std::vector<Vec3>& rest = out.rest.emplace_back();
        for (const std::int32_t i : points[p]) {
            masses.push_back(mass->number(static_cast<std::size_t>(i)) / users[static_cast<std::size_t>(i)]);
            rest.push_back(last.rest[static_cast<std::size_t>(i)]);
            if (!(masses.back() > 0)) throw Error(format("a point of piece '%s' has no mass", out.name[p].c_str()), "use frames that 'sunder simulate' has written");
        }
    }
    return out;
}

std::vector<PieceMotion> fitPieces(const CachePieces& pieces, const CacheFrame& frame, const CacheFrame& last) {
    const Geometry g = onLastTopology(frame, last);
    const std::vector<Vec3> velocities = pointVectors(g, "v");
    const std::vector<bool> free = findFree(pieces, frame, last);
    std::vector<PieceMotion> motions(pieces.name.size());
    parallelFor(motions.size(), 16, [&](std::size_t first, std::size_t end) {
        for (std::size_t p = first; p < end; ++p) {
            std::vector<Vec3> x, v;
            for (const std::int32_t i : pieces.points[p]) {
                x.push_back(g.positions[static_cast<std::size_t>(i)]);
                v.push_back(velocities[static_cast<std::size_t>(i)]);
            }
            motions[p] = fitPiece(pieces.mass[p], pieces.rest[p], x, v);
            motions[p].free = free[p];
        }
    });
    if (const Group* departed = g.primitives.findGroup(kDepartedGroup))
        for (std::size_t t = 0; t < pieces.ofTet.size(); ++t)
            if (departed->members[t]) motions[static_cast<std::size_t>(pieces.ofTet[t])].departed = true;
    return motions;
}

Geometry pieceGeometry(const CachePieces& pieces, const std::vector<PieceMotion>& motions, const CacheFrame& frame) {
    Geometry g;
    g.detail = frame.geometry.detail;
    std::vector<float> orient, mass, density;
    std::vector<std::int32_t> active;
    for (std::size_t p = 0; p < motions.size(); ++p) {
        const PieceMotion& m = motions[p];
        g.positions.push_back(m.centre);
        for (const double q : {m.turn.x(), m.turn.y(), m.turn.z(), m.turn.w()}) orient.push_back(static_cast<float>(q));
        double sum = 0;
        for (const double part : pieces.mass[p]) sum += part;
        mass.push_back(static_cast<float>(sum));
        density.push_back(static_cast<float>(sum / pieces.volume[p]));
        active.push_back(m.free ? 1 : 0);
    }
    g.points.add<std::string>("name", motions.size()) = pieces.name;
    g.points.add<float>("orient", motions.size(), 4, AttributeMeaning::kQuaternion) = std::move(orient);
    addVectors(g, "pivot", AttributeMeaning::kNone, motions, &PieceMotion::pivot);
    addVectors(g, "v", AttributeMeaning::kVector, motions, &PieceMotion::v);
    addVectors(g, "w", AttributeMeaning::kVector, motions, &PieceMotion::w);
    g.points.add<float>("mass", motions.size()) = std::move(mass);
    g.points.add<float>("density", motions.size()) = std::move(density);
    g.points.add<std::int32_t>("active", motions.size()) = std::move(active);
    addRestTransforms(g);
    addFixedValues(g);
    addFitErrors(g, motions);
    addDeparted(g, pieces, motions);
    return g;
}

Geometry restPieces(const CacheFrame& last) {
    Geometry g = makeSurface(last).geometry;
    g.positions = pointVectors(g, "restP");
    return g;
}

std::vector<Geometry> splitPieces(const Geometry& rest, const CachePieces& pieces) {
    std::map<std::string, std::size_t> number;
    for (std::size_t p = 0; p < pieces.name.size(); ++p) number[pieces.name[p]] = p;
    struct Part {
        std::map<std::int32_t, std::int32_t> numberOf;  ///< of a point of the whole, here
        std::vector<std::int32_t> points, vertices, primitives;
    };
    std::vector<Part> parts(pieces.name.size());
    std::vector<Geometry> out(pieces.name.size());
    const std::vector<std::string>& names = *rest.primitives.find("name")->as<std::string>();
    for (std::size_t i = 0; i < rest.primitiveCount(); ++i) {
        const std::size_t piece = number.at(names[i]);
        Part& part = parts[piece];
        std::vector<std::int32_t> corners;
        for (const std::int32_t point : rest.primitivePoints(i)) {
            const auto [place, isFresh] = part.numberOf.emplace(point, static_cast<std::int32_t>(part.points.size()));
            if (isFresh) part.points.push_back(point);
            corners.push_back(place->second);
        }
        for (std::int32_t v = rest.primitiveFirstVertex[i]; v < rest.primitiveFirstVertex[i + 1]; ++v) part.vertices.push_back(v);
        part.primitives.push_back(static_cast<std::int32_t>(i));
        out[piece].addPrimitive(rest.primitiveKind[i], corners);
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (const std::int32_t point : parts[p].points) out[p].positions.push_back(rest.positions[static_cast<std::size_t>(point)]);
        out[p].points = gatherAttributes(rest.points, parts[p].points);
        out[p].vertices = gatherAttributes(rest.vertices, parts[p].vertices);
        out[p].primitives = gatherAttributes(rest.primitives, parts[p].primitives);
    }
    return out;
}

}  // namespace sunder
