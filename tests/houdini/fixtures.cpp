#include "tests/houdini/fixtures.h"

#include <GEO/GEO_PrimPoly.h>
#include <GEO/GEO_PrimTetrahedron.h>
#include <plugin_path.h>
#include <standin/dop.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/io/geometry_io.h"
#include "core/mesh/tet_mesh.h"
#include "tests/support/builders.h"

namespace sunder::test {

namespace {
exint number(GA_Offset o) { return static_cast<exint>(o); }

GA_Offset addPrimitive(GU_Detail& d, PrimitiveKind kind, const std::vector<GA_Offset>& points) {
    std::vector<int> numbers;
    for (const GA_Offset o : points) numbers.push_back(static_cast<int>(number(o)));
    if (kind != PrimitiveKind::kCurve && numbers.size() > 2) std::reverse(numbers.begin() + 1, numbers.end());
    if (kind == PrimitiveKind::kTet) return GEO_PrimTetrahedron::buildBlock(&d, GA_Offset(0), d.getNumPointOffsets(), 1, numbers.data());
    GEO_PolyCounts counts;
    counts.append(static_cast<exint>(numbers.size()), 1);
    return GEO_PrimPoly::buildBlock(&d, GA_Offset(0), d.getNumPointOffsets(), counts, numbers.data(), kind == PrimitiveKind::kPolygon);
}

void setValue(GA_Attribute& a, GA_Offset o, int c, const Attribute& from, std::size_t element) {
    const std::size_t i = element * static_cast<std::size_t>(from.tupleSize) + static_cast<std::size_t>(c);
    if (const auto* f = from.as<float>()) a.standinSet(o, c, static_cast<double>((*f)[i]));
    if (const auto* d = from.as<double>()) a.standinSet(o, c, (*d)[i]);
    if (const auto* n = from.as<std::int32_t>()) a.standinSet(o, c, static_cast<int64>((*n)[i]));
    if (const auto* n = from.as<std::int64_t>()) a.standinSet(o, c, static_cast<int64>((*n)[i]));
    if (const auto* n = from.as<std::uint8_t>()) a.standinSet(o, c, static_cast<int64>((*n)[i]));
    if (const auto* s = from.as<std::string>()) a.standinSet(o, (*s)[i]);
}

constexpr GA_Storage kStorages[] = {GA_STORE_REAL32, GA_STORE_REAL64, GA_STORE_INT32, GA_STORE_INT64, GA_STORE_UINT8, GA_STORE_STRING};
constexpr GA_TypeInfo kInfos[] = {GA_TYPE_VOID,   GA_TYPE_POINT, GA_TYPE_HPOINT,     GA_TYPE_VECTOR,       GA_TYPE_NORMAL,
                                  GA_TYPE_COLOR, GA_TYPE_QUATERNION, GA_TYPE_TRANSFORM, GA_TYPE_TEXTURE_COORD};

GA_ElementGroup* newGroup(GU_Detail& d, GA_AttributeOwner owner, const std::string& name) {
    if (owner == GA_ATTRIB_POINT) return d.newPointGroup(name.c_str());
    if (owner == GA_ATTRIB_VERTEX) return d.newVertexGroup(name.c_str());
    return d.newPrimitiveGroup(name.c_str());
}

void addAll(GU_Detail& d, GA_AttributeOwner owner, const AttributeSet& set, const std::vector<GA_Offset>& offsets) {
    for (const Attribute& from : set.attributes) {
        GA_Attribute* a = d.addTuple(kStorages[from.values.index()], owner, from.name.c_str(), from.tupleSize);
        a->setTypeInfo(kInfos[static_cast<std::size_t>(from.meaning)]);
        for (std::size_t i = 0; i < offsets.size(); ++i)
            for (int c = 0; c < from.tupleSize; ++c) setValue(*a, offsets[i], c, from, i);
    }
    if (owner == GA_ATTRIB_DETAIL) return;
    for (const Group& g : set.groups) {
        GA_ElementGroup* to = newGroup(d, owner, g.name);
        for (std::size_t i = offsets.size(); i-- > 0;)
            if (g.members[i]) to->addOffset(offsets[i]);
    }
}

Attribute readOne(const GA_Attribute& a, const std::vector<GA_Offset>& offsets) {
    Attribute out{a.getName().toStdString(), a.getTupleSize(), AttributeMeaning::kNone, {}};
    for (std::size_t m = 0; m < std::size(kInfos); ++m)
        if (kInfos[m] == a.getTypeInfo()) out.meaning = static_cast<AttributeMeaning>(m);
    const auto fill = [&](auto values, auto&& get) {
        for (const GA_Offset o : offsets)
            for (int c = 0; c < a.getTupleSize(); ++c) values.push_back(static_cast<typename decltype(values)::value_type>(get(o, c)));
        out.values = std::move(values);
    };
    const auto real = [&](GA_Offset o, int c) { return a.standinNumber(o, c); };
    const auto whole = [&](GA_Offset o, int c) { return a.standinInteger(o, c); };
    switch (a.standinStorage()) {
        case GA_STORE_REAL32: fill(std::vector<float>(), real); break;
        case GA_STORE_REAL64: fill(std::vector<double>(), real); break;
        case GA_STORE_INT64: fill(std::vector<std::int64_t>(), whole); break;
        case GA_STORE_UINT8: fill(std::vector<std::uint8_t>(), whole); break;
        case GA_STORE_STRING: fill(std::vector<std::string>(), [&](GA_Offset o, int) { return a.standinText(o); }); break;
        default: fill(std::vector<std::int32_t>(), whole); break;
    }
    return out;
}

AttributeSet readAll(const GU_Detail& d, GA_AttributeOwner owner, const GA_AttributeDict& dict, const std::vector<GA_Offset>& offsets) {
    AttributeSet set;
    for (GA_AttributeDict::iterator it = dict.begin(); !it.atEnd(); ++it)
        if (owner != GA_ATTRIB_POINT || !((*it)->getName() == "P")) set.attributes.push_back(readOne(**it, offsets));
    if (owner == GA_ATTRIB_DETAIL) return set;
    for (auto it = d.getElementGroupTable(owner).beginTraverse(); it != d.getElementGroupTable(owner).endTraverse(); ++it) {
        Group& g = set.addGroup((*it)->getName().toStdString(), offsets.size());
        for (std::size_t i = 0; i < offsets.size(); ++i) g.members[i] = (*it)->containsOffset(offsets[i]) ? 1 : 0;
    }
    return set;
}
}  // namespace

GU_DetailHandle makeDetail(const Geometry& g) {
    auto* d = new GU_Detail;
    // two points and a triangle of every three are to become holes, and points are laid down backwards
    const std::size_t n = g.pointCount();
    std::vector<GA_Offset> point(n, GA_INVALID_OFFSET), holes;
    for (std::size_t i = n; i-- > 0;) {
        if (i % 3 == 0) holes.push_back(d->appendPointOffset());
        point[i] = d->appendPointOffset();
        const Vec3& p = g.positions[i];
        d->setPos3(point[i], UT_Vector3(static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())));
    }
    std::vector<GA_Offset> primitive, vertex, junk;
    for (std::size_t p = 0; p < g.primitiveCount(); ++p) {
        std::vector<GA_Offset> corners;
        for (const std::int32_t i : g.primitivePoints(p)) corners.push_back(point[static_cast<std::size_t>(i)]);
        if (p % 3 == 0) junk.push_back(addPrimitive(*d, PrimitiveKind::kPolygon, {corners[0], corners[1]}));
        primitive.push_back(addPrimitive(*d, g.primitiveKind[p], corners));
        const GA_Size count = d->getPrimitiveVertexCount(primitive.back());
        const bool turned = g.primitiveKind[p] != PrimitiveKind::kCurve && count > 2;
        for (GA_Size k = 0; k < count; ++k) vertex.push_back(d->getPrimitiveVertexOffset(primitive.back(), turned && k > 0 ? count - k : k));
    }
    d->destroyPrimitives(GA_Range(junk));
    d->destroyPoints(GA_Range(holes));
    std::vector<exint> order(n);
    std::iota(order.rbegin(), order.rend(), 0);
    d->standinPermute(GA_ATTRIB_POINT, order);
    addAll(*d, GA_ATTRIB_POINT, g.points, point);
    addAll(*d, GA_ATTRIB_VERTEX, g.vertices, vertex);
    addAll(*d, GA_ATTRIB_PRIMITIVE, g.primitives, primitive);
    addAll(*d, GA_ATTRIB_DETAIL, g.detail, {GA_Offset(0)});
    d->bumpAllDataIds();
    GU_DetailHandle handle;
    handle.allocateAndSet(d);
    return handle;
}

