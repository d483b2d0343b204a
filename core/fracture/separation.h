#pragma once

#include <array>
#include <vector>

#include "core/body/body.h"

namespace sunder {

/// The stress in one tet, in two parts: what pulls and what pushes.
struct SplitStress {
    Mat3 pull, push;     ///< first Piola-Kirchhoff stress of either, Pa
    double largest = 0;  ///< principal stress of all (Cauchy's), Pa
};

/// Places where nodes may break.
class ActivePlaces {
  public:
    virtual ~ActivePlaces() = default;
    virtual bool contains(const Vec3& x) const = 0;
};

/// When it is asked what breaks: what is to break by then does, whatever the stress, and what is elsewhere does not.
struct BreakScope {
    double time = -1e300;                  ///< s
    const ActivePlaces* active = nullptr;  ///< null: everywhere
};

/// How the forces around a node pull it apart.
struct Separation {
    double ratio = 0;     ///< of what pulls to what the node stands; it breaks above 1
    double excess = 0;    ///< eigenvalue beyond toughness, N
    double toughness = 0; ///< N: what the eigenvalue is held against
    Vec3 normal = Vec3::Zero();  ///< of the plane along which it would break, in the present shape
};

/// Separation of nodes (O'Brien 2000, 4.1). The Cauchy stress of every tet is split by the signs of its eigenvalues, which makes of the force
/// on its corners a pulling part f+ and a pushing one f-; with m(a) = a a^T / |a|,
///   s = 1/2 (-m(sum f+) + sum m(f+) + m(sum f-) - sum m(f-)),
/// in newtons, whose largest eigenvalue is held against the toughness of the material: as it is, or per area A(n) = 1/2 sum vol |grad phi . n| of the
/// present shape. Under uniform tension T along n every m(f+) is vol T |grad phi . n| n n^T, so the eigenvalue is T A(n) on any mesh.
class SeparationFinder {
  public:
    /// `plastic` has the states of all tets, or is empty if none is plastic.
    SeparationFinder(const Body& body, Span<const Vec3> x, Span<const PlasticState> plastic, const TetStars& stars, const BreakScope& scope = {})
        : body_(body), x_(x), plastic_(plastic), stars_(stars), scope_(scope) {}

    /// `residual` is what a crack that ended here in the same step has left over, N.
    Separation at(std::int32_t node, const Mat3& residual) const;
    SplitStress stressOf(std::int32_t tet) const;
    /// For whoever asks for many nodes at the same shape: what the tets around these do is found once, in parallel.
    void prepare(Span<const std::int32_t> nodes);

  private:
    struct Toughness {
        double value = 0;  ///< N or Pa
        bool perArea = false, breaks = true;
    };
    /// What a tet does at its corners.
    struct TetPull {
        std::array<Vec3, 4> pulling, pushing;  ///< forces, N
        std::array<Vec3, 4> area;              ///< vol grad phi in the present shape, m^2
        Mat3 F;                                ///< deformation gradient
        double volume = 0;                     ///< at rest, m^3
        bool flat = true;                      ///< has no volume to do anything with
    };
    TetPull pullOf(std::int32_t tet) const;
    Toughness toughnessOf(std::int32_t node) const;
    bool mayBreak(std::int32_t node) const;
    double tipSize(std::int32_t node) const;

    const Body& body_;
    Span<const Vec3> x_;
    Span<const PlasticState> plastic_;
    const TetStars& stars_;
    BreakScope scope_;
    std::vector<std::int32_t> place_;  ///< of every tet in pulls_, -1 if it is not there; empty if none is
    std::vector<TetPull> pulls_;
};

}  // namespace sunder
