#include "core/sim/constraint_geometry.h"

#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

namespace {
constexpr const char* kTexts[] = {"constraint_type", "constraint_name", "group", "name"};
constexpr const char* kNumbers[] = {"constraint_radius", "pscale",        "active",        "tetpoint",
                                    "strength",          "damping",       "releaseTime",   "releaseForce",
                                    "distance",          "releaseStress", "stiffnessScale"};
const std::vector<std::string> kTypes = {"pin", "target", "glue"};

/// What a number has to be.
enum class Least { kZero, kAboveZero };

void requireClasses(const Geometry& g) {
    const auto check = [&](const char* name, bool isText) {
        for (const AttributeSet* set : {&g.primitives, &g.points, &g.detail})
            if (const Attribute* a = set->find(name); a && (a->isString() != isText || a->tupleSize != 1))
                throw Error(format("the attribute '%s' of the constraint geometry is not one %s", name,
                                   isText ? "string" : "number"),
                            format("make it a %s, or delete it", isText ? "string" : "single number"));
    };
    for (const char* name : kTexts) check(name, true);
    for (const char* name : kNumbers) check(name, false);
}

/// The attributes of one constraint.
class Values {
  public:
    Values(const Geometry& drawn, std::int32_t primitive, std::int32_t point)
        : drawn_(drawn), primitive_(primitive), point_(point) {}

    std::string text(const char* name) const {
        std::string found;
        visit(name, [&](const Attribute& a, std::size_t i) {
            found = (*a.as<std::string>())[i];
            return !found.empty();
        });
        return found;
    }
    /// False if there is no such attribute.
    bool number(const char* name, double& value) const {
        return visit(name, [&](const Attribute& a, std::size_t i) {
            value = a.number(i);
            return true;
        });
    }
    void number(const char* name, double& value, Least least) const {
        if (!number(name, value)) return;
        const bool fits = std::isfinite(value) && (least == Least::kZero ? value >= 0 : value > 0);
        if (!fits)
            throw Error(format("'%s' of %s is %g", name, where().c_str(), value),
                        least == Least::kZero ? "give a value of 0 or more" : "give a value above 0");
    }
    std::string where() const {
        if (primitive_ >= 0) return format("primitive %d of the constraint geometry", primitive_);
        return format("point %d of the constraint geometry", point_);
    }

  private:
    /// Calls use(attribute, element) from the primitive on until it returns true.
    template <class Use>
    bool visit(const char* name, const Use& use) const {
        const auto ask = [&](const AttributeSet& set, std::int32_t element) {
            const Attribute* a = element >= 0 ? set.find(name) : nullptr;
            return a && use(*a, static_cast<std::size_t>(element));
        };
        return ask(drawn_.primitives, primitive_) || ask(drawn_.points, point_) || ask(drawn_.detail, 0);
    }
    const Geometry& drawn_;
    std::int32_t primitive_, point_;
};

/// The place of its type in kTypes.
std::size_t typeOf(const Values& values) {
    const std::string type = values.text("constraint_type");
    if (type.empty()) return 0;
    for (std::size_t k = 0; k < kTypes.size(); ++k)
        if (kTypes[k] == type) return k;
    const std::string nearest = nearestWord(type, kTypes);
    throw Error(format("%s has the constraint_type '%s'", values.where().c_str(), type.c_str()),
                nearest.empty() ? "use pin, target or glue" : format("did you mean '%s'?", nearest.c_str()));
}

ScenePin pinOf(const Values& values) {
    ScenePin pin;
    pin.name = values.text("constraint_name");
    values.number("releaseTime", pin.releaseTime, Least::kAboveZero);
    values.number("releaseForce", pin.releaseForce, Least::kAboveZero);
    values.number("releaseStress", pin.releaseStress, Least::kAboveZero);
    return pin;
}

SceneTarget targetOf(const Values& values) {
    SceneTarget target;
    target.name = values.text("constraint_name");
    values.number("strength", target.strength, Least::kZero);
    values.number("damping", target.damping, Least::kZero);
    values.number("releaseTime", target.releaseTime, Least::kAboveZero);
    values.number("releaseForce", target.releaseForce, Least::kAboveZero);
    return target;
}

SceneGlue glueOf(const Values& values, const Values& first, const Values& second) {
    SceneGlue glue;
    glue.name = values.text("constraint_name");
    if (glue.name.empty()) glue.name = values.where();
    glue.a = first.text("name");
    glue.b = second.text("name");
    if (glue.a.empty() != glue.b.empty())
        throw Error(
            format("of glue, %s, one end has a `name` and the other has none", values.where().c_str()),
            "name what both ends hold, or neither");
    values.number("distance", glue.distance, Least::kAboveZero);
    values.number("strength", glue.strength, Least::kAboveZero);
    values.number("stiffnessScale", glue.stiffnessScale, Least::kAboveZero);
    return glue;
}

class Reader {
  public:
    explicit Reader(const Geometry& drawn) : drawn_(drawn) {}