Geometry readDetail(const GU_Detail& d) {
    Geometry g;
    std::vector<GA_Offset> points, vertices, primitives;
    for (const GA_Offset o : d.getPointRange()) {
        points.push_back(o);
        const UT_Vector3 p = d.getPos3(o);
        g.positions.emplace_back(p.x(), p.y(), p.z());
    }
    for (const GA_Offset o : d.getPrimitiveRange()) {
        const GEO_Primitive* p = d.getGEOPrimitive(o);
        if (p->getTypeId() == GA_PRIMPACKED) continue;
        primitives.push_back(o);
        const PrimitiveKind kind = p->getTypeId() == GA_PRIMTETRAHEDRON ? PrimitiveKind::kTet : p->standinClosed() ? PrimitiveKind::kPolygon : PrimitiveKind::kCurve;
        std::vector<GA_Offset> mine = p->standinVertices;
        if (kind != PrimitiveKind::kCurve && mine.size() > 2) std::reverse(mine.begin() + 1, mine.end());
        std::vector<std::int32_t> corners;
        for (const GA_Offset v : mine) corners.push_back(static_cast<std::int32_t>(static_cast<exint>(d.pointIndex(d.vertexPoint(v)))));
        g.addPrimitive(kind, corners);
        vertices.insert(vertices.end(), mine.begin(), mine.end());
    }
    g.points = readAll(d, GA_ATTRIB_POINT, d.pointAttribs(), points);
    g.vertices = readAll(d, GA_ATTRIB_VERTEX, d.vertexAttribs(), vertices);
    g.primitives = readAll(d, GA_ATTRIB_PRIMITIVE, d.primitiveAttribs(), primitives);
    g.detail = readAll(d, GA_ATTRIB_DETAIL, d.attribs(), {GA_Offset(0)});
    return g;
}

