#include "core/body/crack_lead.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/body/body.h"

namespace sunder {

namespace {
constexpr double kNever = 1e300;
constexpr std::size_t kGrain = 256;

[[noreturn]] void complain(const Body& body, const char* attribute, const char* what, const char* remedy) {
    throw Error(format("the attribute '%s' of body '%s' %s", attribute, body.name.c_str(), what), remedy);
}

/// A painted number; null if there is none.
const Attribute* findNumber(const Body& body, const AttributeSet& set, const char* name) {
    const Attribute* a = set.find(name);
    if (a && (a->isString() || a->tupleSize != 1)) complain(body, name, "is not one number an element", "make it a single number");
    return a;
}

std::vector<std::int32_t> readParts(const Body& body) {
    constexpr const char* kName = "fracturepart";
    for (const AttributeSet* set : {&body.attributes.vertices, &body.attributes.detail})
        if (set->find(kName))
            complain(body, kName, set == &body.attributes.vertices ? "is on points, where it would not say which tets hold together" : "is on the whole body, and would make one piece of it",
                     "make it an integer on primitives (attribute promote, from points with the mode)");
    const Attribute* a = findNumber(body, body.attributes.tets, kName);
    if (!a) return {};
    if (a->isFloat()) complain(body, kName, "is a float", "make it an integer: numbers of parts are compared, not measured");
    std::vector<std::int32_t> part;
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t) part.push_back(static_cast<std::int32_t>(a->number(t)));
    return part;
}

/// Of the tets that cracks have made each is of the part of its parent, whatever their attribute says.
template <class T>
void copyFromParents(std::vector<T>& values, Span<const std::int32_t> parents) {
    if (values.empty()) return;
    const std::size_t first = values.size() - parents.size();
    for (std::size_t k = 0; k < parents.size(); ++k) values[first + k] = values[static_cast<std::size_t>(parents[k])];
}

/// When vertices break, s. Zero or less: never.
std::vector<double> readBreakTimes(const Body& body) {
    const Attribute* painted = findNumber(body, body.attributes.vertices, "breaktime");
    std::vector<double> times;
    for (std::size_t v = 0; painted && v < body.mesh.vertexCount(); ++v) {
        const double time = painted->number(v);
        if (std::isnan(time)) complain(body, "breaktime", "has a value that is not a number", "paint times in s, 0 where it shall not break by itself");
        times.push_back(time > 0 ? time : kNever);
    }
    return times;
}

std::vector<std::uint8_t> readInactive(const Body& body, const AttributeSet& set, std::size_t count) {
    const Attribute* a = findNumber(body, set, "active");
    std::vector<std::uint8_t> inactive;
    for (std::size_t k = 0; a && k < count; ++k) inactive.push_back(a->number(k) > 0 ? 0 : 1);
    return inactive;
}

/// A new vertex breaks by itself if both of its parents do, and not before.
void inherit(CrackLead& lead, std::size_t v, const VertexOrigin& o) {
    const auto a = static_cast<std::size_t>(o.a), b = static_cast<std::size_t>(o.b);
    if (!lead.breakTime.empty()) {
        lead.breakTime[v] = std::max(lead.breakTime[a], lead.breakTime[b]);
        lead.split[v] = o.isCopy() ? 1 : 0;
        if (o.isCopy()) lead.split[a] = 1;
    }
    if (!lead.inactive.empty()) lead.inactive[v] = lead.inactive[a] | lead.inactive[b];
}
}  // namespace

void promoteBreakTimes(Body& body) {
    const Attribute* onTets = findNumber(body, body.attributes.tets, "breaktime");
    if (!onTets) return;
    std::vector<double> times(body.mesh.vertexCount(), 0.0);
    if (const Attribute* painted = findNumber(body, body.attributes.vertices, "breaktime"))
        for (std::size_t v = 0; v < times.size(); ++v) times[v] = painted->number(v);
    for (std::size_t t = 0; t < body.mesh.tetCount(); ++t)
        for (const std::int32_t v : body.mesh.tets[t]) {
            double& time = times[static_cast<std::size_t>(v)];
            const double own = onTets->number(t);
            if (own > 0 && (!(time > 0) || own < time)) time = own;
        }
    body.attributes.vertices.add<double>("breaktime", times.size()) = times;
    body.attributes.tets.erase("breaktime");
}

bool CrackLead::mayBreak(std::size_t vertex, Span<const std::int32_t> tetsAround) const {
    if (!inactive.empty() && inactive[vertex]) return false;
    bool inside = !part.empty();
    for (const std::int32_t tet : tetsAround) {
        const auto t = static_cast<std::size_t>(tet);
        if (!inactiveTet.empty() && inactiveTet[t]) return false;
        inside = inside && part[t] >= 0 && part[t] == part[static_cast<std::size_t>(tetsAround[0])];
    }
    return !inside;
}

void CrackLead::extendVertices(const TetMesh& mesh, const TopologyEdit& edit) {
    const std::size_t count = mesh.vertexCount();
    const auto originOf = [&](std::size_t v) -> const VertexOrigin& { return edit.newVertices[v - edit.vertexCount]; };
    for (std::size_t v = weak.size(); field && v < count; ++v) {
        const VertexOrigin& o = originOf(v);
        const double a = cell[static_cast<std::size_t>(o.a)], b = cell[static_cast<std::size_t>(o.b)];
        cell.push_back(o.isCopy() ? a : (1 - o.weight) * a + o.weight * b);
        weak.push_back(field->at(mesh.rest[v], cell[v]));
    }
    const std::size_t first = !breakTime.empty() ? breakTime.size() : !inactive.empty() ? inactive.size() : count;
    if (!breakTime.empty()) {
        breakTime.resize(count, kNever);
        split.resize(count, 0);
    }
    if (!inactive.empty()) inactive.resize(count, 0);
    for (std::size_t v = first; v < count; ++v) inherit(*this, v, originOf(v));
}

void CrackLead::extend(const TetMesh& mesh, const TopologyEdit& edit) {
    extendVertices(mesh, edit);
    const auto append = [&](auto& values) {
        for (std::size_t t = values.size(); !values.empty() && t < mesh.tetCount(); ++t) {
            const auto copy = values[static_cast<std::size_t>(edit.newTets[t - edit.tetCount])];
            values.push_back(copy);
        }
    };
    append(part);
    append(inactiveTet);
}

CrackLead buildCrackLead(const Body& body) {
    CrackLead lead;
    const std::size_t vertices = body.mesh.vertexCount();
    if (!body.weakSurfaces.empty()) {
        lead.field = std::make_shared<const WeakField>(body.weakSurfaces);
        lead.cell = body.cellSize;
        lead.weak.resize(vertices);
        parallelFor(vertices, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t v = first; v < last; ++v) lead.weak[v] = lead.field->at(body.mesh.rest[v], lead.cell[v]);
        });
    }
    lead.part = readParts(body);
    copyFromParents(lead.part, body.tetParent);
    lead.inactiveTet = readInactive(body, body.attributes.tets, body.mesh.tetCount());
    copyFromParents(lead.inactiveTet, body.tetParent);
    lead.inactive = readInactive(body, body.attributes.vertices, vertices);
    lead.breakTime = readBreakTimes(body);
    if (!lead.breakTime.empty()) lead.split.assign(vertices, 0);
    for (std::size_t k = 0; k < body.origin.size(); ++k) inherit(lead, vertices - body.origin.size() + k, body.origin[k]);
    return lead;
}

}  // namespace sunder
