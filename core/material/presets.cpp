#include "core/material/presets.h"

#include <cmath>

namespace sunder {

namespace {

struct ThesisRow {
    const char* name;
    double lambda, mu;  // GPa
    double phi, psi;    // kPa s
    double density;     // kg/m3
    double toughness;   // kN
    double residual, k1, k2;
    double friction;    // not of the Thesis
    const char* table;
};

// Ceramic differs between table 6.5 (here) and 6.10: lambda 0.381, mu 0.575, phi 4.79, psi 7.18, density
// 2435, toughness 2.48. Lead has no lambda and no phi.
const ThesisRow kThesisRows[] = {
    {"thesis_glass", 0.419, 0.578, 1.04, 1.44, 2595, 6.01, 0.99, 0, 0, 0.4, "6.2"},
    {"iron", 0.759, 1.474, 18.98, 36.85, 7500, 24.82, 0, 0.002, 0.211, 0.4, "6.3"},
    {"thesis_lead", 0, 0.593, 0, 14.84, 11370, 11.88, 0, 0.001, 0.991, 0.6, "6.4"},
    {"ceramic", 0.320, 0.484, 4.03, 6.05, 2051, 2.09, 0.5, 0, 0, 0.5, "6.5"},
    {"polystyrene", 0.0014, 0.0009, 0.037, 0.025, 46.45, 0.14, 0.99, 0, 0, 0.5, "6.6"},
    {"soft_vinyl", 0.0378, 0.0252, 0.945, 0.630, 1580, 3.35, 0.99, 0.0002, 0.98, 0.5, "6.7"},
    {"hard_vinyl", 0.0378, 0.0252, 0.945, 0.630, 1580, 3.35, 0.99, 0.09, 1.49, 0.5, "6.8"},
    {"thesis_rubber", 0.0335, 0.0224, 2.51, 1.65, 2100, 2.10, 0.99, 0.0102, 0.0252, 0.8, "6.9"},
};

/// Units of a book row: stiffness in GPa, strengths in MPa.
struct BookRow {
    const char* name;
    double youngs;      // GPa
    double poisson;
    double density;     // kg/m3
    double lossFactor;  // of vibrations
    double yield;       // MPa, 0: it does not
    double hardening;   // rise of the yield stress per plastic strain, MPa
    double strength;    // MPa in tension
    double energy;      // J/m2 that a crack takes
    double along;       // strength across the grain over that along it, x; 1: alike in all directions
    double friction;
    ElasticLawId law;
    const char* what;
};

constexpr ElasticLawId kStiff = ElasticLawId::kCorotated, kSoft = ElasticLawId::kNeoHookean;

// What each value was compared with is in preset_sources.cpp. Energies are K_Ic^2 (1 - nu^2) / E where the sources give K_Ic. Strengths are nominal stresses as tables
// have them; bodies break where the true stress reaches them, which for ductile metals is somewhat early. Hardening goes from the yield stress to the true stress
// at the largest load. Friction: clean and dry, tables of the Engineering ToolBox where they have the material, else typical; it varies by half.
const BookRow kBookRows[] = {
    {"glass", 70, 0.22, 2500, 0.001, 0, 0, 45, 7.6, 1, 0.9, kStiff, "soda-lime float glass; the strength is a quantile of 5 percent, new glass bears 30 to 100 MPa"},
    {"tempered_glass", 70, 0.22, 2500, 0.001, 0, 0, 120, 7.6, 1, 0.9, kStiff,
     "thermally toughened soda-lime glass; the stress frozen in it, which makes it crumble, is not part of the preset"},
    {"ice", 9.33, 0.325, 917, 0.01, 0, 0, 1.2, 1.5, 1, 0.05, kStiff, "polycrystalline, -16 C"},
    {"concrete", 31, 0.2, 2400, 0.01, 0, 0, 2.6, 60, 1, 0.6, kStiff, "class C25/30"},
    {"brick", 15, 0.2, 1900, 0.01, 0, 0, 2.5, 90, 1, 0.65, kStiff, "fired clay"},
    {"adobe", 0.2, 0.2, 1700, 0.03, 0, 0, 0.2, 10, 1, 0.65, kStiff, "sun-dried blocks"},
    {"plaster", 4.5, 0.2, 1200, 0.01, 0, 0, 3.3, 4.2, 1, 0.6, kStiff, "set gypsum, dry"},
    {"terracotta", 12, 0.2, 1900, 0.005, 0, 0, 8, 20, 1, 0.6, kStiff, "porous earthenware"},
    {"porcelain", 70, 0.2, 2400, 0.002, 0, 0, 50, 20, 1, 0.5, kStiff, "dense, siliceous"},
    {"oak", 12.3, 0.37, 755, 0.01, 0, 0, 5.5, 250, 0.055, 0.5, kStiff,
     "white oak at 12 percent moisture: modulus along the grain (x), strength across it, 100 MPa along. Its stiffness is alike in all directions, which that of wood is not"},
    {"oak_across", 2, 0.3, 755, 0.02, 0, 0, 5.5, 250, 0.055, 0.5, kStiff, "as oak, with the modulus across the grain, radial: 0.163 of that along"},
    {"pine", 8.9, 0.34, 450, 0.01, 0, 0, 2.9, 63, 0.045, 0.5, kStiff, "ponderosa pine at 12 percent moisture; as oak, 65 MPa along the grain"},
    {"cast_iron", 100, 0.26, 7200, 0.01, 0, 0, 207, 1540, 1, 0.4, kStiff, "grey iron, class 30"},
    {"steel", 210, 0.3, 7850, 0.001, 235, 1100, 360, 85e3, 1, 0.6, kStiff, "structural steel S235; hardening to the strength at 18 percent"},
    {"aluminium", 70, 0.33, 2700, 1e-4, 250, 860, 295, 9.9e3, 1, 1.05, kStiff, "EN AW-6082 T6; hardening to the strength at 8 percent"},
    {"lead", 16.1, 0.44, 11340, 0.05, 6, 37, 14, 5e3, 1, 0.9, kStiff, "pure; hardening to the strength at 50 percent"},
    {"copper", 120, 0.34, 8930, 0.002, 70, 670, 220, 26.5e3, 1, 1.0, kStiff, "annealed; hardening to the strength at 45 percent"},
    {"clay", 0.025, 0.45, 1900, 0.1, 0.075, 0, 0.09, 5, 1, 0.5, kStiff, "wet, between soft and firm; yields at twice its undrained shear strength"},
    {"wax", 0.1, 0.4, 900, 0.05, 0.9, 0, 1, 84, 1, 0.4, kStiff, "paraffin at 20 C; softens fast with warmth"},
    {"rubber", 0.002, 0.49, 950, 0.1, 0, 0, 20, 10e3, 1, 1.0, kSoft, "natural, unfilled; Poisson's ratio lowered from 0.499"},
    {"gelatin", 0.018e-3, 0.49, 1030, 0.1, 0, 0, 0.02, 2.5, 1, 0.3, kSoft, "gel of 10 percent gelatin, at small strain; energy of slow cracks"},
    {"foam", 0.16e-3, 0.3, 33, 0.1, 0, 0, 0.455, 690, 1, 0.7, kSoft, "closed cells of polyethylene"},
    {"cork", 0.032, 0.05, 180, 0.1, 0, 0, 1.5, 275, 1, 0.7, kStiff, "natural"},
    {"bone", 17, 0.3, 1900, 0.02, 0, 0, 51, 940, 0.38, 0.4, kStiff, "cortical: modulus along (x), strength across, 133 MPa along"},
};

/// A loss factor is that of vibrations of this frequency, for damping by stiffness has one that grows with frequency.
constexpr double kLossFrequency = 1000;  // Hz

MaterialPreset thesisPreset(const ThesisRow& row) {
    MaterialPreset preset;
    Material& m = preset.material = materialFromLame(row.name, row.density, row.lambda * 1e9, row.mu * 1e9);
    m.law = ElasticLawId::kGreen;
    m.phi = row.phi * 1e3;
    m.psi = row.psi * 1e3;
    m.fracture.kind = ToughnessKind::kByForce;
    m.fracture.force = row.toughness * 1e3;
    m.fracture.residual = row.residual;
    if (row.k1 > 0) {
        m.plasticity.law = PlasticLawId::kAdditive;
        m.plasticity.yield = row.k1;
        m.plasticity.limit = row.k2;
    }
    preset.friction = row.friction;
    preset.source = std::string("O'Brien, Graphical Modeling and Animation of Fracture, 2000, table ") +
                    row.table + "; moduli are about 1/50 of the real ones";
    return preset;
}

MaterialPreset bookPreset(const BookRow& row) {
    MaterialPreset preset;
    Material& m = preset.material;
    m.name = row.name;
    m.youngs = row.youngs * 1e9;
    m.poisson = row.poisson;
    m.density = row.density;
    m.law = row.law;
    m.stiffnessDamping = row.lossFactor / (2 * M_PI * kLossFrequency);
    if (row.yield > 0) {
        m.plasticity.law = PlasticLawId::kMultiplicative;
        m.plasticity.yieldStress = row.yield * 1e6;
        m.plasticity.hardening = row.hardening * 1e6 / (3 * lawParams(m).mu);
    }
    m.fracture.stress = row.strength * 1e6;
    m.fracture.energy = row.energy;
    m.fracture.weakness = Vec3(row.along, 1, 1);
    preset.friction = row.friction;
    preset.source = row.what;
    preset.values = presetSources(row.name);
    return preset;
}

std::vector<MaterialPreset> makePresets() {
    std::vector<MaterialPreset> presets;
    for (const ThesisRow& row : kThesisRows) presets.push_back(thesisPreset(row));
    for (const BookRow& row : kBookRows) presets.push_back(bookPreset(row));
    return presets;
}

}  // namespace

const std::vector<MaterialPreset>& materialPresets() {
    static const std::vector<MaterialPreset> presets = makePresets();
    return presets;
}

const MaterialPreset& materialPreset(const std::string& name) {
    MaterialTable table;
    for (const MaterialPreset& preset : materialPresets()) table.rows.push_back(preset.material);
    return materialPresets()[table.find(name)];
}

}  // namespace sunder
