#include "hdk/parameters.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/number_text.h"
#include "core/io/scene_json_reader.h"

namespace sunder::hdk {

namespace {
/// In one line and without what a dialog script would read as its own.
std::string harmless(const std::string& text) {
    std::string out;
    for (const char c : text)
        if (c == '"' || c == '`')
            out += '\'';
        else if (c == '\\' || c == '\n' || c == '{' || c == '}')
            out += ' ';
        else
            out += c;
    return out;
}

std::string numberText(double value) {
    std::string text;
    appendNumber(text, value);
    return text;
}

std::string quoted(const std::string& text) { return "\"" + harmless(text) + "\""; }

std::string rangeOf(const Range& range, double shown) {
    if (!std::isfinite(range.min) && !std::isfinite(range.max)) return "";
    const bool hasMin = std::isfinite(range.min), hasMax = std::isfinite(range.max);
    const double reach = std::max(1.0, 10 * std::abs(shown));
    const double min = hasMin ? range.min : -reach, max = hasMax ? range.max : std::max(min + reach, std::min(reach, 1e12));
    return format(" range { %g%s %g%s }", min, hasMin ? "!" : "", max, hasMax ? "!" : "");
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& w : words) out += (out.empty() ? "" : " ") + w;
    return out;
}
}  // namespace

// ---- writing

std::string DialogWriter::labelOf(const std::string& key) {
    std::string label;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const char c = key[i];
        if (c == '_' || c == '-')
            label += ' ';
        else if (std::isupper(static_cast<unsigned char>(c)) && i > 0)
            label += std::string(" ") + c;
        else
            label += i == 0 || label.back() == ' ' ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
    return label;
}

bool DialogWriter::isLeftOut(const Field& f) const { return std::find(without_.begin(), without_.end(), parmName(prefix_, f.key)) != without_.end(); }

void DialogWriter::parm(const char* type, const Field& f, const std::vector<std::string>& defaults, const std::string& more) {
    if (isLeftOut(f)) return;
    std::string values;
    for (const std::string& d : defaults) values += " " + quoted(d);
    const std::string unit = f.dimension.unit && *f.dimension.unit ? std::string(" (") + f.dimension.unit + ")" : "";
    const std::string label = labelOf(prefix_.empty() ? f.key : prefix_ + "_" + f.key);
    script_ += format("    parm {\n        name %s\n        label %s\n        type %s\n", quoted(parmName(prefix_, f.key)).c_str(), quoted(label).c_str(), type);
    if (defaults.size() > 1) script_ += format("        size %zu\n", defaults.size());
    script_ += "        default {" + values + " }\n";
    if (!more.empty()) script_ += "       " + more + "\n";
    if (!disableWhen_.empty() && prefix_ + f.key != "fractureenabled") script_ += "        disablewhen \"{ " + disableWhen_ + " }\"\n";
    script_ += "        help " + quoted(std::string(f.meaning) + unit) + "\n    }\n";
}

DialogWriter& DialogWriter::own(const char* type, const char* name, const char* label, const std::string& initial, const char* help, const std::vector<const char*>& menu) {
    script_ += format("    parm {\n        name %s\n        label %s\n        type %s\n        default { %s }\n", quoted(name).c_str(), quoted(label).c_str(), type, quoted(initial).c_str());
    if (!menu.empty()) {
        script_ += "        menu {";
        for (const char* item : menu) script_ += " " + quoted(item);
        script_ += " }\n";
    }
    script_ += "        help " + quoted(help) + "\n    }\n";
    return *this;
}

