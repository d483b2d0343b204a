#include <gtest/gtest.h>
#include <plugin_path.h>
#include <standin/dop.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/io/file.h"
#include "core/meshing/tetrahedralize.h"
#include "hdk/parameters.h"
#include "tests/houdini/fixtures.h"

namespace sunder::test {

namespace {
std::string outputOf(const std::string& command) {
    std::string text;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (pipe && std::fgets(buffer, sizeof buffer, pipe)) text += buffer;
    if (pipe) pclose(pipe);
    return text;
}

std::string nodesJson() {
    const std::string sops = standin::describeOperators(operators(), "Sop");  // first: it registers the data, too
    return "{\n  \"nodes\": [\n" + sops + ",\n" + standin::describeData() + "\n  ]\n}\n";
}
}  // namespace

TEST(HoudiniPlugin, OpensByNameAndRegistersItsNodes) {
    ASSERT_TRUE(plugin().loaded()) << plugin().problem();
    EXPECT_GE(operators().standinList.size(), 2u);
    for (const auto& op : operators().standinList) {
        const std::string name = op->getName().toStdString();
        EXPECT_EQ(name.rfind("sunder::", 0), 0u) << name;
        EXPECT_EQ(name.substr(name.size() - 5), "::1.0") << name;
        EXPECT_EQ(op->standinTab(), "Sunder") << name;
        EXPECT_FALSE(op->standinIcon().empty()) << name;
        EXPECT_EQ(op->standinInputLabels().size(), op->standinMaxSources()) << name;
        EXPECT_NE(SOP_NodeVerb::lookupVerb(name.c_str()), nullptr) << name;
    }
}

TEST(HoudiniPlugin, ShowsItsHooksAlone) {
    std::istringstream lines(outputOf(std::string("nm -D --defined-only --format=posix '") + pluginPath() + "'"));
    std::set<std::string> names;
    for (std::string line; std::getline(lines, line);) names.insert(line.substr(0, line.find(' ')));
    ASSERT_EQ(names.count("newSopOperator"), 1u);
    ASSERT_EQ(names.count("initializeSIM"), 1u);
    for (const std::string& name : names)
        EXPECT_TRUE(name == "newSopOperator" || name == "initializeSIM" || name.find("DsoVersion") != std::string::npos) << name;
}

TEST(HoudiniPlugin, BringsNoLibrariesOfItsOwnIntoTheHost) {
    const std::string needed = outputOf(std::string("readelf -d '") + pluginPath() + "' | grep NEEDED");
    ASSERT_NE(needed.find("libc.so"), std::string::npos) << needed;
    for (const char* name : {"blosc", "libz.", "tetgen", "libtet", "png", "embree"}) EXPECT_EQ(needed.find(name), std::string::npos) << needed;
}

// The same nodes as they are linked for Houdini: whatever the rest of the build has, these libraries and no others, and none of the calls that would need them.
TEST(HoudiniPlugin, WhatGoesToHoudiniIsLicenceClean) {
    std::istringstream needed(outputOf("readelf -d '" SUNDER_CLEAN_PLUGIN_PATH "' | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\].*/\\1/p'"));
    std::set<std::string> libraries;
    for (std::string line; std::getline(needed, line);) libraries.insert(line.substr(0, line.find(".so")));
    EXPECT_EQ(libraries.count("libc"), 1u);
    // TBB is the host's: dependencies.cmake takes Houdini's own where there is one
    const std::set<std::string> allowed = {"libsunder_standin", "libtbb", "libstdc++", "libm", "libgcc_s", "libc", "libdl", "libpthread", "ld-linux-x86-64"};
    for (const std::string& name : libraries) EXPECT_EQ(allowed.count(name), 1u) << name;
    std::istringstream undefined(outputOf("nm -D --undefined-only --format=posix '" SUNDER_CLEAN_PLUGIN_PATH "'"));
    std::size_t symbols = 0;
    for (std::string name; std::getline(undefined, name); ++symbols)
        for (const char* word : {"cholmod", "openblas", "cblas", "dgemm", "dpotrf", "tetgen", "blosc", "omp_"}) EXPECT_EQ(name.find(word), std::string::npos) << name;
    EXPECT_GT(symbols, 20u);
    std::istringstream texts(outputOf("grep -ao 'tetgenio\\|TetGen Version\\|CHOLMOD version' '" SUNDER_CLEAN_PLUGIN_PATH "'"));
    for (std::string line; std::getline(texts, line);) ADD_FAILURE() << "what is compiled in: " << line;
}

TEST(HoudiniPlugin, EveryParameterHasAHelpAndAWordOfTheCore) {
    ASSERT_FALSE(operators().standinList.empty());
    ASSERT_GE(standin::allFactories().size(), 5u);
    for (const SIM_DataFactory* f : standin::allFactories())
        for (const PRM_Template* t = f->standinDescription->standinTemplates; t->getToken(); ++t) EXPECT_FALSE(t->standinParm().help.empty()) << f->standinClass << " " << t->getToken();
    for (const auto& op : operators().standinList)
        for (const PRM_Template* t = op->standinTemplates(); t->getToken(); ++t) EXPECT_FALSE(t->standinParm().help.empty()) << op->getName().c_str() << " " << t->getToken();
    std::set<std::string> words;
    for (const PRM_Template* t = operators().getOperator("sunder::tetrahedralize::1.0")->standinTemplates(); t->getToken(); ++t) words.insert(t->getToken());
    for (const char* word : {"method", "maxSize", "sizingAttribute", "cellSize", "targetTets", "keepBoundary"}) EXPECT_EQ(words.count(word), 1u) << word;
}

// otls, python and help are checked against the table: what it names has to be there. New parameters may be missing in it; the build leaves a whole one behind.
TEST(HoudiniPlugin, WhatTheTableOfNodesNamesIsThere) {
    using Json = nlohmann::json;
    const std::string made = nodesJson();
    writeFileAtomic(SUNDER_NODES_PATH, std::vector<std::uint8_t>(made.begin(), made.end()));
    const auto byName = [](const Json& list, const char* key) {
        std::map<std::string, Json> map;
        for (const Json& item : list) map[item.at(key)] = item;
        return map;
    };
    const auto nodes = byName(Json::parse(made).at("nodes"), "type");
    const std::vector<std::uint8_t> bytes = readFile(SUNDER_SOURCE_PATH "/otls/nodes.json");
    const Json table = Json::parse(bytes.begin(), bytes.end());
    EXPECT_EQ(table.at("nodes").size(), nodes.size()) << "otls/nodes.json is out of date: copy " << SUNDER_NODES_PATH << " over it";
    for (const Json& node : table.at("nodes")) {
        const std::string type = node.at("type");
        ASSERT_EQ(nodes.count(type), 1u) << type;
        const auto parameters = byName(nodes.at(type).at("parameters"), "name");
        for (const Json& parameter : node.at("parameters")) {
            const std::string name = parameter.at("name");
            ASSERT_EQ(parameters.count(name), 1u) << type << " has no " << name << "; copy " << SUNDER_NODES_PATH << " over otls/nodes.json and change who uses it";
            for (const char* key : {"type", "size"}) EXPECT_EQ(parameters.at(name).at(key), parameter.at(key)) << type << " " << name;
        }
    }
}

}  // namespace sunder::test
