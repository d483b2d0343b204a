#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/read_limits.h"
#include "core/io/source.h"

namespace sunder::ply {

enum class Type : std::uint8_t { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat32, kFloat64 };
enum class Encoding { kText, kLittleEndian, kBigEndian };

struct Property {
    std::string name;
    Type type = Type::kFloat32;     ///< of the values
    Type countType = Type::kUint8;  ///< of a list's length
    bool isList = false;
};

struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
    const Property* find(const std::string& property) const;
};

struct Header {
    Encoding encoding = Encoding::kText;
    std::vector<Element> elements;
    std::size_t bytes = 0;  ///< where the data start
};
Header readHeader(const Source& source);

std::size_t sizeOf(Type type);

/// Values of one element: a column for each property. A double holds every type of the format exactly.
struct Table {
    std::vector<std::vector<double>> scalars;        ///< [property][row]; empty for a list
    std::vector<std::vector<std::int32_t>> lengths;  ///< [property][row] of the list that was asked for
    std::vector<double> list;                        ///< its values, row after row
};

/// Reads the elements one after the other.
class TableReader {
  public:
    TableReader(const Source& source, const Header& header, Budget& budget)
        : source_(source),
          encoding_(header.encoding),
          budget_(budget),
          p_(source.begin() + header.bytes),
          end_(source.end()) {}
    /// Keeps the scalars, and of the lists the one of that name; `keep` false reads over it all.
    Table read(const Element& element, const std::string& listName, bool keep);

  private:
    double readValue(Type type);
    template <class T>
    T readText();
    double readTextOf(Type type);
    void checkRoom(const Element& element) const;
    void readRow(const Element& element, const std::vector<bool>& isKept, Table& table);
    void readList(const Property& property, bool keep, std::vector<std::int32_t>& lengths,
                  std::vector<double>& values);
    [[noreturn]] void fail(const std::string& what) const { source_.fail(source_.offsetOf(p_), what); }

    const Source& source_;
    Encoding encoding_;
    Budget& budget_;
    const char *p_, *end_;
};

}  // namespace sunder::ply
