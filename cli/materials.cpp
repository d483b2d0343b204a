#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "core/base/text.h"
#include "core/material/presets.h"

namespace sunder::cli {

namespace {
void printTable() {
    std::cout << format("%-18s %12s %10s %8s %-13s %s\n", "preset", "density", "youngs", "poisson", "law",
                        "source")
              << format("%-18s %12s %10s %8s\n", "", "kg/m3", "Pa", "");
    for (const MaterialPreset& p : materialPresets()) {
        const Material& m = p.material;
        std::cout << format("%-18s %12g %10.3g %8.3g %-13s %s\n", m.name.c_str(), m.density, m.youngs,
                            m.poisson, elasticLaw(m.law).name, p.source.c_str());
    }
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
                        {"source", p.source}});
    }
    std::cout << list.dump(2) << '\n';
}
}  // namespace

void addMaterials(CLI::App& app, Invocation& invocation) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("materials", "List the material presets that scenes can name");
    command->add_flag("--json", *json, "as JSON, with every value, SI units");
    command->footer(
        "examples:\n  sunder materials\n  sunder materials --json | jq '.[].name'\n\nIn a scene: "
        "\"material\": \"rubber\", or "
        "\"material\": {\"preset\": \"rubber\", \"youngs\": \"2 MPa\"}.");
    command->callback([json, &invocation] {
        invocation.json = *json;
        invocation.run = [json] { *json ? printJson() : printTable(); };
    });
}

}  // namespace sunder::cli
