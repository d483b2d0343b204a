#pragma once
// Provenance: names on the public GA pages and in OpenVDB's openvdb_houdini (Apache-2.0). Own code. Offsets and indices are types of their own
// here, as in the host's debugging builds, so that taking one for the other does not compile.
#include <SYS/SYS_Types.h>

template <typename Tag>
class GA_StandinNumber {
  public:
    GA_StandinNumber() = default;
    constexpr explicit GA_StandinNumber(exint value) : value_(value) {}
    constexpr explicit operator exint() const { return value_; }
    GA_StandinNumber& operator++() {
        ++value_;
        return *this;
    }
    friend constexpr GA_StandinNumber operator+(GA_StandinNumber a, exint b) { return GA_StandinNumber(a.value_ + b); }
    friend constexpr exint operator-(GA_StandinNumber a, GA_StandinNumber b) { return a.value_ - b.value_; }
    friend constexpr bool operator==(GA_StandinNumber a, GA_StandinNumber b) { return a.value_ == b.value_; }
    friend constexpr bool operator!=(GA_StandinNumber a, GA_StandinNumber b) { return a.value_ != b.value_; }
    friend constexpr bool operator<(GA_StandinNumber a, GA_StandinNumber b) { return a.value_ < b.value_; }

  private:
    exint value_ = -1;
};
struct GA_OffsetTag;
struct GA_IndexTag;
using GA_Offset = GA_StandinNumber<GA_OffsetTag>;
using GA_Index = GA_StandinNumber<GA_IndexTag>;
using GA_Size = exint;
inline constexpr GA_Offset GA_INVALID_OFFSET(-1);
inline constexpr GA_Index GA_INVALID_INDEX(-1);
inline constexpr exint GA_PAGE_SIZE = 1024;

enum GA_AttributeOwner { GA_ATTRIB_VERTEX, GA_ATTRIB_POINT, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL, GA_ATTRIB_DETAIL = GA_ATTRIB_GLOBAL };
enum GA_AttributeScope { GA_SCOPE_PUBLIC, GA_SCOPE_PRIVATE, GA_SCOPE_GROUP };
enum GA_Storage {
    GA_STORE_INVALID = -1,
    GA_STORE_BOOL,
    GA_STORE_UINT8,
    GA_STORE_INT8,
    GA_STORE_INT16,
    GA_STORE_INT32,
    GA_STORE_INT64,
    GA_STORE_REAL16,
    GA_STORE_REAL32,
    GA_STORE_REAL64,
    GA_STORE_STRING
};
enum GA_TypeInfo {
    GA_TYPE_VOID,
    GA_TYPE_POINT,
    GA_TYPE_HPOINT,
    GA_TYPE_VECTOR,
    GA_TYPE_NORMAL,
    GA_TYPE_COLOR,
    GA_TYPE_QUATERNION,
    GA_TYPE_TRANSFORM,
    GA_TYPE_TEXTURE_COORD
};
enum GA_PrimitiveTypeId { GA_PRIMNONE, GA_PRIMPOLY, GA_PRIMTETRAHEDRON, GA_PRIMVOLUME, GA_PRIMPACKED };
using GA_DataId = int64;
