#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/meshing/chart_mesh.h"
#include "core/sim/scene_shapes.h"

namespace sunder {

namespace {
constexpr double kRandomShift = 0.2;  // of an edge

/// The front of the block in the plane (x, y), as points that stay: outline, cut and hole.
class BlockFront {
  public:
    explicit BlockFront(const NotchedBlockShape& shape) : shape_(shape), edge_(shape.size.x() / shape.cells), half_(0.5 * shape.size.head<2>()) {
        // the left and right sides have a vertex at half height, where the cut starts
        const int across = shape.cells, up = 2 * std::max(1, static_cast<int>(std::lround(shape.size.y() / edge_ / 2)));
        addSide(Vec2(-half_.x(), -half_.y()), Vec2(half_.x(), -half_.y()), across);
        addSide(Vec2(half_.x(), -half_.y()), Vec2(half_.x(), half_.y()), up);
        addSide(Vec2(half_.x(), half_.y()), Vec2(-half_.x(), half_.y()), across);
        addSide(Vec2(-half_.x(), half_.y()), Vec2(-half_.x(), -half_.y()), up);
        const auto perimeter = static_cast<std::int32_t>(points_.fixed.size());
        for (std::int32_t i = 0; i < perimeter; ++i) points_.edges.push_back({i, (i + 1) % perimeter});
        addCut(perimeter - up / 2);
        addHole();
        addFree();
    }

    ChartMesh fill() const {
        const Chart plane{[](const Vec2& p) { return Vec3(p.x(), p.y(), 0); }, [](const Vec3& p) { return Vec2(p.x(), p.y()); }};
        ChartMesh mesh = fillChart(points_, plane);
        dropTriangles(mesh, [&](const Vec2& p) { return (p - holeCentre()).norm() > holeReach_; });
        return mesh;
    }
    const std::vector<std::int32_t>& cut() const { return cut_; }
    bool isHole(std::size_t v) const { return v >= holeFirst_ && v < points_.fixed.size(); }

  private:
    Vec2 holeCentre() const { return {0, shape_.holeHeight - half_.y()}; }

    void addSide(const Vec2& from, const Vec2& to, int count) {
        for (int i = 0; i < count; ++i) {
            Vec2 p = from + (to - from) * i / count;
            if (2 * i == count && from.x() == to.x()) p.y() = 0;
            points_.fixed.push_back(p);
        }
    }
    /// From the vertex `start` of the outline to the right.
    void addCut(std::int32_t start) {
        const int count = std::max(1, static_cast<int>(std::lround(shape_.cut / edge_)));
        cut_.push_back(start);
        for (int i = 1; i <= count; ++i) {
            cut_.push_back(static_cast<std::int32_t>(points_.fixed.size()));
            points_.fixed.emplace_back(-half_.x() + shape_.cut * i / count, 0);
            points_.edges.push_back({cut_[cut_.size() - 2], cut_.back()});
        }
    }
    void addHole() {
        holeFirst_ = points_.fixed.size();
        const int count = std::max(8, static_cast<int>(std::lround(2 * M_PI * shape_.holeRadius / edge_)));
        holeReach_ = shape_.holeRadius * std::cos(M_PI / count);
        points_.addFixedRing(shape_.holeRadius, count, 0);
        for (std::size_t v = holeFirst_; v < points_.fixed.size(); ++v) points_.fixed[v] += holeCentre();
    }
    /// Rows of equilateral triangles, each point moved at random.
    void addFree() {
        const int rows = std::max(2, static_cast<int>(std::lround(shape_.size.y() / (0.866 * edge_))));
        for (int j = 1; j < rows; ++j)
            for (int i = 0; i < shape_.cells; ++i) {
                const std::size_t id = points_.free.size();
                const Vec2 shift(randomRange(-1, 1, shape_.seed, id, 0), randomRange(-1, 1, shape_.seed, id, 1));
                const Vec2 even((i + (j % 2 ? 0.75 : 0.25)) * edge_ - half_.x(), shape_.size.y() * j / rows - half_.y());
                points_.free.push_back(even + kRandomShift * edge_ * shift);
            }
        const auto inHole = [&](const Vec2& p) { return (p - holeCentre()).norm() < shape_.holeRadius + 0.4 * edge_; };
        points_.free.erase(std::remove_if(points_.free.begin(), points_.free.end(), inHole), points_.free.end());
    }

    const NotchedBlockShape& shape_;
    double edge_;
    Vec2 half_;
    ChartPoints points_;
    std::vector<std::int32_t> cut_;  ///< from the left side to its end
    std::size_t holeFirst_ = 0;
    double holeReach_ = 0;
};

/// Gives what lies below the cut its own vertices there, all but the last.
void openCut(ChartMesh& front, const std::vector<std::int32_t>& cut) {
    std::vector<std::int32_t> twin(front.points.size(), -1);
    for (std::size_t k = 0; k + 1 < cut.size(); ++k) {
        const auto v = static_cast<std::size_t>(cut[k]);
        twin[v] = static_cast<std::int32_t>(front.points.size());
        front.points.push_back(Vec2(front.points[v]));
    }
    const auto height = [&](std::int32_t v) { return front.points[static_cast<std::size_t>(v)].y(); };
    for (Tri& t : front.triangles) {
        if (height(t[0]) + height(t[1]) + height(t[2]) >= 0) continue;
        for (std::int32_t& v : t)
            if (twin[static_cast<std::size_t>(v)] >= 0) v = twin[static_cast<std::size_t>(v)];
    }
}
}  // namespace

Solid makeShape(const NotchedBlockShape& shape) {
    const BlockFront front(shape);
    ChartMesh mesh = front.fill();
    const std::size_t uncut = mesh.points.size();
    openCut(mesh, front.cut());
    const std::size_t n = mesh.points.size();
    Solid solid;
    solid.mesh = extrudeTriangles(mesh.triangles, n, shape.layers, [&](std::size_t v, double share) {
        return Vec3(mesh.points[v].x(), mesh.points[v].y(), (share - 0.5) * shape.size.z());
    });
    std::vector<std::uint8_t> onCut(n, 0);
    for (const std::int32_t v : front.cut()) onCut[static_cast<std::size_t>(v)] = 1;
    std::fill(onCut.begin() + static_cast<std::ptrdiff_t>(uncut), onCut.end(), 1);
    const auto addGroup = [&](const char* name, const std::function<bool(std::size_t)>& isMember) {
        Group& group = solid.attributes.vertices.addGroup(name, solid.mesh.vertexCount());
        for (std::size_t v = 0; v < group.members.size(); ++v) group.members[v] = isMember(v % n) ? 1 : 0;
    };
    addGroup("bottom", [&](std::size_t v) { return mesh.points[v].y() == -0.5 * shape.size.y(); });
    addGroup("top", [&](std::size_t v) { return mesh.points[v].y() == 0.5 * shape.size.y(); });
    addGroup("hole", [&](std::size_t v) { return front.isHole(v); });
    addGroup("cut", [&](std::size_t v) { return onCut[v] != 0; });
    return solid;
}

}  // namespace sunder
