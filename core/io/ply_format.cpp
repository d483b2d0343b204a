#include "core/io/ply_format.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/text.h"
#include "core/io/number_text.h"
#include "core/io/text_scanner.h"

namespace sunder::ply {

namespace {
bool typeFromName(std::string_view name, Type& type) {
    struct Word {
        const char *oldName, *newName;
        Type type;
    };
    constexpr Word kWords[] = {{"char", "int8", Type::kInt8},        {"uchar", "uint8", Type::kUint8},
                               {"short", "int16", Type::kInt16},     {"ushort", "uint16", Type::kUint16},
                               {"int", "int32", Type::kInt32},       {"uint", "uint32", Type::kUint32},
                               {"float", "float32", Type::kFloat32}, {"double", "float64", Type::kFloat64}};
    for (const Word& w : kWords)
        if (name == w.oldName || name == w.newName) return type = w.type, true;
    return false;
}

class HeaderReader {
  public:
    explicit HeaderReader(const Source& source) : scanner_(source) {}

    Header read() {
        if (scanner_.word() != "ply") scanner_.fail("this is not a .ply file: the first line is not 'ply'");
        for (scanner_.nextLine(); !scanner_.atEnd(); scanner_.nextLine())
            if (readLine()) {
                scanner_.nextLine();
                header_.bytes = scanner_.offset();
                if (!hasFormat_) scanner_.fail("the header names no format");
                return std::move(header_);
            }
        scanner_.fail("the header has no end");
    }

  private:
    bool readLine() {
        const std::string_view keyword = scanner_.word();
        if (keyword == "end_header") return true;
        if (keyword == "format")
            readFormat();
        else if (keyword == "element")
            readElement();
        else if (keyword == "property")
            readProperty();
        else if (keyword != "comment" && keyword != "obj_info" && !keyword.empty())
            scanner_.fail("this line of the header is unknown");
        return false;
    }

    void readFormat() {
        const std::string_view name = scanner_.word();
        hasFormat_ = true;
        if (name == "ascii")
            header_.encoding = Encoding::kText;
        else if (name == "binary_little_endian")
            header_.encoding = Encoding::kLittleEndian;
        else if (name == "binary_big_endian")
            header_.encoding = Encoding::kBigEndian;
        else
            scanner_.fail("this format is unknown");
    }

    void readElement() {
        Element element;
        element.name = scanner_.word();
        std::int64_t count = 0;
        if (!scanner_.number(count) || count < 0 || count > 0x7fffffff)
            scanner_.fail("an element has no possible count");
        element.count = static_cast<std::uint64_t>(count);
        header_.elements.push_back(element);
    }

    void readProperty() {
        if (header_.elements.empty()) scanner_.fail("a property stands before the first element");
        Property property;
        std::string_view type = scanner_.word();
        property.isList = type == "list";
        if (property.isList) {
            if (!typeFromName(scanner_.word(), property.countType))
                scanner_.fail("the type of this list's length is unknown");
            if (property.countType == Type::kFloat32 || property.countType == Type::kFloat64)
                scanner_.fail("the length of a list cannot be real");
            type = scanner_.word();
        }
        if (!typeFromName(type, property.type)) scanner_.fail("the type of this property is unknown");
        property.name = scanner_.word();
        if (header_.elements.back().find(property.name))
            scanner_.fail("the property '" + property.name + "' comes twice");
        if (header_.elements.back().properties.size() >= 1000)
            scanner_.fail("an element has more than 1000 properties");
        header_.elements.back().properties.push_back(property);
    }

    TextScanner scanner_;
    Header header_;
    bool hasFormat_ = false;
};

std::pair<std::int64_t, std::int64_t> rangeOf(Type type) {
    constexpr std::pair<std::int64_t, std::int64_t> kRanges[] = {
        {-128, 127}, {0, 255}, {-32768, 32767}, {0, 65535}, {INT32_MIN, INT32_MAX}, {0, UINT32_MAX}};
    return kRanges[static_cast<std::size_t>(type)];
}

template <class T>
double load(const char* p, bool swap) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, p, sizeof(T));
    if (swap) std::reverse(bytes, bytes + sizeof(T));
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    if constexpr (std::is_same_v<T, float>)
        return widen(value);
    else
        return static_cast<double>(value);
}
}  // namespace

const Property* Element::find(const std::string& property) const {
    for (const Property& p : properties)
        if (p.name == property) return &p;
    return nullptr;
}

