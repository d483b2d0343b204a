#include "core/material/presets.h"

namespace sunder {

namespace {

struct ThesisRow {
    const char* name;
    double lambda, mu;  // GPa
    double phi, psi;    // kPa s
    double density;     // kg/m3
    double toughness;   // kN
    double residual, k1, k2;
    const char* table;
};

// Ceramic differs between table 6.5 (here) and 6.10: lambda 0.381, mu 0.575, phi 4.79, psi 7.18, density
// 2435, toughness 2.48. Lead has no lambda and no phi.
const ThesisRow kThesisRows[] = {
    {"thesis_glass", 0.419, 0.578, 1.04, 1.44, 2595, 6.01, 0.99, 0, 0, "6.2"},
    {"iron", 0.759, 1.474, 18.98, 36.85, 7500, 24.82, 0, 0.002, 0.211, "6.3"},
    {"thesis_lead", 0, 0.593, 0, 14.84, 11370, 11.88, 0, 0.001, 0.991, "6.4"},
    {"ceramic", 0.320, 0.484, 4.03, 6.05, 2051, 2.09, 0.5, 0, 0, "6.5"},
    {"polystyrene", 0.0014, 0.0009, 0.037, 0.025, 46.45, 0.14, 0.99, 0, 0, "6.6"},
    {"soft_vinyl", 0.0378, 0.0252, 0.945, 0.630, 1580, 3.35, 0.99, 0.0002, 0.98, "6.7"},
    {"hard_vinyl", 0.0378, 0.0252, 0.945, 0.630, 1580, 3.35, 0.99, 0.09, 1.49, "6.8"},
    {"thesis_rubber", 0.0335, 0.0224, 2.51, 1.65, 2100, 2.10, 0.99, 0.0102, 0.0252, "6.9"},
};

struct BookRow {
    const char* name;
    double youngs;  // Pa
    double poisson;
    double density;  // kg/m3
    ElasticLawId law;
    const char* source;
};

constexpr ElasticLawId kStiff = ElasticLawId::kCorotated, kSoft = ElasticLawId::kNeoHookean;

const BookRow kBookRows[] = {
    {"glass", 70e9, 0.22, 2500, kStiff, "soda-lime float glass, EN 572-1 for modulus and density"},
    {"tempered_glass", 70e9, 0.22, 2500, kStiff,
     "thermally toughened soda-lime glass, EN 12150-1; differs by its strength"},
    {"ice", 9.33e9, 0.325, 917, kStiff, "polycrystalline ice at -16 C, Gammon, Kiefte and Clouter 1983"},
    {"concrete", 31e9, 0.2, 2400, kStiff, "class C25/30, EN 1992-1-1 table 3.1"},
    {"brick", 15e9, 0.2, 1900, kStiff,
     "fired clay; Ashby, Materials Selection in Mechanical Design, property tables, low end of the range"},
    {"adobe", 0.2e9, 0.2, 1700, kStiff,
     "sun-dried blocks; typical of published compression tests, 0.1 to 0.5 GPa"},
    {"plaster", 4.5e9, 0.2, 1150, kStiff, "set gypsum, dry; typical, 2 to 6 GPa with its porosity"},
    {"terracotta", 12e9, 0.2, 1900, kStiff, "porous earthenware; typical, 5 to 20 GPa with its porosity"},
    {"porcelain", 70e9, 0.2, 2400, kStiff,
     "siliceous porcelain; typical of class C 110 of IEC 60672 (60 GPa at least)"},
    {"oak", 12.3e9, 0.37, 760, kStiff,
     "white oak along the grain at 12 percent moisture, USDA Wood Handbook; wood is stiffer "
     "along than across by a factor of about 10, which an isotropic law has not"},
    {"pine", 8.9e9, 0.34, 450, kStiff,
     "ponderosa pine along the grain at 12 percent moisture, USDA Wood Handbook; see oak"},
    {"cast_iron", 100e9, 0.26, 7200, kStiff,
     "grey iron, ASTM class 30, ASM Handbook vol. 1, middle of 90 to 113 GPa"},
    {"steel", 210e9, 0.3, 7850, kStiff, "structural steel, EN 1993-1-1 and EN 1991-1-1"},
    {"aluminium", 70e9, 0.3, 2700, kStiff, "alloys, EN 1999-1-1"},
    {"lead", 16.1e9, 0.44, 11340, kStiff, "Kaye and Laby, Tables of Physical and Chemical Constants"},
    {"copper", 129.8e9, 0.343, 8960, kStiff, "Kaye and Laby, Tables of Physical and Chemical Constants"},
    {"clay", 25e6, 0.45, 1900, kStiff,
     "medium stiff, wet; Bowles, Foundation Analysis and Design, 15 to 50 MPa"},
    {"wax", 0.1e9, 0.4, 900, kStiff,
     "paraffin at 20 C; typical of published compression tests, falls fast with warmth"},
    {"rubber", 2e6, 0.49, 925, kSoft,
     "natural, unfilled; Ashby's property tables, middle of the range, but for Poisson's ratio, lowered from "
     "0.499"},
    {"gelatin", 0.1e6, 0.49, 1030, kSoft,
     "10 percent ballistic gelatin at small strain; typical, 0.05 to 0.15 MPa"},
    {"foam", 2e6, 0.3, 54, kSoft,
     "flexible polymer foam of low density; Ashby's property tables, middle of the range"},
    {"cork", 32e6, 0.05, 180, kStiff,
     "Ashby's property tables, middle of the range; Poisson's ratio near zero, Gibson and Ashby, Cellular "
     "Solids"},
    {"bone", 17e9, 0.3, 1900, kStiff, "human cortical, along; Reilly and Burstein 1975"},
};

MaterialPreset thesisPreset(const ThesisRow& row) {
    MaterialPreset preset;
    preset.material = materialFromLame(row.name, row.density, row.lambda * 1e9, row.mu * 1e9);
    preset.material.law = ElasticLawId::kGreen;
    preset.material.phi = row.phi * 1e3;
    preset.material.psi = row.psi * 1e3;
    preset.toughness = row.toughness * 1e3;
    preset.residualPropagation = row.residual;
    preset.plasticOnset = row.k1;
    preset.plasticLimit = row.k2;
    preset.source = std::string("O'Brien, Graphical Modeling and Animation of Fracture, 2000, table ") +
                    row.table + "; moduli are about 1/50 of the real ones";
    return preset;
}

MaterialPreset bookPreset(const BookRow& row) {
    MaterialPreset preset;
    preset.material.name = row.name;
    preset.material.youngs = row.youngs;
    preset.material.poisson = row.poisson;
    preset.material.density = row.density;
    preset.material.law = row.law;
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
