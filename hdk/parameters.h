#pragma once

#include <string>

#include "core/io/scene_json_schema.h"
#include "core/material/presets.h"

namespace sunder::hdk {

/// Where values of parameters come from: a verb's cook, or the options of DOP data.
class ParmSource {
  public:
    virtual ~ParmSource() = default;
    virtual double number(const char* name, int component) const = 0;
    virtual std::int64_t integer(const char* name) const = 0;  ///< switches and the place in a menu, too
    virtual std::string text(const char* name) const = 0;
};

/// The name of a parameter: the words of the struct's path, a _ between them.
inline std::string parmName(const std::string& prefix, const char* key) { return prefix.empty() ? key : prefix + "_" + key; }

/// What a node shows for a value that a struct keeps, and back. The default comes back to the bit.
inline double shownValue(const Dimension& d, double kept) { return kept / d.bareScale; }
inline double keptValue(const Dimension& d, double shown, double current) { return shown == shownValue(d, current) ? current : shown * d.bareScale; }

inline constexpr const char* kCustomPreset = "custom";

/// What no parameter stands for in a visitor of describe(): lists and sources are wired, not typed in.
class WiredFields {
  public:
    void title(const char*, const char*) {}
    void refused(const Field&) {}
    template <class T>
    void list(const Field&, T&) {}
    template <class T>
    void variant(const Field&, T&, const std::vector<const char*>&) {}
    template <class T>
    void points(const Field&, T&) {}
    template <class T>
    void integers(const Field&, T&) {}
};

/// Writes the parameters of a struct as a dialog script: visitor of describe().
class DialogWriter : public WiredFields {
  public:
    /// `name` is that of the node, in the script.
    explicit DialogWriter(const std::string& name) : script_("{\n    name " + name + "\n") {}

    /// All parameters of a struct, with its values as defaults.
    template <class T>
    DialogWriter& add(T value, const std::string& prefix = {}) {
        const std::string before = std::exchange(prefix_, prefix);
        describe(*this, value);
        prefix_ = before;
        disableWhen_.clear();
        return *this;
    }
    /// One parameter of the node's own; `menu` has tokens and labels in turns.
    DialogWriter& own(const char* type, const char* name, const char* label, const std::string& initial, const char* help, const std::vector<const char*>& menu = {});
    /// Parameters that follow are disabled when this holds; empty: never.
    DialogWriter& disableWhen(const std::string& condition) {
        disableWhen_ = condition;
        return *this;
    }
    /// Leaves out a key of the structs that follow, by its parameter's name.
    DialogWriter& without(const std::string& name) {
        without_.push_back(name);
        return *this;
    }
    std::string script() const { return script_ + "}\n"; }

    void number(const Field& f, double& v) { floats(f, {&v, 1}); }
    void numberUpTo(const Field& f, double& v, const char*, const double&) { floats(f, {&v, 1}); }
    void integer(const Field& f, int& v) { whole(f, v); }
    void integer(const Field& f, std::int64_t& v) { whole(f, v); }
    void natural(const Field& f, std::uint64_t& v) { whole(f, static_cast<std::int64_t>(v)); }
    void flag(const Field& f, bool& v);
    void text(const Field& f, std::string& v) { parm("string", f, {v}, ""); }
    void texts(const Field& f, std::vector<std::string>& v);
    template <int N>
    void vector(const Field& f, Eigen::Matrix<double, N, 1>& v) {
        floats(f, {v.data(), static_cast<std::size_t>(N)});
    }
    void preset(const Field& f, Material&);
    template <class T>
    void object(const Field& f, T& v) {
        if (isLeftOut(f)) return;
        const std::string before = std::exchange(prefix_, parmName(prefix_, f.key));
        const std::string condition = disableWhen_;
        describe(*this, v);
        disableWhen_ = condition;
        prefix_ = before;
    }
    template <class T>
    void choice(const Field& f, T& v, const Choices<T>& choices) {
        std::string menu = " menu {", initial = "0";
        for (std::size_t i = 0; i < choices.size(); ++i) {
            menu += " \"" + std::string(choices[i].first) + "\" \"" + labelOf(choices[i].first) + "\"";
            if (choices[i].second == v) initial = std::to_string(i);
        }
        parm("ordinal", f, {initial}, menu + " }");
    }

    /// "Max Size" of "maxSize".
    static std::string labelOf(const std::string& key);

  private:
    bool isLeftOut(const Field& f) const;
    void floats(const Field& f, Span<double> values);
    void whole(const Field& f, std::int64_t v);
    void parm(const char* type, const Field& f, const std::vector<std::string>& defaults, const std::string& more);

    std::string script_, prefix_, disableWhen_;
    std::vector<std::string> without_;
};

/// Reads the parameters of a struct: visitor of describe(). What DialogWriter left out has to be left out here, too, and keeps its value.
class ParmReader : public WiredFields {
  public:
    explicit ParmReader(const ParmSource& source) : source_(source) {}

    template <class T>
    void read(T& value, const std::string& prefix = {}) {
        const std::string before = std::exchange(prefix_, prefix);
        describe(*this, value);
        prefix_ = before;
        isFromPreset_ = false;
    }
    ParmReader& without(const std::string& name) {
        without_.push_back(name);
        return *this;
    }

    void number(const Field& f, double& v) { floats(f, {&v, 1}); }
    void numberUpTo(const Field& f, double& v, const char* limitKey, const double& limit);  // never above the limit
    void integer(const Field& f, int& v);
    void integer(const Field& f, std::int64_t& v);
    void natural(const Field& f, std::uint64_t& v);
    void flag(const Field& f, bool& v);
    void text(const Field& f, std::string& v);
    void texts(const Field& f, std::vector<std::string>& v);
    template <int N>
    void vector(const Field& f, Eigen::Matrix<double, N, 1>& v) {
        floats(f, {v.data(), static_cast<std::size_t>(N)});
    }
    void preset(const Field& f, Material& m);
    template <class T>
    void object(const Field& f, T& v) {
        if (isLeftOut(f)) return;
        const std::string before = std::exchange(prefix_, parmName(prefix_, f.key));
        const bool outer = isFromPreset_;
        describe(*this, v);
        isFromPreset_ = outer;
        prefix_ = before;
    }
    template <class T>
    void choice(const Field& f, T& v, const Choices<T>& choices) {
        if (isLeftOut(f) || isFromPreset_) return;
        const std::int64_t i = source_.integer(parmName(prefix_, f.key).c_str());
        if (i < 0 || i >= static_cast<std::int64_t>(choices.size())) fail(f, static_cast<double>(i), "choose an entry of the menu");
        v = choices[static_cast<std::size_t>(i)].second;
    }

  private:
    bool isLeftOut(const Field& f) const;
    void floats(const Field& f, Span<double> values);
    std::int64_t whole(const Field& f) const;
    [[noreturn]] void fail(const Field& f, double shown, const std::string& remedy) const;

    const ParmSource& source_;
    std::string prefix_;
    std::vector<std::string> without_;
    bool isFromPreset_ = false;  ///< values of a material are a preset's; what is typed in does not count
};

}  // namespace sunder::hdk
