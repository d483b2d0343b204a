// The ways in which Houdini stores the numbers of an attribute: tuples, one array a component, or pages.
#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/io/houdini_format.h"

namespace sunder::houdini {

const json::Value& ReadContext::need(const json::Value& pairs, std::string_view key) const {
    if (const json::Value* value = json::find(pairs, key)) return *value;
    fail(pairs, "the key '" + std::string(key) + "' is missing here");
}

const json::Value& ReadContext::need(const json::Value& pairs, std::string_view key,
                                     std::string_view alias) const {
    const json::Value* value = json::find(pairs, alias);
    return value ? *value : need(pairs, key);
}

std::string_view ReadContext::text(const json::Value& value) const {
    if (!value.isString()) fail(value, "a string is expected here");
    return value.text();
}

std::size_t ReadContext::count(const json::Value& value) const {
    const std::int64_t number = json::integer(source, value);
    if (number < 0 || number > std::numeric_limits<std::int32_t>::max())
        fail(value, format("%lld is not a possible count", static_cast<long long>(number)));
    return static_cast<std::size_t>(number);
}

namespace {
/// How the values of an attribute are cut: pages of elements, and in each page one block for each pack of
/// components.
struct PageLayout {
    std::size_t count, tupleSize, pageSize, pageCount;
    std::vector<std::size_t> packing;
    std::vector<std::vector<std::uint8_t>>
        isConstant;  ///< [pack][page]; an inner array is empty if no page is
    bool constant(std::size_t pack, std::size_t page) const {
        return pack < isConstant.size() && !isConstant[pack].empty() && isConstant[pack][page];
    }
    std::size_t elements(std::size_t page) const { return std::min(pageSize, count - page * pageSize); }
};

void readPacking(const ReadContext& context, const json::Value& values, PageLayout& layout) {
    layout.packing = {layout.tupleSize};
    const json::Value* packing = json::find(values, "packing");
    if (!packing) return;
    std::size_t sum = 0;
    layout.packing.clear();
    for (const std::int32_t pack : context.numbers<std::int32_t>(*packing)) {
        if (pack < 1 || static_cast<std::size_t>(pack) > layout.tupleSize - sum)
            context.fail(*packing, "this packing does not fit the tuple size");
        layout.packing.push_back(static_cast<std::size_t>(pack));
        sum += layout.packing.back();
    }
    if (sum != layout.tupleSize) context.fail(*packing, "this packing does not fit the tuple size");
}

void readConstantFlags(const ReadContext& context, const json::Value& values, PageLayout& layout) {
    const json::Value* flags = json::find(values, "constantpageflags");
    if (!flags) return;
    for (const json::Value& pack : flags->items()) {
        layout.isConstant.push_back(context.numbers<std::uint8_t>(pack));
        if (!layout.isConstant.back().empty() && layout.isConstant.back().size() != layout.pageCount)
            context.fail(
                pack, format("%zu flags for %zu pages", layout.isConstant.back().size(), layout.pageCount));
    }
    if (layout.isConstant.size() > layout.packing.size())
        context.fail(*flags, "there are more lists of flags than packs");
}

PageLayout readPageLayout(const ReadContext& context, const json::Value& values, std::size_t count,
                          std::size_t tupleSize) {
    PageLayout layout{count, tupleSize, context.count(context.need(values, "pagesize")), 0, {}, {}};
    if (layout.pageSize == 0) context.fail(values, "the page size is 0");
    layout.pageCount = (count + layout.pageSize - 1) / layout.pageSize;
    readPacking(context, values, layout);
    readConstantFlags(context, values, layout);
    return layout;
}

std::size_t rawCount(const PageLayout& layout) {
    std::size_t total = 0;
    for (std::size_t page = 0; page < layout.pageCount; ++page)
        for (std::size_t pack = 0; pack < layout.packing.size(); ++pack)
            total += layout.packing[pack] * (layout.constant(pack, page) ? 1 : layout.elements(page));
    return total;
}

template <class T>
std::vector<T> unfoldPages(const ReadContext& context, const PageLayout& layout, const std::vector<T>& raw) {
    context.budget.take(layout.count * layout.tupleSize, sizeof(T), "numbers");
    std::vector<T> out(layout.count * layout.tupleSize);
    std::size_t from = 0;
    for (std::size_t page = 0; page < layout.pageCount; ++page)
        for (std::size_t pack = 0, component = 0; pack < layout.packing.size();
             component += layout.packing[pack++]) {
            const std::size_t width = layout.packing[pack], step = layout.constant(pack, page) ? 0 : width;
            for (std::size_t e = 0; e < layout.elements(page); ++e)
                for (std::size_t c = 0; c < width; ++c)
                    out[(page * layout.pageSize + e) * layout.tupleSize + component + c] =
                        raw[from + e * step + c];
            from += step ? layout.elements(page) * width : width;
        }
    return out;
}

template <class T>
std::vector<T> readPages(const ReadContext& context, const json::Value& values, const json::Value& data,
                         std::size_t count, std::size_t tupleSize) {
    const PageLayout layout = readPageLayout(context, values, count, tupleSize);
    std::vector<T> raw = context.numbers<T>(data);
    if (raw.size() != rawCount(layout))
        context.fail(data, format("%zu numbers where %zu are expected", raw.size(), rawCount(layout)));
    if (layout.packing.size() == 1 && layout.isConstant.empty()) return raw;
    return unfoldPages(context, layout, raw);
}

template <class T>
std::vector<T> readComponents(const ReadContext& context, const json::Value& arrays, std::size_t count,
                              std::size_t tupleSize) {
    const std::vector<T> flat = context.numbers<T>(arrays);
    if (flat.size() != count * tupleSize || (tupleSize > 1 && arrays.items().size() != tupleSize))
        context.fail(arrays,
                     format("%zu numbers where %zu times %zu are expected", flat.size(), tupleSize, count));
    if (tupleSize == 1) return flat;
    context.budget.take(flat.size(), sizeof(T), "numbers");
    std::vector<T> out(flat.size());
    for (std::size_t c = 0; c < tupleSize; ++c)
        for (std::size_t e = 0; e < count; ++e) out[e * tupleSize + c] = flat[c * count + e];
    return out;
}

template <class T>
std::vector<T> readTyped(const ReadContext& context, const json::Value& values, std::size_t count,
                         std::size_t tupleSize) {
    if (const json::Value* pages = json::find(values, "rawpagedata"))
        return readPages<T>(context, values, *pages, count, tupleSize);
    if (const json::Value* arrays = json::find(values, "arrays"))
        return readComponents<T>(context, *arrays, count, tupleSize);
    const json::Value* tuples = json::find(values, "tuples");
    if (!tuples)
        context.fail(values, "these values are stored in an unknown way (no rawpagedata, arrays or tuples)");
    std::vector<T> out = context.numbers<T>(*tuples);
    if (out.size() != count * tupleSize)
        context.fail(*tuples,
                     format("%zu numbers where %zu times %zu are expected", out.size(), count, tupleSize));
    return out;
}
}  // namespace

Attribute::Values readValues(const ReadContext& context, const json::Value& values, std::string_view type,
                             std::size_t count, std::size_t tupleSize) {
    if (type == "fpreal32" || type == "fpreal16") return readTyped<float>(context, values, count, tupleSize);
    if (type == "fpreal64") return readTyped<double>(context, values, count, tupleSize);
    if (type == "int32" || type == "int16" || type == "int8" || type == "uint16")
        return readTyped<std::int32_t>(context, values, count, tupleSize);
    if (type == "int64" || type == "uint32")
        return readTyped<std::int64_t>(context, values, count, tupleSize);
    if (type == "uint8" || type == "bool") return readTyped<std::uint8_t>(context, values, count, tupleSize);
    context.fail(values, "the storage '" + std::string(type) + "' is unknown");
}

std::vector<std::int32_t> readIndices(const ReadContext& context, const json::Value& values,
                                      std::size_t count) {
    if (values.isNumeric() || json::find(values, "size") == nullptr) {
        std::vector<std::int32_t> out = context.numbers<std::int32_t>(values);
        if (out.size() != count)
            context.fail(values, format("%zu numbers where %zu are expected", out.size(), count));
        return out;
    }
    return readTyped<std::int32_t>(context, values, count, 1);
}

namespace {
struct MeaningWord {
    AttributeMeaning meaning;
    std::string_view word;
};
constexpr MeaningWord kMeanings[] = {
    {AttributeMeaning::kPoint, "point"},
    {AttributeMeaning::kHPoint, "hpoint"},
    {AttributeMeaning::kVector, "vector"},
    {AttributeMeaning::kNormal, "normal"},
    {AttributeMeaning::kColor, "color"},
    {AttributeMeaning::kQuaternion, "quaternion"},
    {AttributeMeaning::kMatrix, "matrix"},
    {AttributeMeaning::kTextureCoord, "texturecoord"},
    // integers are never blended here, so this says nothing new; it must not be written for floats
    {AttributeMeaning::kNone, "nonarithmetic_integer"},
    {AttributeMeaning::kNone, "none"}};
}  // namespace

std::string_view meaningName(AttributeMeaning meaning) {
    for (const MeaningWord& m : kMeanings)
        if (m.meaning == meaning && meaning != AttributeMeaning::kNone) return m.word;
    return {};
}

bool meaningFromName(std::string_view name, AttributeMeaning& meaning) {
    for (const MeaningWord& m : kMeanings)
        if (m.word == name) return meaning = m.meaning, true;
    return false;
}

}  // namespace sunder::houdini
