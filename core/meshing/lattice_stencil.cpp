#include "core/meshing/lattice_stencil.h"

#include <algorithm>
#include <utility>

#include "core/base/assert.h"
#include "core/mesh/tet_mesh.h"

namespace sunder {

namespace {
struct Corner {
    std::int32_t id;
    Vec3 position;
};

bool isLongEdge(int a, int b) { return (a ^ b) == 1; }

/// A face with two corners inside leaves a quadrilateral p0 p1 c1 c0, which both of its tets must cut alike:
/// true for the diagonal p0 c1, false for p1 c0. It starts at the cut on the long edge; where both cut edges
/// are short, parity decides.
bool diagonalFromFirst(const StencilInput& in, int p0, int p1, int m) {
    if (isLongEdge(p0, p1)) return in.parity[p0] == 0;
    return isLongEdge(p1, m);
}

class Cutter {
  public:
    explicit Cutter(const StencilInput& in) : in_(in) {
        for (int k = 0; k < 4; ++k)
            (in.sign[k] > 0 ? plus_ : in.sign[k] < 0 ? minus_ : zero_)[count(in.sign[k])++] = k;
    }

    StencilOutput run() {
        if (plusCount_ == 0) return out_;
        if (minusCount_ == 0)
            add(vertex(0), vertex(1), vertex(2), vertex(3));
        else if (plusCount_ == 1)
            add(vertex(plus_[0]), ending((plus_[0] + 1) % 4), ending((plus_[0] + 2) % 4),
                ending((plus_[0] + 3) % 4));
        else if (plusCount_ == 3)
            cutOneOff();
        else if (minusCount_ == 1)
            cutPyramid();
        else
            cutWedge();
        return out_;
    }

  private:
    int& count(int sign) { return sign > 0 ? plusCount_ : sign < 0 ? minusCount_ : zeroCount_; }
    Corner vertex(int k) const { return {in_.vertex[k], in_.position[k]}; }
    Corner cut(int p, int m) const { return {in_.cut[p][m], in_.cutPosition[p][m]}; }
    /// Where the edge from the only inside corner ends.
    Corner ending(int k) const { return in_.sign[k] == 0 ? vertex(k) : cut(plus_[0], k); }

    void add(const Corner& a, const Corner& b, const Corner& c, const Corner& d) {
        Tet& t = out_.tets[out_.count++];
        t = {a.id, b.id, c.id, d.id};
        if (signedVolume(a.position, b.position, c.position, d.position) < 0) std::swap(t[2], t[3]);
    }
    /// Tets from `apex` to the quadrilateral a b c d cut along a c.
    void addPyramid(const Corner& apex, const Corner& a, const Corner& b, const Corner& c, const Corner& d) {
        add(apex, a, b, c);
        add(apex, a, c, d);
    }

    void cutPyramid() {
        const int p0 = plus_[0], p1 = plus_[1], m = minus_[0];
        const Corner apex = vertex(zero_[0]), c0 = cut(p0, m), c1 = cut(p1, m);
        if (diagonalFromFirst(in_, p0, p1, m))
            addPyramid(apex, vertex(p0), vertex(p1), c1, c0);
        else
            addPyramid(apex, vertex(p1), c1, c0, vertex(p0));
    }

    void cutOneOff() {
        const int m = minus_[0], a = m ^ 1, b = (m & 2) ? 0 : 2, c = b + 1;
        const Corner ca = cut(a, m), cb = cut(b, m), cc = cut(c, m);
        add(vertex(a), vertex(b), vertex(c), ca);
        if (diagonalFromFirst(in_, b, c, m))
            addPyramid(ca, vertex(b), vertex(c), cc, cb);
        else
            addPyramid(ca, vertex(c), cc, cb, vertex(b));
    }

    /// Prism between the triangles p0 c00 c01 and p1 c10 c11.
    void cutWedge() {
        int p0 = plus_[0], p1 = plus_[1], m0 = minus_[0], m1 = minus_[1];
        const bool first = diagonalFromFirst(in_, p0, p1, m0), second = diagonalFromFirst(in_, p0, p1, m1);
        if (first == second) {
            if (!first) std::swap(p0, p1);
            add(vertex(p0), vertex(p1), cut(p1, m0), cut(p1, m1));
            addBetterPyramid(vertex(p0), cut(p0, m0), cut(p1, m0), cut(p1, m1), cut(p0, m1));
            return;
        }
        if (first) std::swap(m0, m1);
        const Corner c00 = cut(p0, m0), c11 = cut(p1, m1);
        add(vertex(p0), c00, cut(p0, m1), c11);
        add(vertex(p1), cut(p1, m0), c11, c00);
        add(vertex(p0), vertex(p1), c00, c11);
    }

    /// The quadrilateral lies on the surface, so either diagonal will do: the one with the larger smallest
    /// angle.
    void addBetterPyramid(const Corner& apex, const Corner& a, const Corner& b, const Corner& c,
                          const Corner& d) {
        const auto angle = [&](const Corner& x, const Corner& y, const Corner& z) {
            return dihedralRange(apex.position, x.position, y.position, z.position).smallest;
        };
        if (std::min(angle(a, b, c), angle(a, c, d)) >= std::min(angle(b, c, d), angle(b, d, a)))
            addPyramid(apex, a, b, c, d);
        else
            addPyramid(apex, b, c, d, a);
    }

    const StencilInput& in_;
    int plus_[4], minus_[4], zero_[4];
    int plusCount_ = 0, minusCount_ = 0, zeroCount_ = 0;
    StencilOutput out_;
};
}  // namespace

StencilOutput cutTet(const StencilInput& input) { return Cutter(input).run(); }

}  // namespace sunder