std::string bytesOf(Geometry g) {
    for (AttributeSet* set : {&g.points, &g.vertices, &g.primitives, &g.detail}) {
        std::sort(set->groups.begin(), set->groups.end(), [](const Group& a, const Group& b) { return a.name < b.name; });
        std::sort(set->attributes.begin(), set->attributes.end(), [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
    }
    const std::vector<std::uint8_t> bytes = encodeGeometry(g, GeometryFormat::kGeo);
    return std::string(bytes.begin(), bytes.end());
}

Geometry cubeSurface(double side) {
    Geometry g;
    for (int i = 0; i < 8; ++i) g.positions.emplace_back(side * ((i & 1) - 0.5), side * ((i >> 1 & 1) - 0.5), side * ((i >> 2 & 1) - 0.5));
    const std::int32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& f : faces) g.addPrimitive(PrimitiveKind::kPolygon, Span<const std::int32_t>(f, 4));
    return g;
}

Geometry paintedBlock(int cells) {
    const TetMesh mesh = testing::makeBox(cells, cells, cells, Vec3::Ones());
    Geometry g = geometryFromTetMesh(mesh, {});
    const std::size_t n = g.pointCount(), m = g.primitiveCount(), v = g.vertexCount();
    for (Vec3& p : g.positions) p = p.cast<float>().cast<double>();
    g.points.attributes.reserve(8);  // what add() returns must stay in its place
    auto& f = g.points.add<float>("stiffness", n);
    auto& d = g.points.add<double>("precise", n, 3, AttributeMeaning::kVector);
    auto& i = g.points.add<std::int32_t>("count", n, 2);
    auto& l = g.points.add<std::int64_t>("long", n);
    auto& b = g.points.add<std::uint8_t>("byte", n);
    for (std::size_t k = 0; k < n; ++k) {
        f[k] = 0.5f + static_cast<float>(k) / 7;
        for (std::size_t c = 0; c < 3; ++c) d[3 * k + c] = 1.0 / static_cast<double>(3 * k + c + 1);
        i[2 * k] = static_cast<std::int32_t>(k);
        i[2 * k + 1] = -static_cast<std::int32_t>(k);
        l[k] = (std::int64_t{1} << 40) + static_cast<std::int64_t>(k);
        b[k] = static_cast<std::uint8_t>(k % 251);
    }
    auto& names = g.primitives.add<std::string>("name", m);
    for (std::size_t k = 0; k < m; ++k) names[k] = "part" + std::to_string(k % 5);
    auto& uv = g.vertices.add<float>("uv", v, 3, AttributeMeaning::kTextureCoord);
    for (std::size_t k = 0; k < uv.size(); ++k) uv[k] = static_cast<float>(k) / 3;
    auto& corner = g.vertices.add<std::int32_t>("corner", v);
    for (std::size_t k = 0; k < v; ++k) corner[k] = static_cast<std::int32_t>(k);
    auto& seam = g.vertices.add<std::string>("seam", v);
    Group& hard = g.vertices.addGroup("hard", v);
    for (std::size_t k = 0; k < v; ++k) {
        seam[k] = k % 3 == 0 ? "" : "seam" + std::to_string(k % 7);
        hard.members[k] = k % 5 == 0 ? 1 : 0;
    }
    g.detail.add<double>("time", 1)[0] = 0.25;
    const char* groups[] = {"zebra", "ant", "middle"};
    for (std::size_t k = 0; k < 3; ++k) {
        Group& points = g.points.addGroup(groups[k], n);
        Group& tets = g.primitives.addGroup(groups[k], m);
        for (std::size_t e = 0; e < n; ++e) points.members[e] = e % (k + 2) == 0 ? 1 : 0;
        for (std::size_t e = 0; e < m; ++e) tets.members[e] = e % (k + 3) == 0 ? 1 : 0;
    }
    return g;
}

const char* pluginPath() {
    const char* other = std::getenv("SUNDER_PLUGIN");
    return other ? other : SUNDER_PLUGIN_PATH;
}
const standin::Plugin& plugin() {
    static const standin::Plugin opened(pluginPath());
    return opened;
}
const OP_OperatorTable& operators() {
    static OP_OperatorTable table;
    if (table.standinList.empty()) {
        standin::registerSops(plugin(), table);
        standin::registerSim(plugin());
    }
    return table;
}

namespace {
class SourceNode : public SOP_Node {
  public:
    SourceNode(OP_Operator* op, GU_DetailHandle handle) : SOP_Node(nullptr, "source", op), handle_(std::move(handle)) {}
    GU_ConstDetailHandle getCookedGeoHandle(OP_Context&) override { return handle_; }

  protected:
    OP_ERROR cookMySop(OP_Context&) override { return UT_ERROR_NONE; }

  private:
    GU_DetailHandle handle_;
};
}  // namespace

SOP_Node* Network::geometry_(GU_DetailHandle handle) {
    sources_.push_back(std::make_unique<OP_Operator>("source", "Source", nullptr, nullptr, 0, 0));
    nodes_.push_back(std::make_unique<SourceNode>(sources_.back().get(), std::move(handle)));
    return static_cast<SOP_Node*>(nodes_.back().get());
}
SOP_Node* Network::node(const char* type, const std::vector<SOP_Node*>& inputs) {
    OP_Operator* op = operators().getOperator(type);
    if (!op) throw std::runtime_error(std::string("no operator ") + type);
    nodes_.emplace_back(op->standinConstructor()(nullptr, "node", op));
    auto* made = static_cast<SOP_Node*>(nodes_.back().get());
    made->standinInputs = inputs;
    return made;
}
Network::Cooked Network::cook(SOP_Node* node, double time) {
    OP_Context context(time);
    const GU_ConstDetailHandle handle = node->getCookedGeoHandle(context);
    Cooked cooked;
    cooked.messages = node->standinMessages;
    cooked.detail = handle;
    if (!handle.isNull()) cooked.geometry = readDetail(*handle.gdp());
    OP_NodeInfoParms info;
    node->getNodeSpecificInfoText(context, info);
    cooked.info = info.standinText;
    return cooked;
}
bool Network::Cooked::failed() const {
    return std::any_of(messages.begin(), messages.end(), [](const standin::Message& m) { return m.severity >= UT_ERROR_ABORT; });
}
bool Network::Cooked::warned() const {
    return std::any_of(messages.begin(), messages.end(), [](const standin::Message& m) { return m.severity == UT_ERROR_WARNING; });
}
bool Network::Cooked::says(const std::string& part) const { return all().find(part) != std::string::npos; }
std::string Network::Cooked::all() const {
    std::string text;
    for (const standin::Message& m : messages) text += m.text + "\n";
    return text;
}

}  // namespace sunder::test
