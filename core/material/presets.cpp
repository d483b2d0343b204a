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
    const char* source;
};

constexpr ElasticLawId kStiff = ElasticLawId::kCorotated, kSoft = ElasticLawId::kNeoHookean;

// Loss factors, and fracture energies as K_Ic^2 / E where no other source is named: Ashby, Materials Selection in Mechanical Design, property
// charts and tables, middle of the range. Friction: clean and dry, Marks' Standard Handbook for Mechanical Engineers or typical; it varies by half.
const BookRow kBookRows[] = {
    {"glass", 70, 0.22, 2500, 0.001, 0, 0, 45, 8, 1, 0.9, kStiff,
     "soda-lime float glass, EN 572-1 for modulus, density and bending strength (a quantile of 5 percent; new glass bears 30 to 100 MPa); K_Ic 0.75 MPa sqrt(m)"},
    {"tempered_glass", 70, 0.22, 2500, 0.001, 0, 0, 120, 8, 1, 0.9, kStiff,
     "thermally toughened soda-lime glass, EN 12150-1 for its strength; the stress frozen in it, which makes it crumble, is not part of the preset"},
    {"ice", 9.33, 0.325, 917, 0.01, 0, 0, 1.2, 1.5, 1, 0.05, kStiff,
     "polycrystalline, -16 C, Gammon, Kiefte and Clouter 1983; strength 0.7 to 3.1 MPa and K_Ic 0.05 to 0.15 MPa sqrt(m), Petrovic 2003"},
    {"concrete", 31, 0.2, 2400, 0.02, 0, 0, 2.6, 137, 1, 0.6, kStiff, "class C25/30, EN 1992-1-1 table 3.1; fracture energy fib Model Code 2010, 73 fcm^0.18"},
    {"brick", 15, 0.2, 1900, 0.01, 0, 0, 2.5, 90, 1, 0.65, kStiff,
     "fired clay; Ashby's tables, low end of the range; strength 1.5 to 3.5 MPa and energy 60 to 130 J/m2, Van der Pluijm 1999"},
    {"adobe", 0.2, 0.2, 1700, 0.03, 0, 0, 0.2, 10, 1, 0.65, kStiff,
     "sun-dried blocks; typical of published tests: 0.1 to 0.5 GPa, 0.1 to 0.4 MPa, 5 to 15 J/m2"},
    {"plaster", 4.5, 0.2, 1150, 0.01, 0, 0, 2.5, 4.4, 1, 0.6, kStiff,
     "set gypsum, dry; typical of published tests: 2 to 6 GPa and 1 to 4 MPa with its porosity, K_Ic 0.14 MPa sqrt(m)"},
    {"terracotta", 12, 0.2, 1900, 0.005, 0, 0, 8, 21, 1, 0.6, kStiff,
     "porous earthenware; typical of data sheets: 5 to 20 GPa, 5 to 15 MPa in bending, K_Ic 0.5 MPa sqrt(m)"},
    {"porcelain", 70, 0.2, 2400, 0.002, 0, 0, 50, 20, 1, 0.5, kStiff,
     "siliceous porcelain, class C 110 of IEC 60672-3: at least 60 GPa and 50 MPa in bending; K_Ic 1.2 MPa sqrt(m)"},
    {"oak", 12.3, 0.37, 760, 0.01, 0, 0, 5.5, 250, 0.055, 0.5, kStiff,
     "white oak at 12 percent moisture, USDA Wood Handbook: modulus along the grain (x), strength across it, 100 MPa along; energy along the "
     "grain 150 to 350 J/m2, typical. Its stiffness is alike in all directions, which that of wood is not"},
    {"oak_across", 2, 0.3, 760, 0.02, 0, 0, 5.5, 250, 0.055, 0.5, kStiff,
     "as oak, with the modulus across the grain: radial, 0.163 of that along, USDA Wood Handbook table 5-1"},
    {"pine", 8.9, 0.34, 450, 0.01, 0, 0, 2.9, 150, 0.045, 0.5, kStiff,
     "ponderosa pine at 12 percent moisture, USDA Wood Handbook; as oak, 65 MPa along the grain, energy 100 to 250 J/m2, typical"},
    {"cast_iron", 100, 0.26, 7200, 0.01, 0, 0, 214, 4000, 1, 0.4, kStiff,
     "grey iron, ASTM A48 class 30; ASM Handbook vol. 1, middle of 90 to 113 GPa; K_Ic 20 MPa sqrt(m)"},
    {"steel", 210, 0.3, 7850, 0.001, 235, 1100, 360, 93e3, 1, 0.6, kStiff,
     "structural steel S235, EN 1993-1-1 table 3.1 and EN 1991-1-1; hardening to the strength at 18 percent; K_Ic 140 MPa sqrt(m)"},
    {"aluminium", 70, 0.3, 2700, 0.001, 250, 860, 295, 12e3, 1, 1.0, kStiff,
     "EN AW-6082 T6, EN 1999-1-1 table 3.2; hardening to the strength at 8 percent; K_Ic 29 MPa sqrt(m)"},
    {"lead", 16.1, 0.44, 11340, 0.05, 6, 47, 14, 6e3, 1, 0.9, kStiff,
     "Kaye and Laby, Tables of Physical and Chemical Constants; yield 5 to 8 and strength 12 to 17 MPa, ASM Handbook vol. 2; K_Ic 10 MPa sqrt(m)"},
    {"copper", 129.8, 0.343, 8960, 0.002, 60, 700, 220, 28e3, 1, 1.0, kStiff,
     "Kaye and Laby, Tables of Physical and Chemical Constants; annealed, ASM Handbook vol. 2: yield 33 to 70 MPa, hardening to the strength at 40 percent; K_Ic 60 MPa sqrt(m)"},
    {"clay", 0.025, 0.45, 1900, 0.1, 0.075, 0, 0.02, 5, 1, 0.5, kStiff,
     "medium stiff, wet; Bowles, Foundation Analysis and Design, 15 to 50 MPa, twice the shear strength of 25 to 50 kPa; tension 10 to 30 kPa and 2 to 10 J/m2, typical"},
    {"wax", 0.1, 0.4, 900, 0.05, 0.9, 0, 1, 100, 1, 0.4, kStiff,
     "paraffin at 20 C; typical of published tests, 0.7 to 1.5 MPa, falls fast with warmth; K_Ic 0.1 MPa sqrt(m), estimated"},
    {"rubber", 0.002, 0.49, 925, 0.1, 0, 0, 20, 10e3, 1, 1.0, kSoft,
     "natural, unfilled; Ashby's tables, middle of the range, but for Poisson's ratio, lowered from 0.499; tearing energy 5 to 20 kJ/m2, Lake and Thomas 1967"},
    {"gelatin", 0.1e-3, 0.49, 1030, 0.1, 0, 0, 0.02, 2.5, 1, 0.3, kSoft,
     "10 percent ballistic gelatin at small strain; typical, 0.05 to 0.15 MPa and 10 to 30 kPa; energy of slow cracks 1 to 5 J/m2, Baumberger 2006"},
    {"foam", 0.002, 0.3, 54, 0.1, 0, 0, 0.15, 300, 1, 0.7, kSoft,
     "flexible polymer foam of low density; Ashby's tables, middle of the range; tear strength 200 to 800 N/m, typical of data sheets"},
    {"cork", 0.032, 0.05, 180, 0.1, 0, 0, 1, 175, 1, 0.7, kStiff,
     "Ashby's tables, middle of the range; Poisson's ratio near zero, Gibson and Ashby, Cellular Solids; K_Ic 0.075 MPa sqrt(m)"},
    {"bone", 17, 0.3, 1900, 0.02, 0, 0, 51, 940, 0.38, 0.4, kStiff,
     "human cortical, Reilly and Burstein 1975: modulus along (x), strength across, 133 MPa along; K_Ic 4 MPa sqrt(m)"},
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
    preset.source = row.source;
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