Header readHeader(const Source& source) { return HeaderReader(source).read(); }

std::size_t sizeOf(Type type) {
    constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return kSizes[static_cast<std::size_t>(type)];
}

template <class T>
T TableReader::readText() {
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r' || *p_ == '\n')) ++p_;
    T value = 0;
    if (p_ == end_) fail("the file ends before its elements do");
    if (!parseNumber(p_, end_, value)) fail("a number of the announced type is expected here");
    return value;
}

double TableReader::readTextOf(Type type) {
    if (type == Type::kFloat32) return widen(readText<float>());
    if (type == Type::kFloat64) return readText<double>();
    const auto value = readText<std::int64_t>();
    const auto [least, most] = rangeOf(type);
    if (value < least || value > most)
        fail(format("%lld does not fit the announced type", static_cast<long long>(value)));
    return static_cast<double>(value);
}

double TableReader::readValue(Type type) {
    if (encoding_ == Encoding::kText) return readTextOf(type);
    const std::size_t size = sizeOf(type);
    if (static_cast<std::size_t>(end_ - p_) < size) fail("the file ends before its elements do");
    const char* const at = p_;
    p_ += size;
    const bool swap = encoding_ == Encoding::kBigEndian;
    switch (type) {
        case Type::kInt8:
            return load<std::int8_t>(at, swap);
        case Type::kUint8:
            return load<std::uint8_t>(at, swap);
        case Type::kInt16:
            return load<std::int16_t>(at, swap);
        case Type::kUint16:
            return load<std::uint16_t>(at, swap);
        case Type::kInt32:
            return load<std::int32_t>(at, swap);
        case Type::kUint32:
            return load<std::uint32_t>(at, swap);
        case Type::kFloat32:
            return load<float>(at, swap);
        case Type::kFloat64:
            return load<double>(at, swap);
    }
    return 0;
}

/// An announced count must fit in what is left of the file before anything is allocated for it.
void TableReader::checkRoom(const Element& element) const {
    std::uint64_t rowBytes = 0;
    for (const Property& p : element.properties)
        rowBytes += encoding_ == Encoding::kText ? 2 : sizeOf(p.isList ? p.countType : p.type);
    const auto left =
        static_cast<std::uint64_t>(end_ - p_) + 1;  // the last number of a text needs no separator
    if (element.count > 0 && (rowBytes == 0 || element.count > left / rowBytes))
        fail(format("%llu of '%s' are announced, more than the file can hold",
                    static_cast<unsigned long long>(element.count), element.name.c_str()));
}

Table TableReader::read(const Element& element, const std::string& listName, bool keep) {
    checkRoom(element);
    Table table;
    table.scalars.resize(element.properties.size());
    table.lengths.resize(element.properties.size());
    std::vector<bool> isKept;
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
        const Property& p = element.properties[i];
        isKept.push_back(keep && (!p.isList || p.name == listName));
        if (!isKept.back()) continue;
        budget_.take(element.count, p.isList ? 4 : 8, "values");
        if (p.isList)
            table.lengths[i].reserve(element.count);
        else
            table.scalars[i].reserve(element.count);
    }
    for (std::uint64_t row = 0; row < element.count; ++row) readRow(element, isKept, table);
    return table;
}

void TableReader::readRow(const Element& element, const std::vector<bool>& isKept, Table& table) {
    for (std::size_t i = 0; i < element.properties.size(); ++i) {
        const Property& p = element.properties[i];
        if (p.isList) {
            readList(p, isKept[i], table.lengths[i], table.list);
        } else {
            const double value = readValue(p.type);
            if (isKept[i]) table.scalars[i].push_back(value);
        }
    }
}

void TableReader::readList(const Property& property, bool keep, std::vector<std::int32_t>& lengths,
                           std::vector<double>& values) {
    const double length = readValue(property.countType);
    const std::size_t each = encoding_ == Encoding::kText ? 2 : sizeOf(property.type);
    const auto left = static_cast<double>(static_cast<std::size_t>(end_ - p_) / each + 1);
    if (!(length >= 0) || length > left || length != static_cast<double>(static_cast<std::int32_t>(length)))
        fail(format("a list of %.17g values is not possible here", length));
    const auto count = static_cast<std::int32_t>(length);
    if (keep) lengths.push_back(count);
    for (std::int32_t k = 0; k < count; ++k) {
        const double value = readValue(property.type);
        if (keep) values.push_back(value);
    }
}

}  // namespace sunder::ply
