#include "core/io/usda_writer.h"

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/io/file.h"
#include "core/io/number_text.h"
#include "core/io/usda_mesh.h"

namespace sunder {

namespace usda {
namespace {
using Sources = std::vector<std::int32_t>;

template <class T>
void appendReal(std::string& out, T value) {
    if (std::isfinite(value))
        appendNumber(out, value);
    else
        out += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";  // USD's spellings
}
void appendValue(std::string& out, float value) { appendReal(out, value); }
void appendValue(std::string& out, double value) { appendReal(out, value); }
void appendValue(std::string& out, std::int32_t value) {
    appendNumber(out, static_cast<std::int64_t>(value));
}
void appendValue(std::string& out, std::int64_t value) { appendNumber(out, value); }
void appendValue(std::string& out, std::uint8_t value) {
    appendNumber(out, static_cast<std::int64_t>(value));
}
void appendValue(std::string& out, const std::string& value) {
    out += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += format("\\x%02x", static_cast<unsigned>(c));
        else
            out += c;
    }
    out += '"';
}

/// "[(0, 1, 2), (3, 4, 5)]": component order[k] of each tuple comes k-th; a single one has no parentheses.
template <class T>
std::string arrayText(const std::vector<T>& values, std::size_t width, const Sources& sources,
                      const std::vector<std::size_t>& order, bool isTuple) {
    std::string out = "[";
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (i > 0) out += ", ";
        if (isTuple) out += '(';
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (k > 0) out += ", ";
            appendValue(out, values[static_cast<std::size_t>(sources[i]) * width + order[k]]);
        }
        if (isTuple) out += ')';
    }
    return out + ']';
}

std::string integerText(const Sources& values) {
    std::string out = "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out += ", ";
        appendValue(out, values[i]);
    }
    return out + ']';
}

std::string identifier(const std::string& name) {
    std::string out;
    for (const char c : name) {
        const bool isGood =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        out += isGood ? c : '_';
    }
    if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(0, "_");
    return out;
}

/// How an attribute looks in USD.
struct UsdType {
    std::string name;                ///< without the brackets
    std::vector<std::size_t> order;  ///< which components, in which order
    bool isTuple = false;
    int elementSize = 1;  ///< values an element where USD has no tuple of that size
};

std::string roleName(const Attribute& attribute, const std::string& base) {
    const std::string suffix = base == "float" ? "3f" : "3d";
    switch (attribute.meaning) {
        case AttributeMeaning::kPoint:
            return "point" + suffix;
        case AttributeMeaning::kVector:
            return "vector" + suffix;
        case AttributeMeaning::kNormal:
            return "normal" + suffix;
        case AttributeMeaning::kColor:
            return "color" + suffix;
        default:
            return base + "3";
    }
}

UsdType typeOf(const Attribute& attribute) {
    constexpr const char* kBases[] = {"float", "double", "int", "int64", "uchar", "string"};
    const std::string base = kBases[attribute.values.index()];
    const bool hasTuples = attribute.isFloat() || base == "int";
    UsdType type{base, {}, hasTuples && attribute.tupleSize >= 2 && attribute.tupleSize <= 4, 1};
    for (int c = 0; c < attribute.tupleSize; ++c) type.order.push_back(static_cast<std::size_t>(c));
    if (!type.isTuple) {
        type.elementSize = attribute.tupleSize;
    } else if (attribute.isFloat() && attribute.tupleSize == 3) {
        type.name = roleName(attribute, base);
        if (attribute.meaning == AttributeMeaning::kTextureCoord)
            type = {base == "float" ? "texCoord2f" : "texCoord2d", {0, 1}, true, 1};
    } else if (attribute.meaning == AttributeMeaning::kQuaternion && attribute.isFloat() &&
               attribute.tupleSize == 4) {
        type = {
            base == "float" ? "quatf" : "quatd", {3, 0, 1, 2}, true, 1};  // USD writes the real part first
    } else {
        type.name += std::to_string(attribute.tupleSize);
    }
    return type;
}

/// One property of the mesh over time. The last value is held back: it is a sample only if another follows.
class Channel {
  public:
    Channel(std::string declaration, std::string metadata, bool isBlended)
        : declaration_(std::move(declaration)), metadata_(std::move(metadata)), isBlended_(isBlended) {}

