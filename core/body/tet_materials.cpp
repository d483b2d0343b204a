#include "core/body/tet_materials.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

Multiplier::Multiplier(const Body& body, const char* name)
    : body_(body), onTets_(body.attributes.tets.find(name)), onVertices_(body.attributes.vertices.find(name)), name_(name) {
    for (const Attribute* a : {onTets_, onVertices_})
        if (a && a->isString()) throw Error(format("attribute '%s' of body '%s' is a string", name, body.name.c_str()), "make it a number");
}

double Multiplier::operator()(std::size_t tet) const {
    double value = 1;
    if (onTets_) value *= onTets_->number(tet);
    if (onVertices_) {
        double sum = 0;
        for (const std::int32_t v : body_.mesh.tets[tet]) sum += onVertices_->number(static_cast<std::size_t>(v));
        value *= sum / 4;
    }
    if (!(value >= 0) || !std::isfinite(value))
        throw Error(format("attribute '%s' of body '%s' makes %g of tet %zu", name_, body_.name.c_str(), value, tet), "paint values of zero or more");
    return value;
}

PaintedTurn::PaintedTurn(const Body& body)
    : body_(body), onTets_(body.attributes.tets.find("orient") != nullptr), painted_((onTets_ ? body.attributes.tets : body.attributes.vertices).find("orient")) {
    if (painted_ && (painted_->isString() || painted_->tupleSize != 4))
        throw Error(format("the attribute 'orient' of body '%s' is no quaternion", body.name.c_str()), "make it four numbers x, y, z, w, or rename it");
}

Vec4 PaintedTurn::read(std::size_t element) const {
    Vec4 q;
    for (int c = 0; c < 4; ++c) q[c] = painted_->number(element, c);
    if (!q.allFinite())
        throw Error(format("the attribute 'orient' of body '%s' has a value that is not a number", body_.name.c_str()), "paint unit quaternions, or zeros for no turn");
    return q;
}

Vec4 PaintedTurn::operator()(std::size_t tet) const {
    Vec4 sum = Vec4::Zero();
    if (onTets_) {
        sum = read(tet);
    } else {
        for (const std::int32_t v : body_.mesh.tets[tet]) {
            const Vec4 q = read(static_cast<std::size_t>(v)).normalized();
            sum += q.dot(sum) < 0 ? Vec4(-q) : q;  // q and -q are the same turn
        }
    }
    return sum.norm() > 0 ? Vec4(sum.normalized()) : Vec4(Vec4::UnitW());
}

TetMaterials::TetMaterials(const Body& body) : body_(body), stiffness_(body, "stiffness"), density_(body, "massdensity"), damping_(body, "dampingratio"), yield_(body, "yieldscale") {}

TetMaterial TetMaterials::operator()(std::size_t tet) const {
    const Material& m = body_.materials[static_cast<std::size_t>(body_.tetMaterial[tet])];
    const LawParams p = lawParams(m);
    const double s = stiffness_(tet), d = damping_(tet), rho = m.density * density_(tet) * body_.massScaleOf(tet);
    if (!(s > 0) || !(rho > 0))
        throw Error(format("tet %zu of body '%s' has no stiffness or no mass", tet, body_.name.c_str()), "paint 'stiffness' and 'massdensity' above zero");
    return {m.law, {s * p.lambda, s * p.mu, d * p.phi, d * p.psi}, rho, plasticParams(m.plasticity, s * p.mu, yield_(tet))};
}

namespace {
/// What weak surfaces leave of the toughness at the weakest corner.
double smallestWeakScale(const Body& body, std::size_t tet) {
    double scale = 1;
    for (const std::int32_t v : body.mesh.tets[tet]) scale = std::min(scale, body.lead.weakAt(static_cast<std::size_t>(v)).scale);
    return scale;
}
}  // namespace

double computeTetStrength(const Body& body, std::size_t tet) {
    const Fracture& f = body.materials[static_cast<std::size_t>(body.tetMaterial[tet])].fracture;
    if (!f.enabled) return HUGE_VAL;
    const double edge = std::cbrt(6 * restVolume(body.mesh, tet)), scale = body.toughnessOf(tet) * smallestWeakScale(body, tet);
    if (f.kind == ToughnessKind::kByForce) return scale * f.force / (edge * edge);
    if (f.kind == ToughnessKind::kByStress) return scale * f.stress;
    const LawParams& p = body.tetMaterials[tet].params;
    return scale * std::min(f.stress, crackTipStrength(planeModulus(p.lambda, p.mu), f.energy, edge));
}

VertexValues computeVertexValues(const Body& body, Span<const TetMaterial> materials, Span<const std::int32_t> tetsAround) {
    VertexValues values;
    double youngsVolume = 0;
    for (const std::int32_t tet : tetsAround) {
        const auto t = static_cast<std::size_t>(tet);
        const TetMaterial& m = materials[t];
        const LawParams& p = m.params;
        const double youngs = p.mu * (3 * p.lambda + 2 * p.mu) / (p.lambda + p.mu), whole = restVolume(body.mesh, t), share = whole / 4;
        values.mass += m.density * whole / 4;
        values.massDamping += body.materials[static_cast<std::size_t>(body.tetMaterial[t])].massDamping * m.density * whole / 4;
        values.volume += share;
        youngsVolume += share * youngs;
    }
    values.youngs = youngsVolume / values.volume;
    return values;
}

std::vector<double> computeVertexSizes(const TetMesh& mesh) {
    std::vector<double> sizes(mesh.vertexCount(), 0);
    for (std::size_t t = 0; t < mesh.tetCount(); ++t)
        for (const std::int32_t v : mesh.tets[t]) sizes[static_cast<std::size_t>(v)] += restVolume(mesh, t) / 4;
    for (double& size : sizes) size = std::cbrt(size);
    return sizes;
}

}  // namespace sunder
