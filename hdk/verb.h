#pragma once

#include <OP/OP_OperatorTable.h>

#include <string>

#include "core/mesh/geometry.h"
#include "hdk/compat.h"
#include "hdk/host_monitor.h"
#include "hdk/packed_bridge.h"
#include "hdk/parameters.h"

namespace sunder::hdk {

/// The cook of one of our verbs: what it may ask the host for. Its cache lives from cook to cook.
class Verb : public compat::VerbCache {
  public:
    /// For the node's info: counts and timing of the last cook.
    const std::string& info() const { return info_; }

  protected:
    /// Reads parameters, converts, makes one core call, converts back. May throw whatever core throws.
    virtual void cookVerb(HostMonitor& monitor) = 0;
    virtual const char* operation() const = 0;

    /// The values of a struct's parameters.
    template <class T>
    T readParms(T value = {}, const std::string& prefix = {}, const std::vector<std::string>& without = {}) const {
        const Source source(*this);
        ParmReader reader(source);
        for (const std::string& name : without) reader.without(name);
        reader.read(value, prefix);
        return value;
    }
    std::string text(const char* name) const;
    double number(const char* name) const { return evalFloat(name, 0, time_); }
    std::int64_t choice(const char* name) const { return wholeNumber(name, time_); }
    bool hasInput(int i) const { return compat::hasInput(*cookparms(), i); }
    /// Throws Error with a remedy if it is not wired or has no points; `what` names what should be there.
    Geometry input(int i, const char* what, HostMonitor& monitor) const;
    /// Data ids that tell whether what an input holds is still the same.
    std::uint64_t inputIdentity(int i) const;
    /// The output is that, or nothing if it is stopped.
    void write(const Geometry& geometry);
    void writePacked(const Geometry& points, const std::vector<GU_ConstDetailHandle>& parts, const std::vector<PackedPlace>& places);
    void setInfo(std::string text) { info_ = std::move(text); }
    void warn(const std::string& text) const { addWarning(SOP_MESSAGE, text.c_str()); }

  private:
    class Source : public ParmSource {
      public:
        explicit Source(const Verb& verb) : verb_(verb) {}
        double number(const char* name, int component) const override { return verb_.evalFloat(name, component, verb_.time_); }
        std::int64_t integer(const char* name) const override { return verb_.wholeNumber(name, verb_.time_); }
        std::string text(const char* name) const override { return verb_.text(name); }

      private:
        const Verb& verb_;
    };
    OP_ERROR cookMySop(OP_Context& context) final;

    fpreal time_ = 0;
    HostMonitor* monitor_ = nullptr;  ///< of the cook
    std::string info_;
};

/// What a node type is.
struct SopType {
    const char* name;   ///< "sunder::tetrahedralize::1.0"
    const char* label;
    const char* icon;   ///< a file of config/Icons
    unsigned minInputs, maxInputs;
    const char** inputLabels;  ///< ends with null; lives as long as the plugin
    SOP_NodeVerb::CookMode mode;
    std::string script;
    SOP_NodeCache* (*makeVerb)();
};

/// Registers the node type and its verb.
void registerSop(OP_OperatorTable& table, const SopType& type);

}  // namespace sunder::hdk