    const std::string& declaration() const { return declaration_; }
    void add(double time, std::string value, const std::string& folder) {
        if (!value_.empty() && value_ != value) {
            if (!scratch_) scratch_ = std::make_unique<NamelessFile>(folder);
            flush();
            value_.clear();
        }
        if (value_.empty()) {
            value_ = std::move(value);
            firstTime_ = time;
        }
        lastTime_ = time;
    }
    void writeTo(AtomicFile& file) {
        if (!scratch_) return file.write("    " + declaration_ + " = " + value_ + metadata_ + "\n");
        flush();
        if (!metadata_.empty()) file.write("    " + declaration_ + metadata_ + "\n");
        file.write("    " + declaration_ + ".timeSamples = {\n");
        scratch_->copyTo(file);
        file.write("    }\n");
    }

  private:
    void flush() {
        scratch_->write(sample(firstTime_));
        // between two samples USD blends reals, so a value that stood still needs its end too
        if (isBlended_ && lastTime_ != firstTime_) scratch_->write(sample(lastTime_));
    }
    std::string sample(double time) const {
        std::string out = "        ";
        appendNumber(out, time);
        return out + ": " + value_ + ",\n";
    }

    std::string declaration_, metadata_, value_;
    bool isBlended_;
    double firstTime_ = 0, lastTime_ = 0;
    std::unique_ptr<NamelessFile> scratch_;
};

const char* const kInterpolations[] = {"vertex", "faceVarying", "uniform", "constant"};
const char* const kSuffixes[] = {"_point", "_vertex", "_prim", "_detail"};
}  // namespace
}  // namespace usda

struct UsdaWriter::State {
    struct Entry {
        usda::Channel channel;
        std::size_t lastFrame;
    };

    std::string path, folder;
    UsdaOptions options;
    std::size_t frameCount = 0;
    double firstTime = 0, lastTime = 0;
    std::map<std::string, Entry> entries;  // by name, so that the file is always in the same order

    bool isTaken(const std::string& name) const {
        const auto it = entries.find(name);
        return it != entries.end() && it->second.lastFrame == frameCount;
    }

    void put(const std::string& name, const std::string& type, const std::string& metadata, bool isBlended,
             std::string value) {
        const std::string declaration = type + "[] " + name;
        auto it = entries.find(name);
        if (it == entries.end()) {
            it = entries.emplace(name, Entry{usda::Channel(declaration, metadata, isBlended), frameCount})
                     .first;
            if (frameCount > 0) it->second.channel.add(firstTime, "None", folder);
        }
        if (it->second.channel.declaration() != declaration)
            throw Error("'" + name + "' is '" + declaration + "' in one frame and '" +
                            it->second.channel.declaration() + "' in another",
                        "give the attribute one type in all frames");
        it->second.channel.add(lastTime, std::move(value), folder);
        it->second.lastFrame = frameCount;
    }

    void putMesh(const Geometry& geometry, const usda::SurfaceMesh& mesh) {
        std::vector<float> flat;
        Vec3 smallest = Vec3::Constant(std::numeric_limits<double>::infinity()), largest = -smallest;
        for (const Vec3& p : geometry.positions)
            flat.insert(flat.end(), {narrow(p.x()), narrow(p.y()), narrow(p.z())});
        for (const std::int32_t i : mesh.point) {
            smallest = smallest.cwiseMin(geometry.positions[static_cast<std::size_t>(i)]);
            largest = largest.cwiseMax(geometry.positions[static_cast<std::size_t>(i)]);
        }
        if (mesh.point.empty()) smallest = largest = Vec3::Zero();
        std::vector<float> extent;
        for (const Vec3& p : {smallest, largest})
            extent.insert(extent.end(), {narrow(p.x()), narrow(p.y()), narrow(p.z())});
        put("points", "point3f", "", true, usda::arrayText(flat, 3, mesh.point, {0, 1, 2}, true));
        put("extent", "float3", "", true, usda::arrayText(extent, 3, {0, 1}, {0, 1, 2}, true));
        put("faceVertexCounts", "int", "", false, usda::integerText(mesh.faceSizes));
        put("faceVertexIndices", "int", "", false, usda::integerText(mesh.faceVertices));
    }

    void putAttribute(const Attribute& attribute, std::size_t elementClass, const usda::Sources& sources) {
        const usda::UsdType type = usda::typeOf(attribute);
        std::string value = std::visit(
            [&](const auto& values) {
                return usda::arrayText(values, static_cast<std::size_t>(attribute.tupleSize), sources,
                                       type.order, type.isTuple);
            },
            attribute.values);
        const bool isTriple = attribute.isFloat() && attribute.tupleSize == 3;
        if (attribute.name == "v" && elementClass == 0 && isTriple)
            return put("velocities", "vector3f", "", true, std::move(value));
        std::string metadata =
            std::string(" (\n        interpolation = \"") + usda::kInterpolations[elementClass] + "\"\n";
        if (attribute.name == "N" && elementClass < 2 && isTriple && !isTaken("normals"))
            return put("normals", "normal3f", metadata + "    )", true, std::move(value));
        if (type.elementSize > 1) metadata += format("        elementSize = %d\n", type.elementSize);
        std::string name = "primvars:" + usda::identifier(attribute.name);
        std::string typeName = type.name;
        if (attribute.name == "Cd" && isTriple) name = "primvars:displayColor", typeName = "color3f";
        if (attribute.name == "uv" && attribute.meaning == AttributeMeaning::kTextureCoord)
            name = "primvars:st";
        putPrimvar(name, elementClass, typeName, metadata + "    )", attribute.isFloat(), std::move(value));
    }