    std::vector<DrawnConstraint> run() {
        std::vector<std::uint8_t> isUsed(drawn_.pointCount(), 0);
        for (std::size_t p = 0; p < drawn_.primitiveCount(); ++p) {
            const Span<const std::int32_t> points = drawn_.primitivePoints(p);
            for (const std::int32_t i : points) isUsed[static_cast<std::size_t>(i)] = 1;
            if (!points.empty()) addPrimitive(static_cast<std::int32_t>(p), points);
        }
        for (std::size_t i = 0; i < isUsed.size(); ++i)
            if (!isUsed[i]) addLoose(static_cast<std::int32_t>(i));
        return std::move(list_);
    }

  private:
    void addPrimitive(std::int32_t primitive, Span<const std::int32_t> points) {
        const Values values(drawn_, primitive, points[0]);
        const std::size_t type = typeOf(values);
        if (kTypes[type] == "glue") return addGlue(values, points);
        if (!values.text("group").empty()) return addPoint(values, type, points[0]);
        for (const std::int32_t i : points) addPoint(Values(drawn_, primitive, i), type, i);
    }
    void addLoose(std::int32_t point) {
        const Values values(drawn_, -1, point);
        const std::size_t type = typeOf(values);
        if (kTypes[type] == "glue")
            throw Error(format("glue, %s, has one end", values.where().c_str()),
                        "draw a line of two points from one part to the other");
        addPoint(values, type, point);
    }
    void addPoint(const Values& values, std::size_t type, std::int32_t point) {
        if (!seen_.insert({point, type}).second) return;
        DrawnConstraint& c = add(values, point);
        if (kTypes[type] == "pin")
            c.what = pinOf(values);
        else
            c.what = targetOf(values);
        values.number("pscale", c.radius, Least::kZero);
        values.number("constraint_radius", c.radius, Least::kZero);
        c.group = values.text("group");
        double vertex = -1;
        values.number("tetpoint", vertex);
        c.vertex = static_cast<std::int32_t>(vertex);
    }
    void addGlue(const Values& values, Span<const std::int32_t> points) {
        if (points.size() != 2 || points[0] == points[1])
            throw Error(format("glue, %s, has %zu points", values.where().c_str(), points.size()),
                        "draw lines of two points from one part to the other");
        DrawnConstraint& c = add(values, points[0]);
        c.other = points[1];
        values.number("constraint_radius", c.radius, Least::kZero);
        c.what = glueOf(values, Values(drawn_, -1, points[0]), Values(drawn_, -1, points[1]));
    }
    DrawnConstraint& add(const Values& values, std::int32_t point) {
        DrawnConstraint& c = list_.emplace_back();
        c.point = point;
        double active = 1;
        values.number("active", active);
        c.active = active != 0;
        return c;
    }

    const Geometry& drawn_;
    std::vector<DrawnConstraint> list_;
    std::set<std::pair<std::int32_t, std::size_t>> seen_;  ///< points and types
};
}  // namespace

std::vector<DrawnConstraint> readConstraints(const Geometry& drawn) {
    requireClasses(drawn);
    for (std::size_t i = 0; i < drawn.pointCount(); ++i)
        if (!drawn.positions[i].allFinite())
            throw Error(format("point %zu of the constraint geometry has no finite place", i),
                        "look at the node that moves it");
    return Reader(drawn).run();
}

}  // namespace sunder
