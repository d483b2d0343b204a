#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "core/base/text.h"
#include "core/material/presets.h"

namespace sunder::cli {

namespace {
/// The toughness that counts, with its unit.
std::string toughnessText(const Fracture& f) {
    if (f.kind == ToughnessKind::kByForce) return format("%.3g N", f.force);
    return format("%.3g Pa", f.stress);
}

/// Yield as a stress in plain tension or, for the Thesis's laws, as a strain.
std::string yieldText(const Plasticity& p) {
    if (p.law == PlasticLawId::kNone) return "-";
    return p.yieldStress > 0 ? format("%.3g Pa", p.yieldStress) : format("%.3g", p.yield);
}

/// A range as one number where it is one.
std::string rangeText(const ValueSource& v) { return v.low == v.high ? format("%.4g", v.low) : format("%.4g to %.4g", v.low, v.high); }

/// How many values are in tables that were read.
std::string comparedText(const MaterialPreset& p) {
    if (p.values.empty()) return "";
    std::size_t found = 0;
    for (const ValueSource& v : p.values) found += !v.isTypical();
    return format("; %zu of %zu values compared with tables", found, p.values.size());
}

/// The values of one preset, each with what it was compared with.
void printSources(const std::string& name) {
    const MaterialPreset& p = materialPreset(name);
    std::cout << p.material.name << ": " << p.source << '\n';
    for (const ValueSource& v : p.values)
        std::cout << format("  %-10s %-24s %s\n", v.value.c_str(), rangeText(v).c_str(), v.isTypical() ? "typical, no public table was found" : v.source.c_str());
    if (!p.values.empty()) std::cout << "SI units; toughness is K_Ic in Pa sqrt(m), which the preset's energy gives; strength is across the grain, along is along it.\n";
}

nlohmann::ordered_json sourcesJson(const MaterialPreset& p) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const ValueSource& v : p.values)
        list.push_back({{"value", v.value}, {"low", v.low}, {"high", v.high}, {"source", v.source}});
    return list;
}

void printTable() {
    const char* const kLine = "%-15s %9s %9s %8s %9s %11s %11s %9s %9s %-13s %s\n";
    std::cout << format(kLine, "preset", "density", "youngs", "poisson", "damping", "yield", "toughness", "energy", "friction", "law", "source")
              << format(kLine, "", "kg/m3", "Pa", "", "s", "", "", "J/m2", "", "", "");
    for (const MaterialPreset& p : materialPresets()) {
        const Material& m = p.material;
        const bool byForce = m.fracture.kind == ToughnessKind::kByForce;
        const LawParams params = lawParams(m);
        std::cout << format(kLine, m.name.c_str(), format("%g", m.density).c_str(), format("%.3g", m.youngs).c_str(), format("%.3g", m.poisson).c_str(),
                            format("%.3g", params.psi / params.mu).c_str(), yieldText(m.plasticity).c_str(), toughnessText(m.fracture).c_str(),
                            byForce ? "-" : format("%.3g", m.fracture.energy).c_str(), format("%.2g", p.friction).c_str(), elasticLaw(m.law).name,
                            (p.source + comparedText(p)).c_str());
    }
    std::cout << "\ndamping: shear viscosity over shear modulus. yield: stress in tension, or a strain as in the papers. toughness: strength in Pa, or "
                 "a force in N as in the papers.\nPresets yield as they are, and break where a scene asks for it: \"material\": {\"preset\": \"glass\", "
                 "\"fracture\": {}}.\nsunder materials NAME shows where each value is from.\n";
}

nlohmann::ordered_json fractureJson(const Fracture& f) {
    nlohmann::ordered_json json;
    if (f.kind == ToughnessKind::kByForce) {
        json["kind"] = "force";
        json["force"] = f.force;
    } else {
        json["kind"] = "stress";
        json["stress"] = f.stress;
        json["energy"] = f.energy;
    }
    json["residual"] = f.residual;
    json["weakness"] = {f.weakness.x(), f.weakness.y(), f.weakness.z()};
    return json;
}

nlohmann::ordered_json plasticityJson(const Plasticity& p) {
    if (p.law == PlasticLawId::kAdditive) return {{"law", "additive"}, {"yield", p.yield}, {"limit", p.limit}};
    if (p.law == PlasticLawId::kMultiplicative) return {{"law", "multiplicative"}, {"yieldStress", p.yieldStress}, {"hardening", p.hardening}};
    return {{"law", "none"}};
}

void printJson() {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const MaterialPreset& p : materialPresets()) {
        const Material& m = p.material;
        list.push_back({{"name", m.name},
                        {"law", elasticLaw(m.law).name},
                        {"density", m.density},
                        {"youngs", m.youngs},
                        {"poisson", m.poisson},
                        {"phi", m.phi},
                        {"psi", m.psi},
                        {"stiffnessDamping", m.stiffnessDamping},
                        {"massDamping", m.massDamping},
                        {"plasticity", plasticityJson(m.plasticity)},
                        {"fracture", fractureJson(m.fracture)},
                        {"friction", p.friction},
                        {"source", p.source},
                        {"values", sourcesJson(p)}});
    }
    std::cout << list.dump(2) << '\n';
}
}  // namespace

void addMaterials(CLI::App& app, Invocation& invocation) {
    auto json = std::make_shared<bool>(false);
    auto name = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("materials", "List the material presets that scenes can name");
    command->add_option("name", *name, "a preset, to show where each of its values is from");
    command->add_flag("--json", *json, "as JSON, with every value, SI units");
    command->footer(
        "examples:\n  sunder materials\n  sunder materials glass\n  sunder materials --json | jq '.[].name'\n\nIn a scene: "
        "\"material\": \"rubber\", or "
        "\"material\": {\"preset\": \"rubber\", \"youngs\": \"2 MPa\"}.");
    command->callback([json, name, &invocation] {
        invocation.json = *json;
        invocation.run = [json, name] {
            if (*json) printJson();
            else if (!name->empty()) printSources(*name);
            else printTable();
        };
    });
}

}  // namespace sunder::cli