    void putPrimvar(std::string name, std::size_t elementClass, const std::string& type,
                    const std::string& metadata, bool isBlended, std::string value) {
        if (isTaken(name)) name += usda::kSuffixes[elementClass];
        while (isTaken(name)) name += '_';
        put(name, type, metadata, isBlended, std::move(value));
    }

    void putSet(const AttributeSet& set, std::size_t elementClass, const usda::Sources& sources) {
        for (const Attribute& a : set.attributes) putAttribute(a, elementClass, sources);
        for (const Group& g : set.groups)
            putPrimvar("primvars:group:" + usda::identifier(g.name), elementClass, "bool",
                       std::string(" (\n        interpolation = \"") + usda::kInterpolations[elementClass] +
                           "\"\n    )",
                       false, usda::arrayText(g.members, 1, sources, {0}, false));
    }

    /// Properties that this frame does not have are blocked from here on.
    void blockMissing() {
        for (auto& [name, entry] : entries)
            if (entry.lastFrame != frameCount) entry.channel.add(lastTime, "None", folder);
    }

    std::string header() const {
        std::string first, last, rate;
        appendNumber(first, firstTime);
        appendNumber(last, lastTime);
        appendNumber(rate, options.timeCodesPerSecond);
        const std::string name = usda::identifier(options.primName);
        return "#usda 1.0\n(\n    defaultPrim = \"" + name + "\"\n    endTimeCode = " + last +
               "\n    framesPerSecond = " + rate + "\n    metersPerUnit = 1\n    startTimeCode = " + first +
               "\n    timeCodesPerSecond = " + rate + "\n    upAxis = \"Y\"\n)\n\ndef Mesh \"" + name +
               "\"\n{\n    uniform token orientation = \"rightHanded\"\n    uniform token subdivisionScheme "
               "= \"none\"\n";
    }
};

UsdaWriter::UsdaWriter(const std::string& path, const UsdaOptions& options)
    : state_(std::make_unique<State>()) {
    state_->path = path;
    state_->folder = folderOf(path);
    state_->options = options;
}

UsdaWriter::~UsdaWriter() = default;

void UsdaWriter::addFrame(double timeCode, const Geometry& geometry) {
    State& s = *state_;
    geometry.validate();
    if (s.frameCount > 0 && !(timeCode > s.lastTime))
        throw Error(format("time code %g does not rise", timeCode), "give the frames in order");
    if (s.frameCount == 0) s.firstTime = timeCode;
    s.lastTime = timeCode;
    const usda::SurfaceMesh mesh = usda::extractSurface(geometry);
    s.putMesh(geometry, mesh);
    s.putSet(geometry.points, 0, mesh.point);
    s.putSet(geometry.vertices, 1, mesh.vertex);
    s.putSet(geometry.primitives, 2, mesh.primitive);
    s.putSet(geometry.detail, 3, {0});
    s.blockMissing();
    ++s.frameCount;
}

void UsdaWriter::finish() {
    AtomicFile file(state_->path);
    file.write(state_->header());
    for (auto& [name, entry] : state_->entries) entry.channel.writeTo(file);
    file.write("}\n");
    file.commit();
}

void writeUsdaSequence(const std::string& path, std::size_t frameCount,
                       const std::function<UsdaFrame(std::size_t)>& load, const UsdaOptions& options,
                       Monitor* monitor) {
    UsdaWriter writer(path, options);
    bool hasCurves = false;
    for (std::size_t i = 0; i < frameCount; ++i) {
        throwIfCancelled(monitor);
        const UsdaFrame frame = load(i);
        hasCurves = hasCurves || frame.geometry.countOf(PrimitiveKind::kCurve) > 0;
        writer.addFrame(frame.timeCode, frame.geometry);
        if (monitor) monitor->progress(static_cast<double>(i + 1) / static_cast<double>(frameCount));
    }
    if (hasCurves && monitor) monitor->warn("'" + path + "': curves are left out of the USD mesh");
    writer.finish();
}

}  // namespace sunder
