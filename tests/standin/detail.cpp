#include <GEO/GEO_PrimPoly.h>
#include <GEO/GEO_PrimTetrahedron.h>
#include <GU/GU_DetailHandle.h>
#include <standin/standin.h>

#include <algorithm>
#include <cstring>

namespace standin {
GA_DataId freshDataId();
}

namespace {
std::size_t number(GA_Offset o) { return static_cast<std::size_t>(static_cast<exint>(o)); }
}  // namespace

GA_Offset GA_IndexMap::offsetFromIndex(GA_Index i) const {
    const auto n = static_cast<exint>(i);
    if (n < 0 || n >= indexSize()) {
        standin::violation("an index beyond the end was asked for its offset");
        return GA_INVALID_OFFSET;
    }
    return offsets_[static_cast<std::size_t>(n)];
}
bool GA_IndexMap::isOffsetActive(GA_Offset o) const {
    return static_cast<exint>(o) >= 0 && static_cast<exint>(o) < offsetSize() && indices_[number(o)] != GA_INVALID_INDEX;
}
GA_Index GA_IndexMap::indexFromOffset(GA_Offset o) const {
    if (!isOffsetActive(o)) {
        standin::violation("an offset that is a hole or beyond the end was asked for its index");
        return GA_INVALID_INDEX;
    }
    return indices_[number(o)];
}
GA_Offset GA_IndexMap::standinAppend(GA_Size count) {
    const GA_Offset first(offsetSize());
    for (GA_Size k = 0; k < count; ++k) {
        indices_.emplace_back(indexSize());
        offsets_.push_back(first + k);
    }
    return first;
}
void GA_IndexMap::standinRemove(const std::vector<GA_Offset>& gone) {
    for (const GA_Offset o : gone) indices_[number(o)] = GA_INVALID_INDEX;
    offsets_.erase(std::remove_if(offsets_.begin(), offsets_.end(), [&](GA_Offset o) { return indices_[number(o)] == GA_INVALID_INDEX; }), offsets_.end());
    for (std::size_t i = 0; i < offsets_.size(); ++i) indices_[number(offsets_[i])] = GA_Index(static_cast<exint>(i));
}
void GA_IndexMap::standinPermute(const std::vector<exint>& order) {
    std::vector<GA_Offset> next;
    for (const exint i : order) next.push_back(offsets_[static_cast<std::size_t>(i)]);
    offsets_ = std::move(next);
    for (std::size_t i = 0; i < offsets_.size(); ++i) indices_[number(offsets_[i])] = GA_Index(static_cast<exint>(i));
}

void GA_PrimitiveList::bumpDataId() {
    dataId_ = standin::freshDataId();
    standinDirty = false;
}

GA_Detail::GA_Detail() {
    maps_[GA_ATTRIB_GLOBAL].standinAppend(1);
    p_ = addTuple(GA_STORE_REAL32, GA_ATTRIB_POINT, "P", 3);
    p_->setTypeInfo(GA_TYPE_POINT);
    bumpAllDataIds();
    standin::countDetails(1);
}
GA_Detail::~GA_Detail() { standin::countDetails(-1); }

void GA_Detail::standinRequireWritable(const char* what) const {
    standinRequireThere(what);
    if (frozen_ > 0) standin::violation(std::string("'") + what + "' was written in geometry that is const or shared");
}
void GA_Detail::standinRequireThere(const char* what) const {
    if (stolen_) standin::violation(std::string("'") + what + "' was used of an input that was stolen");
}

