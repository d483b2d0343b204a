#include "core/material/preset_sources.h"

namespace sunder {

const char* const kTypicalValue = "typical";

bool ValueSource::isTypical() const { return source == kTypicalValue; }

namespace {

struct Row {
    const char *preset, *value;
    double low, high;
    const char* source;
};

constexpr const char* kMifGlass = "MakeItFrom.com, Annealed Soda-Lime Glass";
constexpr const char* kWikiGlass = "Liquisearch, Soda-lime Glass: Typical Compositions and Properties";
constexpr const char* kPoisson = "Scribd 40277165, Poisson's ratio values for different materials";
constexpr const char* kGuardian = "Guardian GlassTime 1.2.2.5 (45 MPa of EN 572-1, 5 percent quantile)";
constexpr const char* kCallb4 = "Callister, Fundamentals of Materials Science and Engineering 3e, table B.4";
constexpr const char* kCallb5 = "Callister, Fundamentals of Materials Science and Engineering 3e, table B.5";
constexpr const char* kMifFloat = "MakeItFrom.com, Soda-Lime (Float) Glass, annealed to tempered";
constexpr const char* kGammon = "Gammon, Kiefte, Clouter and Denner 1983, constants of single crystals at -16 C; mean of all directions (Voigt)";
constexpr const char* kPetrovic = "Petrovic 2003, Mechanical properties of ice and snow, abstract";
constexpr const char* kEc2 = "EN 1992-1-1 table 3.1, C25/30, as on buildinghow.com, Concrete and Steel";
constexpr const char* kGere = "Gere, Mechanics of Materials, as in Engineering Fundamentals 4e, tables 17.1 and 17.2";
constexpr const char* kMst = "Missouri S&T, Example Properties";
constexpr const char* kNptel = "NPTEL, Mechanical properties of important structural materials, table 9.1 (order of magnitude)";
constexpr const char* kIrvine = "Irvine 2004, Damping Properties of Materials, tables 1 and 2";
constexpr const char* kGrantaCork = "Granta Design, Cork (data sheet)";
constexpr const char* kWooddb = "The Wood Database, White Oak";
constexpr const char* kOake = "The Wood Database, White Oak (12.15 GPa); Beer et al., Mechanics of Materials, white oak (1.8e6 psi)";
constexpr const char* kOakalong = "The Wood Database, White Oak (bending, 102.3 MPa); USDA Wood Handbook by engdatabase.com, Oak, red - Laurel (87)";
constexpr const char* kNrs = "Missouri S&T, Example Properties (1 to 3 ksi); MatWeb, Natural Rubber, Vulcanized (28 MPa)";
constexpr const char* kBur = "USDA Wood Handbook by engdatabase.com, Oak, white - Bur and red - Laurel";
constexpr const char* kPonderosa = "USDA Wood Handbook by engdatabase.com, Pine, Ponderosa";
constexpr const char* kLerncoach = "Lerncoach, Strength of plaster";
constexpr const char* kAntdry = "Antdrymix, Properties of Gypsum Pastes and Mortars (tension at most a third of compression)";
constexpr const char* kMatpropPorc = "Material-properties.org, Porcelain";
constexpr const char* kBioPorc = "BiologyInsights, How Strong Is Porcelain (bending)";
constexpr const char* kDental = "PMC5026051 table 1, Vita Mark II feldspar porcelain; MakeItFrom.com, Dense Lime-Based Porcelain (IEC 60672 Type C-430)";
constexpr const char* kDentalk = "PMC5026051 table 1, Vita Mark II feldspar porcelain, literature values";
constexpr const char* kEc3 = "EN 1993-1-1 tables as on eurocodeapplied.com, S235";
constexpr const char* kSteelk = "Callister table B.5, steel 1040 (54); Mechanical Behavior of Materials, table 8.1, A517-F (187)";
constexpr const char* kBs755 = "Luoyuemetal, Aluminium alloy 6082, BS EN 755-2 T6 rod to 20 mm";
constexpr const char* kAero = "Aerospace-aluminum.com, 6082 T6 Aluminum Properties; top-factories.com, 6082";
constexpr const char* kWikik = "Wikimili, Fracture toughness, table Material variation";
constexpr const char* kMatmake = "Matmake, Properties of Lead (Pb)";
constexpr const char* kLead2 = "Material-properties.org, Lead; Princeton MAE 324 glossary, Lead (Callister 1994)";
constexpr const char* kCopper = "Smithells Metals Reference Book, table 22.7; MakeItFrom.com, Annealed (OS050) C10800 Copper";
constexpr const char* kMatwebCu = "MatWeb, Copper, Cu; Annealed";
constexpr const char* kUsace = "USACE EM 1110-1-1904 by geotechnicalinfo.com, medium clay, 200 to 500 tsf";
constexpr const char* kSu = "Poletoparis, typical values of undrained shear strength, soft to firm, twice that";
constexpr const char* kTang = "Tang, Wang, Li and Shi 2014, tensile strength of clayey soil at the onset of cracking, about 90 kPa, abstract";
constexpr const char* kClayd = "Homecivil, Clay (wet); thecivilengineering.com, Clay soil";
constexpr const char* kMwNr = "MatWeb, Natural Rubber, Vulcanized";
constexpr const char* kGel = "Bonavia 2025, arXiv:2512.20502, 277 kPa at 2:1 and 4.34 kPa at 20:1 of water to powder by a power law, at 9:1";
constexpr const char* kLd33 = "Customfoams, Plastazote LD33";
constexpr const char* kRosa = "Deformation and fracture of cork in tension, abstract (94 +- 16, 125 +- 14 kPa sqrt(m)); Granta Design, Cork";
constexpr const char* kAnjos = "Anjos, Pereira and Rosa 2008, compression of cork; Granta Design, Cork";
constexpr const char* kBoned = "Fracture mechanics of bone - the effects of density, specimen thickness and crack velocity, 1.92 to 2.02; Halliday, Resnick and Walker, table 13-1, 1.9 g/cm3";
constexpr const char* kBone = "Encyclopedia.pub 53001, cortical bone: modal value and limits";
constexpr const char* kBoneg = "BioNumbers 108644, Toughness of bone";
constexpr const char* kIron20 = "MakeItFrom.com, grey cast iron ASTM Grade 20 (10) and Grade 35 (15 MPa sqrt(m))";
constexpr const char* kIrone = "MakeItFrom.com, ASTM Grade 20 (66 to 97 GPa); NPTEL table 9.1 (103 GPa)";
constexpr const char* kPip = "Piping-designer.com, Density of Material";
constexpr const char* kTypical = "typical";

// Where a table has one value, the range is that value; where tables differ, it spans them. Ranges of typical values are usual ones, from no table.
// Foam: Young's modulus from 40 kPa at 25 percent of compression. Pine: K_Ic 290 kPa sqrt(m) and the elastic constants of the same page give 63 J/m2 in
// Sih, Paris and Irwin's relation for orthotropic bodies, along the grain.
const Row kRows[] = {
    {"glass", "density", 2400, 2530, kMifGlass},
    {"glass", "youngs", 7e+10, 7.4e+10, kWikiGlass},
    {"glass", "poisson", 0.18, 0.3, kPoisson},
    {"glass", "strength", 4.5e+07, 4.5e+07, kGuardian},
    {"glass", "toughness", 7.45e+05, 7.55e+05, kCallb5},
    {"glass", "loss", 0.0005, 0.004, kTypical},
    {"tempered_glass", "density", 2400, 2530, kMifGlass},
    {"tempered_glass", "youngs", 7e+10, 7.1e+10, kMifFloat},
    {"tempered_glass", "poisson", 0.18, 0.3, kPoisson},
    {"tempered_glass", "strength", 4.1e+07, 1.8e+08, kMifFloat},
    {"tempered_glass", "toughness", 7.45e+05, 7.55e+05, kCallb5},
    {"tempered_glass", "loss", 0.0005, 0.004, kTypical},
    {"ice", "density", 915, 920, kTypical},
    {"ice", "youngs", 9.2e+09, 9.4e+09, kGammon},
    {"ice", "poisson", 0.32, 0.33, kGammon},
    {"ice", "strength", 7e+05, 3.1e+06, kPetrovic},
    {"ice", "toughness", 50000, 1.5e+05, kPetrovic},
    {"ice", "loss", 0.005, 0.05, kTypical},
    {"concrete", "density", 2300, 2400, kGere},
    {"concrete", "youngs", 3.1e+10, 3.1e+10, kEc2},
    {"concrete", "poisson", 0.1, 0.2, kMst},
    {"concrete", "strength", 2.6e+06, 2.6e+06, kEc2},
    {"concrete", "toughness", 2e+05, 1.4e+06, kCallb5},
    {"concrete", "loss", 0.005, 0.05, kNptel},
    {"brick", "density", 1900, 1922, kPip},
    {"brick", "youngs", 5e+09, 2e+10, kTypical},
    {"brick", "poisson", 0.1, 0.25, kTypical},
    {"brick", "strength", 1.5e+06, 3.5e+06, kTypical},
    {"brick", "energy", 60, 130, kTypical},
    {"brick", "loss", 0.005, 0.02, kTypical},
    {"adobe", "density", 1500, 1900, kTypical},
    {"adobe", "youngs", 1e+08, 5e+08, kTypical},
    {"adobe", "poisson", 0.1, 0.3, kTypical},
    {"adobe", "strength", 1e+05, 4e+05, kTypical},
    {"adobe", "energy", 5, 15, kTypical},
    {"adobe", "loss", 0.01, 0.05, kTypical},
    {"plaster", "density", 1200, 1200, kLerncoach},
    {"plaster", "youngs", 2e+09, 6e+09, kTypical},
    {"plaster", "poisson", 0.15, 0.25, kTypical},
    {"plaster", "strength", 0, 3.3e+06, kAntdry},
    {"plaster", "toughness", 1e+05, 2e+05, kTypical},
    {"plaster", "loss", 0.005, 0.02, kTypical},
    {"terracotta", "density", 1700, 2100, kTypical},
    {"terracotta", "youngs", 5e+09, 2e+10, kTypical},
    {"terracotta", "poisson", 0.15, 0.25, kTypical},
    {"terracotta", "strength", 5e+06, 1.5e+07, kTypical},
    {"terracotta", "toughness", 3e+05, 8e+05, kTypical},
    {"terracotta", "loss", 0.003, 0.012, kTypical},
    {"porcelain", "density", 2400, 2400, kMatpropPorc},
    {"porcelain", "youngs", 4.66e+10, 9.1e+10, kDental},
    {"porcelain", "poisson", 0.17, 0.25, kTypical},
    {"porcelain", "strength", 4.3e+07, 1.6e+08, kBioPorc},
    {"porcelain", "toughness", 8e+05, 1.25e+06, kDentalk},
    {"porcelain", "loss", 0.001, 0.004, kTypical},
    {"oak", "density", 755, 755, kWooddb},
    {"oak", "youngs", 1.215e+10, 1.242e+10, kOake},
    {"oak", "poisson", 0.35, 0.37, kBur},
    {"oak", "strength", 4.7e+06, 5.5e+06, kBur},
    {"oak", "along", 8.7e+07, 1.023e+08, kOakalong},
    {"oak", "energy", 150, 350, kTypical},
    {"oak", "loss", 0.006, 0.03, kTypical},
    {"oak_across", "density", 755, 755, kWooddb},
    {"oak_across", "youngs", 1.8711e+09, 2.0212e+09, kBur},
    {"oak_across", "poisson", 0.29, 0.31, kBur},
    {"oak_across", "strength", 4.7e+06, 5.5e+06, kBur},
    {"oak_across", "along", 8.7e+07, 1.023e+08, kOakalong},
    {"oak_across", "energy", 150, 350, kTypical},
    {"oak_across", "loss", 0.01, 0.04, kTypical},
    {"pine", "density", 447, 450, kPonderosa},
    {"pine", "youngs", 8.9e+09, 8.9e+09, kPonderosa},
    {"pine", "poisson", 0.337, 0.4, kPonderosa},
    {"pine", "strength", 2.9e+06, 2.9e+06, kPonderosa},
    {"pine", "along", 6.4e+07, 6.5e+07, kPonderosa},
    {"pine", "energy", 60, 66, kPonderosa},
    {"pine", "loss", 0.006, 0.03, kTypical},
    {"cast_iron", "density", 7000, 7400, kGere},
    {"cast_iron", "youngs", 6.6e+10, 1.03e+11, kIrone},
    {"cast_iron", "poisson", 0.21, 0.26, kPoisson},
    {"cast_iron", "strength", 2.07e+08, 2.07e+08, kCallb4},
    {"cast_iron", "toughness", 1e+07, 1.5e+07, kIron20},
    {"cast_iron", "loss", 0.005, 0.05, kNptel},
    {"steel", "density", 7850, 7850, kEc3},
    {"steel", "youngs", 2.1e+11, 2.1e+11, kEc3},
    {"steel", "poisson", 0.3, 0.3, kEc3},
    {"steel", "yield", 2.35e+08, 2.35e+08, kEc3},
    {"steel", "strength", 3.6e+08, 3.6e+08, kEc3},
    {"steel", "toughness", 5.4e+07, 1.87e+08, kSteelk},
    {"steel", "loss", 0.0005, 0.005, kNptel},
    {"aluminium", "density", 2700, 2700, kAero},
    {"aluminium", "youngs", 6.9e+10, 7e+10, kAero},
    {"aluminium", "poisson", 0.33, 0.33, kAero},
    {"aluminium", "yield", 2.5e+08, 2.5e+08, kBs755},
    {"aluminium", "strength", 2.95e+08, 2.95e+08, kBs755},
    {"aluminium", "toughness", 1.4e+07, 2.8e+07, kWikik},
    {"aluminium", "loss", 3e-06, 0.0001, kIrvine},
    {"lead", "density", 11340, 11350, kMatmake},
    {"lead", "youngs", 1.61e+10, 1.61e+10, kMatmake},
    {"lead", "poisson", 0.44, 0.44, kMatmake},
    {"lead", "yield", 5.5e+06, 1.1e+07, kLead2},
    {"lead", "strength", 1.4e+07, 1.7e+07, kLead2},
    {"lead", "toughness", 5e+06, 1.5e+07, kTypical},
    {"lead", "loss", 0.02, 0.3, kIrvine},
    {"copper", "density", 8930, 8930, kMatwebCu},
    {"copper", "youngs", 1.17e+11, 1.2e+11, kCopper},
    {"copper", "poisson", 0.34, 0.34, kCopper},
    {"copper", "yield", 4.8e+07, 7.5e+07, kCopper},
    {"copper", "strength", 2.16e+08, 2.24e+08, kCopper},
    {"copper", "toughness", 3e+07, 1e+08, kTypical},
    {"copper", "loss", 0.002, 0.002, kIrvine},
    {"clay", "density", 1900, 2080, kClayd},
    {"clay", "youngs", 1.91e+07, 4.79e+07, kUsace},
    {"clay", "poisson", 0.4, 0.5, kPoisson},
    {"clay", "yield", 40000, 1.5e+05, kSu},
    {"clay", "strength", 90000, 90000, kTang},
    {"clay", "energy", 2, 10, kTypical},
    {"clay", "loss", 0.03, 0.3, kTypical},
    {"wax", "density", 880, 940, kTypical},
    {"wax", "youngs", 5e+07, 3e+08, kTypical},
    {"wax", "poisson", 0.35, 0.45, kTypical},
    {"wax", "yield", 5e+05, 1.2e+06, kTypical},
    {"wax", "strength", 7e+05, 1.5e+06, kTypical},
    {"wax", "toughness", 50000, 2e+05, kTypical},
    {"wax", "loss", 0.02, 0.2, kTypical},
    {"rubber", "density", 950, 950, kMwNr},
    {"rubber", "youngs", 7e+05, 4e+06, kGere},
    {"rubber", "poisson", 0.45, 0.5, kMst},
    {"rubber", "strength", 6.9e+06, 2.8e+07, kNrs},
    {"rubber", "energy", 3000, 20000, kTypical},
    {"rubber", "loss", 0.05, 0.2, kTypical},
    {"gelatin", "density", 1000, 1060, kTypical},
    {"gelatin", "youngs", 17000, 19000, kGel},
    {"gelatin", "poisson", 0.45, 0.5, kTypical},
    {"gelatin", "strength", 10000, 30000, kTypical},
    {"gelatin", "energy", 1, 5, kTypical},
    {"gelatin", "loss", 0.05, 0.3, kTypical},
    {"foam", "density", 33, 33, kLd33},
    {"foam", "youngs", 1.5e+05, 1.7e+05, kLd33},
    {"foam", "poisson", 0.1, 0.4, kPoisson},
    {"foam", "strength", 4.55e+05, 4.55e+05, kLd33},
    {"foam", "energy", 690, 690, kLd33},
    {"foam", "loss", 0.05, 0.2, kTypical},
    {"cork", "density", 120, 218, kAnjos},
    {"cork", "youngs", 2.51e+07, 4.99e+07, kGrantaCork},
    {"cork", "poisson", 0, 0.4, kGrantaCork},
    {"cork", "strength", 1e+06, 2.5e+06, kGrantaCork},
    {"cork", "toughness", 69700, 1.1e+05, kRosa},
    {"cork", "loss", 0.1, 0.3, kGrantaCork},
    {"bone", "density", 1900, 2020, kBoned},
    {"bone", "youngs", 6e+09, 4.5e+10, kBone},
    {"bone", "poisson", 0.25, 0.35, kTypical},
    {"bone", "strength", 4e+07, 6e+07, kTypical},
    {"bone", "along", 1.5e+07, 3e+08, kBone},
    {"bone", "energy", 600, 5000, kBoneg},
    {"bone", "loss", 0.01, 0.05, kTypical},
};

}  // namespace

std::vector<ValueSource> presetSources(const std::string& preset) {
    std::vector<ValueSource> sources;
    for (const Row& row : kRows)
        if (preset == row.preset) sources.push_back({row.value, row.low, row.high, row.source});
    return sources;
}

}  // namespace sunder
