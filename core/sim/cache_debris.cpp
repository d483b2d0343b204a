#include "core/sim/cache_debris.h"

#include <Eigen/Geometry>
#include <cmath>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/base/text.h"

namespace sunder {

namespace {
struct Cloud {
    std::vector<Vec3> x;
    std::vector<float> v, normal, age;
    std::vector<std::string> name;
};

void append(std::vector<float>& to, const Vec3& value) {
    for (int c = 0; c < 3; ++c) to.push_back(static_cast<float>(value[c]));
}

class Scatter {
  public:
    Scatter(const CrackHistory& cracks, const DebrisOptions& options)
        : cracks_(cracks), options_(options), v_(pointVectors(cracks.frame().geometry, "v")), name_(cracks.frame().geometry.primitives.find("name")) {}

    Cloud run() {
        for (std::size_t t = 0; t < cracks_.frame().tets.size(); ++t)
            for (int f = 0; f < 4; ++f)
                if (cracks_.isNew(t, f)) cover(t, f);
        return std::move(cloud_);
    }

  private:
    void cover(std::size_t tet, int face) {
        const CacheFrame& frame = cracks_.frame();
        Vec3 x[3], v[3];
        for (int k = 0; k < 3; ++k) {
            const auto point = static_cast<std::size_t>(frame.tets[tet][static_cast<std::size_t>(kTetFaces[face][k])]);
            x[k] = frame.geometry.positions[point];
            v[k] = v_[point];
        }
        const Vec3 area = 0.5 * (x[1] - x[0]).cross(x[2] - x[0]);
        if (!(area.norm() > 0)) return;
        const Vec3 normal = area.normalized();
        // the same numbers for a face whatever else breaks
        const auto key = static_cast<std::uint64_t>(4 * frame.tetId[tet] + face);
        std::uint64_t draw = 0;
        const auto random = [&] { return randomUnit(options_.seed, key, draw++); };
        // rounded up or down at random, so that small faces give their share as well
        const auto count = static_cast<std::size_t>(std::floor(area.norm() * options_.density + random()));
        for (std::size_t k = 0; k < count; ++k) {
            const double root = std::sqrt(random()), along = random();
            const double w[3] = {1 - root, root * (1 - along), root * along};
            cloud_.x.push_back(w[0] * x[0] + w[1] * x[1] + w[2] * x[2]);
            append(cloud_.v, w[0] * v[0] + w[1] * v[1] + w[2] * v[2] + options_.speed * random() * normal);
            append(cloud_.normal, normal);
            cloud_.age.push_back(static_cast<float>(cracks_.interval() * random()));
            cloud_.name.push_back(name_ && name_->isString() ? (*name_->as<std::string>())[tet] : std::string());
        }
    }

    const CrackHistory& cracks_;
    const DebrisOptions& options_;
    std::vector<Vec3> v_;
    const Attribute* name_;
    Cloud cloud_;
};
}  // namespace

DebrisSource::DebrisSource(const DebrisOptions& options) : options_(options) {
    const auto check = [](const char* what, double value) {
        if (!std::isfinite(value) || value < 0) throw Error(format("the %s of debris is %g", what, value), "give zero or more");
    };
    check("density", options.density);
    check("speed", options.speed);
}

Geometry DebrisSource::emit(const CrackHistory& cracks) {
    Cloud cloud = Scatter(cracks, options_).run();
    Geometry g;
    g.detail = cracks.frame().geometry.detail;
    g.positions = std::move(cloud.x);
    const std::size_t count = g.pointCount();
    g.points.add<float>("v", count, 3, AttributeMeaning::kVector) = std::move(cloud.v);
    g.points.add<float>("N", count, 3, AttributeMeaning::kNormal) = std::move(cloud.normal);
    g.points.add<float>("age", count) = std::move(cloud.age);
    g.points.add<float>("area", count).assign(count, static_cast<float>(1 / options_.density));
    g.points.add<std::string>("name", count) = std::move(cloud.name);
    for (std::int64_t& id : g.points.add<std::int64_t>("id", count)) id = next_++;
    return g;
}

}  // namespace sunder