GA_Offset GA_Detail::appendPointBlock(GA_Size count) {
    standinRequireWritable("points");
    const GA_Offset first = maps_[GA_ATTRIB_POINT].standinAppend(count);
    resizeAttributes(GA_ATTRIB_POINT);
    return first;
}
void GA_Detail::resizeAttributes(GA_AttributeOwner owner) {
    for (const auto& a : dicts_[owner].standinList) a->standinResize(maps_[owner].offsetSize());
}
GA_Size GA_Detail::destroyPoints(const GA_Range& range) {
    standinRequireWritable("points");
    std::vector<bool> used(static_cast<std::size_t>(getNumPointOffsets()), false);
    for (const GA_Offset v : maps_[GA_ATTRIB_VERTEX].standinOffsets()) used[number(vertexPoint_[number(v)])] = true;
    std::vector<GA_Offset> gone;
    for (const GA_Offset o : range)
        if (!used[number(o)]) gone.push_back(o);
    maps_[GA_ATTRIB_POINT].standinRemove(gone);
    return static_cast<GA_Size>(gone.size());
}
GA_Size GA_Detail::destroyPrimitives(const GA_Range& range) {
    standinRequireWritable("primitives");
    std::vector<GA_Offset> vertices;
    for (const GA_Offset o : range) {
        vertices.insert(vertices.end(), primitives_[number(o)]->standinVertices.begin(), primitives_[number(o)]->standinVertices.end());
        primitives_[number(o)].reset();
    }
    maps_[GA_ATTRIB_VERTEX].standinRemove(vertices);
    maps_[GA_ATTRIB_PRIMITIVE].standinRemove(range.standinOffsets());
    primitiveList_.standinDirty = topology_.standinDirty = true;
    return range.getEntries();
}
void GA_Detail::clearAndDestroy() {
    standinRequireWritable("everything");
    for (const GA_AttributeOwner owner : {GA_ATTRIB_VERTEX, GA_ATTRIB_POINT, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL}) {
        maps_[owner] = GA_IndexMap();
        dicts_[owner].standinList.clear();
        groups_[owner].standinList.clear();
    }
    vertexPoint_.clear();
    primitives_.clear();
    maps_[GA_ATTRIB_GLOBAL].standinAppend(1);
    p_ = addTuple(GA_STORE_REAL32, GA_ATTRIB_POINT, "P", 3);
    p_->setTypeInfo(GA_TYPE_POINT);
    bumpAllDataIds();
}
void GA_Detail::replaceWith(const GA_Detail& from) {
    standinRequireWritable("everything");
    from.standinRequireThere("everything");
    for (const GA_AttributeOwner owner : {GA_ATTRIB_VERTEX, GA_ATTRIB_POINT, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL}) {
        maps_[owner] = from.maps_[owner];
        dicts_[owner].standinList.clear();
        for (const auto& a : from.dicts_[owner].standinList) {
            auto copy = std::make_unique<GA_Attribute>(*this, owner, a->getName().toStdString(), a->standinStorage(), a->getTupleSize(), a->standinInitial());
            copy->standinCopy(*a);
            dicts_[owner].standinList.push_back(std::move(copy));
        }
        groups_[owner].standinList.clear();
        for (const auto& g : from.groups_[owner].standinList) {
            auto copy = std::make_unique<GA_ElementGroup>(*this, g->getName().toStdString());
            copy->standinMembers = g->standinMembers;
            copy->bumpDataId();
            groups_[owner].standinList.push_back(std::move(copy));
        }
    }
    vertexPoint_ = from.vertexPoint_;
    primitives_.clear();
    for (const auto& p : from.primitives_) {
        primitives_.push_back(p ? p->standinClone() : nullptr);
        if (p) primitives_.back()->standinDetail = this;
    }
    p_ = dicts_[GA_ATTRIB_POINT].standinFind("P");
    primitiveList_ = from.primitiveList_;
    topology_ = from.topology_;
}

UT_Vector3 GA_Detail::getPos3(GA_Offset o) const { return GA_ROHandleV3(p_).get(o); }
void GA_Detail::setPos3(GA_Offset o, const UT_Vector3& p) { GA_RWHandleV3(p_).set(o, p); }

const GEO_Primitive* GA_Detail::getGEOPrimitive(GA_Offset o) const {
    standinRequireThere("primitives");
    if (!maps_[GA_ATTRIB_PRIMITIVE].isOffsetActive(o)) {
        standin::violation("a primitive was asked for at an offset that is a hole or beyond the end (an index taken for an offset?)");
        static const GEO_Primitive none(GA_PRIMNONE, false);
        return &none;
    }
    return primitives_[number(o)].get();
}
GA_Size GA_Detail::getPrimitiveVertexCount(GA_Offset primitive) const { return getGEOPrimitive(primitive)->getVertexCount(); }
GA_Offset GA_Detail::getPrimitiveVertexOffset(GA_Offset primitive, GA_Size i) const { return getGEOPrimitive(primitive)->getVertexOffset(i); }
GA_Offset GA_Detail::vertexPoint(GA_Offset vertex) const {
    standinRequireThere("vertices");
    if (!maps_[GA_ATTRIB_VERTEX].isOffsetActive(vertex)) {
        standin::violation("the point of a vertex was asked for at an offset that is a hole or beyond the end");
        return GA_INVALID_OFFSET;
    }
    return vertexPoint_[number(vertex)];
}

