#include <dlfcn.h>
#include <standin/cook.h>
#include <standin/dop.h>

#include <sstream>

namespace standin {

Plugin::Plugin(const std::string& file) {
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) {
        problem_ = dlerror();
        return;
    }
    if (!symbol("standinDsoVersion")) {
        problem_ = "the plugin has no version stamp";
        dlclose(handle_);
        handle_ = nullptr;
    }
}
void* Plugin::symbol(const char* name) const { return handle_ ? dlsym(handle_, name) : nullptr; }

void registerSops(const Plugin& plugin, OP_OperatorTable& table) {
    if (auto* hook = reinterpret_cast<void (*)(OP_OperatorTable*)>(plugin.symbol("newSopOperator"))) hook(&table);
}

namespace {
std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out + '"';
}
std::string listOf(const std::vector<std::string>& items) {
    std::string out = "[";
    for (std::size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + quoted(items[i]);
    return out + "]";
}
void describe(std::ostream& out, const Parm& p) {
    out << "        {\"name\": " << quoted(p.name) << ", \"label\": " << quoted(p.label) << ", \"type\": " << quoted(p.type) << ", \"size\": " << p.size
        << ", \"default\": " << listOf(p.defaults);
    if (!p.menu.empty()) {
        std::vector<std::string> tokens;
        for (const auto& item : p.menu) tokens.push_back(item.first);
        out << ", \"menu\": " << listOf(tokens);
    }
    out << ", \"help\": " << quoted(p.help) << "}";
}
}  // namespace

namespace {
void describeParms(std::ostream& out, const PRM_Template* templates) {
    bool first = true;
    for (const PRM_Template* t = templates; t->getToken(); ++t) {
        if (!first) out << ",\n";
        describe(out, t->standinParm());
        first = false;
    }
}
}  // namespace

std::string describeData() {
    std::ostringstream out;
    for (const SIM_DataFactory* f : allFactories()) {
        const SIM_DopDescription& d = *f->standinDescription;
        if (!d.standinCreates) continue;  // it has no node
        out << (out.tellp() > 0 ? ",\n" : "") << "    {\n      \"type\": " << quoted(d.standinName) << ",\n      \"category\": \"Dop\",\n      \"label\": "
            << quoted(d.standinLabel) << ",\n      \"data\": " << quoted(f->standinClass) << ",\n      \"dataName\": " << quoted(d.standinDataName)
            << ",\n      \"minInputs\": 0,\n      \"maxInputs\": 1,\n      \"parameters\": [\n";
        describeParms(out, d.standinTemplates);
        out << "\n      ]\n    }";
    }
    return out.str();
}

std::string describeOperators(const OP_OperatorTable& table, const char* category) {
    std::ostringstream out;
    bool first = true;
    for (const auto& op : table.standinList) {
        out << (first ? "" : ",\n") << "    {\n      \"type\": " << quoted(op->getName().toStdString()) << ",\n      \"category\": " << quoted(category)
            << ",\n      \"label\": " << quoted(op->getEnglish().toStdString()) << ",\n      \"icon\": " << quoted(op->standinIcon())
            << ",\n      \"tab\": " << quoted(op->standinTab()) << ",\n      \"minInputs\": " << op->standinMinSources()
            << ",\n      \"maxInputs\": " << op->standinMaxSources() << ",\n      \"inputs\": " << listOf(op->standinInputLabels())
            << ",\n      \"parameters\": [\n";
        describeParms(out, op->standinTemplates());
        out << "\n      ]\n    }";
        first = false;
    }
    return out.str();
}

}  // namespace standin
