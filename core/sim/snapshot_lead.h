#pragma once

#include <algorithm>

#include "core/body/glue.h"
#include "core/body/weak_surface.h"
#include "core/sim/snapshot_transfer.h"

/// Weak surfaces and glue as bytes.
namespace sunder {

template <class Io, class T>
void transferFrame(Io& io, T& surface) {
    for (Eigen::Index k = 0; k < 9; ++k) io(surface.turn.data()[k]);
    io(surface.shift);
    for (auto* value : {&surface.strength, &surface.width, &surface.follow}) io(*value);
    io(surface.seed);
}

// The fields of every shape of a weak surface.
template <class Io>
struct ShapeTransfer {
    Io& io;
    template <class T, class S>
    static constexpr bool is = std::is_same_v<std::remove_const_t<T>, S>;

    template <class T>
    void operator()(T& s) const {
        if constexpr (is<T, MeshGuide>) {
            io.array(s.points);
            io.array(s.triangles);
            io.array(s.segments);
        } else if constexpr (is<T, PlaneGuide>) {
            io(s.point);
            io(s.normal);
        } else if constexpr (is<T, SphereGuide>) {
            io(s.center);
            io(s.radius);
        } else if constexpr (is<T, CurveGuide>) {
            io.array(s.points);
            transferBool(io, s.closed);
            io(s.sweep);
        } else if constexpr (is<T, GrainPattern>) {
            io(s.axis);
            for (auto* value : {&s.size, &s.length, &s.jitter}) io(*value);
        } else if constexpr (is<T, BrickPattern>) {
            io(s.size);
            io(s.mortar);
        } else if constexpr (is<T, RadialPattern>) {
            io(s.center);
            io(s.axis);
            io(s.rays);
            for (auto* value : {&s.ring, &s.growth, &s.radius, &s.jitter}) io(*value);
        } else {
            io(s.size);
            io(s.jitter);
        }
    }
};

template <std::size_t K = 0>
void chooseShape(WeakShape& shape, std::uint8_t kind) {
    if constexpr (K < std::variant_size_v<WeakShape>) {
        if (kind == K) {
            shape.emplace<K>();
            return;
        }
        chooseShape<K + 1>(shape, kind);
    } else {
        requireSound(false, "a guide has a shape that does not exist");
    }
}

inline void checkShape(const WeakShape& shape) {
    const auto* mesh = std::get_if<MeshGuide>(&shape);
    if (!mesh) return;
    const auto inside = [&](std::int32_t v) { return v >= 0 && static_cast<std::size_t>(v) < mesh->points.size(); };
    for (const Tri& t : mesh->triangles) requireSound(std::all_of(t.begin(), t.end(), inside), "a guide refers to a point that does not exist");
    for (const auto& s : mesh->segments) requireSound(std::all_of(s.begin(), s.end(), inside), "a guide refers to a point that does not exist");
}

template <class Io, class T>
void transferWeakSurface(Io& io, T& surface) {
    io(surface.name);
    if constexpr (isReader<Io>)
        chooseShape(surface.shape, io.template get<std::uint8_t>());
    else
        io(static_cast<std::uint8_t>(surface.shape.index()));
    std::visit(ShapeTransfer<Io>{io}, surface.shape);
    if constexpr (isReader<Io>) checkShape(surface.shape);
    transferFrame(io, surface);
}

template <class Io, class T>
void transferBond(Io& io, T& bond) {
    for (auto* value : {&bond.body, &bond.vertex, &bond.other, &bond.tet}) io(*value);
    for (auto& corner : bond.corners) io(corner);
    for (Eigen::Index k = 0; k < 4; ++k) io(bond.weight.data()[k]);
    io(bond.place);
    for (auto* value : {&bond.area, &bond.stiffness, &bond.strength}) io(*value);
    transferBool(io, bond.broken);
}

}  // namespace sunder
