#include "core/sim/material_rows.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

namespace {
const std::vector<std::string>* textsOf(const AttributeSet& set, const char* kind) {
    const Attribute* a = set.find(kMaterialAttribute);
    if (!a) return nullptr;
    if (!a->isString())
        throw Error(format("the %s attribute '%s' is not a text", kind, kMaterialAttribute), "delete it, and give the tets a material with the node Sunder Material");
    return a->as<std::string>();
}

/// Rows by their texts, in the order in which they are asked for.
class Rows {
  public:
    Rows(const Material& own, const MaterialReader& read, std::string owner) : own_(own), read_(read), owner_(std::move(owner)) {}

    std::int32_t rowOf(const std::string& text) {
        if (last_ >= 0 && texts[static_cast<std::size_t>(last_)] == text) return last_;  // tets of a material follow each other
        const auto [place, isNew] = byText_.try_emplace(text, static_cast<std::int32_t>(texts.size()));
        if (isNew) {
            materials.push_back(text.empty() ? own_ : read_(text, owner_));
            texts.push_back(text);
        }
        return last_ = place->second;
    }

    std::vector<Material> materials;
    std::vector<std::string> texts;

  private:
    const Material& own_;
    const MaterialReader& read_;
    const std::string owner_;
    std::unordered_map<std::string, std::int32_t> byText_;
    std::int32_t last_ = -1;
};

void tellOfTheOthers(const Body& body, Monitor* monitor) {
    const bool some = body.materials.size() > 1 && body.ownMaterial();
    if (!some || !monitor) return;
    const auto others = std::count(body.tetMaterial.begin(), body.tetMaterial.end(), 0);
    monitor->warn(format("%td of the %zu tets of body '%s' name no material ('%s') and have that of the body. Put a node Sunder Material behind each of the solids that are merged", others,
                         body.mesh.tetCount(), body.name.c_str(), kMaterialAttribute));
}
}  // namespace

bool namesMaterials(const Geometry& geometry) {
    for (const AttributeSet* set : {&geometry.primitives, &geometry.detail}) {
        const Attribute* a = set->find(kMaterialAttribute);
        if (!a || !a->isString()) continue;
        const auto& texts = *a->as<std::string>();
        if (std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return !text.empty(); })) return true;
    }
    return false;
}

void addMaterials(Body& body, MeshAttributes& attributes, const Material& own, const MaterialReader* read, Monitor* monitor) {
    body.materials = {own};
    body.materialText.clear();
    body.tetMaterial.assign(body.mesh.tetCount(), 0);
    const auto* ofTets = read ? textsOf(attributes.tets, "primitive") : nullptr;
    const auto* ofAll = read ? textsOf(attributes.detail, "detail") : nullptr;
    if (ofTets || ofAll) {
        const std::string shared = ofAll && !ofAll->empty() ? ofAll->front() : std::string();
        const auto textOf = [&](std::size_t t) -> const std::string& { return ofTets && !(*ofTets)[t].empty() ? (*ofTets)[t] : shared; };
        Rows rows(own, *read, format("%s of body '%s'", kMaterialAttribute, body.name.c_str()));
        const std::size_t count = body.mesh.tetCount();
        bool isOwn = false;  // some are: their row comes first
        for (std::size_t t = 0; t < count && !isOwn; ++t) isOwn = textOf(t).empty();
        if (isOwn) rows.rowOf("");
        for (std::size_t t = 0; t < count; ++t) body.tetMaterial[t] = rows.rowOf(textOf(t));
        body.materials = std::move(rows.materials);
        body.materialText = std::move(rows.texts);
    }
    for (AttributeSet* set : {&attributes.tets, &attributes.detail}) set->erase(kMaterialAttribute);
    tellOfTheOthers(body, monitor);
}

std::vector<std::string> materialTexts(const Body& body) {
    std::vector<std::string> texts(body.mesh.tetCount());
    if (!body.materialText.empty())
        for (std::size_t t = 0; t < texts.size(); ++t) texts[t] = body.materialText[static_cast<std::size_t>(body.tetMaterial[t])];
    return texts;
}

}  // namespace sunder