void DialogWriter::floats(const Field& f, Span<double> values) {
    std::vector<std::string> shown;
    for (const double v : values) shown.push_back(numberText(shownValue(f.dimension, v)));
    parm(values.size() == 3 ? "vector" : "float", f, shown, rangeOf(f.range, shownValue(f.dimension, values[0])));
}
void DialogWriter::whole(const Field& f, std::int64_t v) { parm("integer", f, {std::to_string(v)}, rangeOf(f.range, static_cast<double>(v))); }
void DialogWriter::flag(const Field& f, bool& v) { parm("toggle", f, {v ? "1" : "0"}, ""); }
void DialogWriter::texts(const Field& f, std::vector<std::string>& v) { parm("string", f, {joined(v)}, ""); }
void DialogWriter::preset(const Field& f, Material&) {
    std::string menu = std::string(" menu { ") + quoted(kCustomPreset) + " " + quoted("Custom");
    for (const MaterialPreset& p : materialPresets()) menu += " " + quoted(p.material.name) + " " + quoted(labelOf(p.material.name));
    parm("string", f, {kCustomPreset}, menu + " }");
    disableWhen_ = parmName(prefix_, f.key) + " != " + kCustomPreset;
}

// ---- reading

bool ParmReader::isLeftOut(const Field& f) const { return std::find(without_.begin(), without_.end(), parmName(prefix_, f.key)) != without_.end(); }

void ParmReader::fail(const Field& f, double shown, const std::string& remedy) const {
    throw Error(format("the parameter '%s' is %s%s%s", parmName(prefix_, f.key).c_str(), numberText(shown).c_str(), *f.dimension.unit ? " " : "", f.dimension.unit), remedy);
}

void ParmReader::floats(const Field& f, Span<double> values) {
    if (isLeftOut(f) || isFromPreset_) return;
    const std::string name = parmName(prefix_, f.key);
    for (std::size_t c = 0; c < values.size(); ++c) {
        const double shown = source_.number(name.c_str(), static_cast<int>(c));
        if (!std::isfinite(shown) || !f.range.contains(shown)) fail(f, shown, "give a value " + rangeText(f.range) + (*f.range.remedy ? std::string("; ") + f.range.remedy : ""));
        values[c] = keptValue(f.dimension, shown, values[c]);
    }
}
void ParmReader::numberUpTo(const Field& f, double& v, const char*, const double& limit) {
    floats(f, {&v, 1});
    v = std::min(v, limit);
}
std::int64_t ParmReader::whole(const Field& f) const {
    const std::int64_t v = source_.integer(parmName(prefix_, f.key).c_str());
    if (!f.range.contains(static_cast<double>(v))) fail(f, static_cast<double>(v), "give a value " + rangeText(f.range));
    return v;
}
void ParmReader::integer(const Field& f, int& v) {
    if (!isLeftOut(f)) v = static_cast<int>(whole(f));
}
void ParmReader::integer(const Field& f, std::int64_t& v) {
    if (!isLeftOut(f)) v = whole(f);
}
void ParmReader::natural(const Field& f, std::uint64_t& v) {
    if (!isLeftOut(f)) v = static_cast<std::uint64_t>(whole(f));
}
void ParmReader::flag(const Field& f, bool& v) {
    // whether it breaks is asked for in any case: presets have it filled in and switched off
    if (!isLeftOut(f) && (!isFromPreset_ || std::string(f.key) == "enabled")) v = source_.integer(parmName(prefix_, f.key).c_str()) != 0;
}
void ParmReader::text(const Field& f, std::string& v) {
    if (!isLeftOut(f)) v = source_.text(parmName(prefix_, f.key).c_str());
}
void ParmReader::texts(const Field& f, std::vector<std::string>& v) {
    if (isLeftOut(f)) return;
    std::istringstream words(source_.text(parmName(prefix_, f.key).c_str()));
    v.clear();
    for (std::string word; words >> word;) v.push_back(word);
}
void ParmReader::preset(const Field& f, Material& m) {
    const std::string name = source_.text(parmName(prefix_, f.key).c_str());
    isFromPreset_ = !name.empty() && name != kCustomPreset;
    if (isFromPreset_) m = materialPreset(name).material;
}

}  // namespace sunder::hdk
