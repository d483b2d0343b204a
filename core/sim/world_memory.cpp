#include "core/sim/world_memory.h"

namespace sunder {

namespace {
template <class T>
std::size_t bytesOf(const std::vector<T>& v) {
    return v.capacity() * sizeof(T);
}
std::size_t bytesOf(const std::string& text) { return sizeof text + (text.capacity() > 15 ? text.capacity() : 0); }
std::size_t bytesOf(const std::vector<std::string>& texts) {
    std::size_t sum = (texts.capacity() - texts.size()) * sizeof(std::string);
    for (const std::string& text : texts) sum += bytesOf(text);
    return sum;
}
template <class... Vectors>
std::size_t sumOf(const Vectors&... vectors) {
    return (bytesOf(vectors) + ... + std::size_t{0});
}

std::size_t memoryOf(const AttributeSet& set) {
    std::size_t sum = bytesOf(set.attributes) + bytesOf(set.groups);
    for (const Attribute& a : set.attributes) sum += std::visit([](const auto& values) { return bytesOf(values); }, a.values);
    for (const Group& g : set.groups) sum += bytesOf(g.members);
    return sum;
}
std::size_t memoryOf(const Constraints& constraints) {
    std::size_t sum = 0;
    for (const HardTarget& t : constraints.hard) sum += sizeof t + sumOf(t.vertices, t.anchor, t.motion.keys);
    for (const SoftTarget& t : constraints.soft) sum += sizeof t + sumOf(t.vertices, t.anchor, t.weight, t.motion.keys);
    return sum;
}
std::size_t memoryOf(const RowLists& rows) {
    std::size_t items = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) items += 3 + rows[r].size();  // first, count and room
    return items * sizeof(std::int32_t);
}
std::size_t memoryOf(const ElementTable& e) {
    return sumOf(e.packs, e.packMaterial, e.packPlastic, e.packEntries, e.packTet, e.packBounds, e.chunks, e.chunkVertex, e.chunkEntry, e.tetLane) + memoryOf(e.slots);
}
std::size_t memoryOf(const CrackLead& lead) { return sumOf(lead.weak, lead.cell, lead.part, lead.breakTime, lead.split, lead.inactive, lead.inactiveTet); }
}  // namespace

std::size_t memoryOf(const Body& b) {
    const std::size_t attributes = memoryOf(b.attributes.vertices) + memoryOf(b.attributes.tets) + memoryOf(b.attributes.detail);
    const std::size_t cracks = sumOf(b.origin, b.tetParent, b.insideFaces, b.cellSize, b.columnHeight, b.goneTets, b.pieceOf.vertices, b.pieceOf.tets, b.massScale);
    const std::size_t made = sumOf(b.mass, b.massDamping, b.stiffness, b.tetMaterials, b.toughnessScale, b.tetStrength) + memoryOf(b.lead) + memoryOf(b.elements);
    return sizeof b + sumOf(b.mesh.rest, b.mesh.tets, b.materials, b.tetMaterial, b.materialText, b.force, b.weakSurfaces) + attributes + memoryOf(b.constraints) + cracks + made;
}

std::size_t memoryOf(const BodyState& s) {
    std::size_t sum = sizeof s + sumOf(s.x, s.v, s.a, s.plastic, s.debts, s.released, s.damage);
    sum += sumOf(s.contact.slide, s.contact.stored, s.contact.allowance, s.contact.entries, s.contact.ledEntries) + sumOf(s.sleep.pieces, s.sleep.still);
    for (const PieceSleep& p : s.sleep.pieces) sum += bytesOf(p.touched);
    return sum;
}

}  // namespace sunder