GA_Attribute* GA_Detail::findAttribute(GA_AttributeOwner owner, const char* name) { return dicts_[owner].standinFind(name); }
const GA_Attribute* GA_Detail::findAttribute(GA_AttributeOwner owner, const char* name) const { return dicts_[owner].standinFind(name); }
GA_Attribute* GA_Detail::addTuple(GA_Storage storage, GA_AttributeOwner owner, const char* name, int size, const GA_Defaults& defaults) {
    standinRequireWritable(name);
    if (GA_Attribute* there = findAttribute(owner, name)) {
        if (there->standinStorage() == storage && there->getTupleSize() == size) return there;
        standin::takeMemory();
        destroyAttribute(owner, name);
    } else if (std::strcmp(name, "P") != 0) {
        standin::takeMemory();
    }
    auto fresh = std::make_unique<GA_Attribute>(*this, owner, name, storage, size, defaults.get());
    fresh->standinResize(maps_[owner].offsetSize());
    dicts_[owner].standinList.push_back(std::move(fresh));
    return dicts_[owner].standinList.back().get();
}
GA_Attribute* GA_Detail::addStringTuple(GA_AttributeOwner owner, const char* name, int size) { return addTuple(GA_STORE_STRING, owner, name, size); }
bool GA_Detail::destroyAttribute(GA_AttributeOwner owner, const char* name) {
    standinRequireWritable(name);
    auto& list = dicts_[owner].standinList;
    const auto place = std::find_if(list.begin(), list.end(), [&](const auto& a) { return a->getName() == name; });
    if (place == list.end()) return false;
    list.erase(place);
    return true;
}

template <class Group>
Group* GA_Detail::newGroup(GA_AttributeOwner owner, const char* name) {
    standinRequireWritable(name);
    if (GA_ElementGroup* there = groups_[owner].standinFind(name)) return static_cast<Group*>(there);
    groups_[owner].standinList.push_back(std::make_unique<Group>(*this, name));
    return static_cast<Group*>(groups_[owner].standinList.back().get());
}
GA_PointGroup* GA_Detail::newPointGroup(const char* name) { return newGroup<GA_PointGroup>(GA_ATTRIB_POINT, name); }
GA_VertexGroup* GA_Detail::newVertexGroup(const char* name) { return newGroup<GA_VertexGroup>(GA_ATTRIB_VERTEX, name); }
GA_PrimitiveGroup* GA_Detail::newPrimitiveGroup(const char* name) { return newGroup<GA_PrimitiveGroup>(GA_ATTRIB_PRIMITIVE, name); }

void GA_Detail::bumpDataIdsForAddOrRemove(bool points, bool vertices, bool primitives) {
    const std::pair<bool, GA_AttributeOwner> all[] = {{points, GA_ATTRIB_POINT}, {vertices, GA_ATTRIB_VERTEX}, {primitives, GA_ATTRIB_PRIMITIVE}};
    for (const auto& [on, owner] : all) {
        if (!on) continue;
        for (const auto& a : dicts_[owner].standinList) a->bumpDataId();
        for (const auto& g : groups_[owner].standinList) g->bumpDataId();
    }
    if (primitives) primitiveList_.bumpDataId();
    if (points || vertices || primitives) {
        topology_.standinDirty = false;
        topology_.standinPointRef.standinDataId = standin::freshDataId();
    }
}
void GA_Detail::bumpAllDataIds() {
    bumpDataIdsForAddOrRemove(true, true, true);
    for (const auto& a : dicts_[GA_ATTRIB_GLOBAL].standinList) a->bumpDataId();
}
std::vector<std::string> GA_Detail::standinStale() const {
    std::vector<std::string> names;
    for (const auto& dict : dicts_)
        for (const auto& a : dict.standinList)
            if (a->standinDirty()) names.push_back(a->getName().toStdString());
    for (const auto& table : groups_)
        for (const auto& g : table.standinList)
            if (g->standinDirty()) names.push_back(g->getName().toStdString());
    if (primitiveList_.standinDirty) names.emplace_back("the list of primitives");
    if (topology_.standinDirty) names.emplace_back("the topology");
    return names;
}

