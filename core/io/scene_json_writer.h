#pragma once

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/io/scene_json_schema.h"

namespace sunder {

/// Visitor that turns a struct into a JSON object with every key spelled out. Included by .cpp files alone.
class ObjectWriter {
  public:
    using Json = nlohmann::ordered_json;

    template <class T>
    static Json write(T& value) {
        ObjectWriter writer;
        describe(writer, value);
        return std::move(writer.json_);
    }

    void title(const char*, const char*) {}
    void refused(const Field&) {}
    void number(const Field& f, const double& value) { json_[f.key] = value / f.dimension.bareScale; }
    void numberUpTo(const Field& f, const double& value, const char*, const double&) { number(f, value); }
    void texts(const Field& f, const std::vector<std::string>& values) { json_[f.key] = values; }
    template <class T>
    void integer(const Field& f, const T& value) {
        json_[f.key] = value;
    }
    void natural(const Field& f, const std::uint64_t& value) { json_[f.key] = value; }
    void flag(const Field& f, const bool& value) { json_[f.key] = value; }
    void text(const Field& f, const std::string& value) { json_[f.key] = value; }
    template <int N>
    void vector(const Field& f, const Eigen::Matrix<double, N, 1>& value) {
        Json& array = json_[f.key] = Json::array();
        for (const double v : value) array.push_back(v / f.dimension.bareScale);
    }
    void points(const Field& f, const std::vector<Vec3>& values) {
        Json& array = json_[f.key] = Json::array();
        for (const Vec3& p : values) array.push_back({p.x() / f.dimension.bareScale, p.y() / f.dimension.bareScale, p.z() / f.dimension.bareScale});
    }
    void integers(const Field& f, const std::array<int, 3>& value) { json_[f.key] = value; }
    /// The name alone; the values follow, so that a preset that changes later does not change an old scene.
    void preset(const Field& f, const Material& value) { json_[f.key] = value.name; }
    template <class T>
    void object(const Field& f, T& value) {
        json_[f.key] = write(value);
    }
    template <class T>
    void list(const Field& f, std::vector<T>& values) {
        Json& array = json_[f.key] = Json::array();
        for (T& value : values) array.push_back(write(value));
    }
    template <class T>
    void choice(const Field& f, const T& value, const Choices<T>& choices) {
        for (const auto& c : choices)
            if (c.second == value) json_[f.key] = c.first;
    }
    template <class... Ts>
    void variant(const Field& f, std::variant<Ts...>& value, const std::vector<const char*>& names) {
        std::visit(
            [&](auto& alternative) {
                json_[f.key] = {{names[value.index()], write(alternative)}};
            },
            value);
    }

  private:
    Json json_ = Json::object();
};

}  // namespace sunder