GA_Offset GA_Detail::standinAddPrimitive(std::unique_ptr<GEO_Primitive> primitive, const std::vector<GA_Offset>& points) {
    standinRequireWritable("primitives");
    const GA_Offset firstVertex = maps_[GA_ATTRIB_VERTEX].standinAppend(static_cast<GA_Size>(points.size()));
    for (std::size_t k = 0; k < points.size(); ++k) {
        if (!maps_[GA_ATTRIB_POINT].isOffsetActive(points[k])) standin::violation("a primitive was given a point that is not there");
        vertexPoint_.push_back(points[k]);
        primitive->standinVertices.push_back(firstVertex + static_cast<exint>(k));
    }
    primitive->standinDetail = this;
    primitives_.push_back(std::move(primitive));
    primitiveList_.standinDirty = topology_.standinDirty = true;
    return maps_[GA_ATTRIB_PRIMITIVE].standinAppend(1);
}

namespace {
template <class Make>
GA_Offset addBlock(GA_Detail& detail, GA_Offset start, GA_Size points, const GEO_PolyCounts& counts, const int* numbers, const Make& make) {
    GA_Offset first = GA_INVALID_OFFSET;
    for (const auto& [size, count] : counts.standinRuns)
        for (exint k = 0; k < count; ++k) {
            std::vector<GA_Offset> corners;
            for (exint c = 0; c < size; ++c, ++numbers) {
                if (*numbers < 0 || *numbers >= points) standin::violation("a primitive was given a point number beyond its block");
                corners.push_back(start + *numbers);
            }
            const GA_Offset added = detail.standinAddPrimitive(make(), corners);
            if (first == GA_INVALID_OFFSET) first = added;
        }
    return first;
}
}  // namespace

GA_Offset GEO_PrimPoly::buildBlock(GA_Detail* detail, GA_Offset start, GA_Size points, const GEO_PolyCounts& counts, const int* numbers, bool closed) {
    const GA_Offset first = addBlock(*detail, start, points, counts, numbers, [closed] { return std::make_unique<GEO_PrimPoly>(closed); });
    detail->standinResizeAfterBlock();
    return first;
}
GA_Offset GEO_PrimTetrahedron::buildBlock(GA_Detail* detail, GA_Offset start, GA_Size points, GA_Size tets, const int* numbers) {
    GEO_PolyCounts counts;
    counts.append(4, tets);
    const GA_Offset first = addBlock(*detail, start, points, counts, numbers, [] { return std::make_unique<GEO_PrimTetrahedron>(); });
    detail->standinResizeAfterBlock();
    return first;
}

// ---- handles

standin::SharedDetail::~SharedDetail() {
    if (readers != 0 || writers != 0) violation("a lock of geometry was never released");
}
void GU_DetailHandle::allocateAndSet(GU_Detail* detail, bool) {
    shared_ = std::make_shared<standin::SharedDetail>();
    shared_->detail.reset(detail);
}
GU_Detail* GU_DetailHandle::gdpNC() {
    if (shared_ && standinShared()) standin::violation("geometry that is shared was asked for to be written");
    return shared_ ? shared_->detail.get() : nullptr;
}
const GU_Detail* GU_DetailHandle::readLock() const {
    if (!shared_) return nullptr;
    ++shared_->readers;
    return shared_->detail.get();
}
GU_Detail* GU_DetailHandle::writeLock() const {
    if (!shared_) return nullptr;
    if (standinShared()) standin::violation("geometry that is shared was locked for writing");
    ++shared_->writers;
    return shared_->detail.get();
}
void GU_DetailHandle::unlock(const GU_Detail*) const {
    if (shared_->writers > 0)
        --shared_->writers;
    else
        --shared_->readers;
}
