#pragma once
// Provenance: handles and page handles as called in OpenVDB's openvdb_houdini (Apache-2.0), elrnv/hdkrs (MIT) and SideFX's permissively licensed
// samples. Own code. A page handle refuses offsets off its page.
#include <GA/GA_Attribute.h>
#include <UT/UT_Vector3.h>

namespace standin {
void requirePage(exint page, GA_Offset offset);

template <typename T>
struct Access;
template <>
struct Access<fpreal32> {
    static constexpr int size = 1;
    static bool fits(const GA_Attribute& a) { return !a.standinIsString(); }
    static fpreal32 get(const GA_Attribute& a, GA_Offset o, int c) { return static_cast<fpreal32>(a.standinNumber(o, c)); }
    static void set(GA_Attribute& a, GA_Offset o, int c, fpreal32 v) { a.standinSet(o, c, static_cast<double>(v)); }
};
template <>
struct Access<fpreal64> {
    static constexpr int size = 1;
    static bool fits(const GA_Attribute& a) { return !a.standinIsString(); }
    static fpreal64 get(const GA_Attribute& a, GA_Offset o, int c) { return a.standinNumber(o, c); }
    static void set(GA_Attribute& a, GA_Offset o, int c, fpreal64 v) { a.standinSet(o, c, v); }
};
template <>
struct Access<int32> {
    static constexpr int size = 1;
    static bool fits(const GA_Attribute& a) { return !a.standinIsString(); }
    static int32 get(const GA_Attribute& a, GA_Offset o, int c) { return static_cast<int32>(a.standinInteger(o, c)); }
    static void set(GA_Attribute& a, GA_Offset o, int c, int32 v) { a.standinSet(o, c, static_cast<int64>(v)); }
};
template <>
struct Access<int64> {
    static constexpr int size = 1;
    static bool fits(const GA_Attribute& a) { return !a.standinIsString(); }
    static int64 get(const GA_Attribute& a, GA_Offset o, int c) { return a.standinInteger(o, c); }
    static void set(GA_Attribute& a, GA_Offset o, int c, int64 v) { a.standinSet(o, c, v); }
};
template <>
struct Access<UT_StringHolder> {
    static constexpr int size = 1;
    static bool fits(const GA_Attribute& a) { return a.standinIsString(); }
    static UT_StringHolder get(const GA_Attribute& a, GA_Offset o, int) { return UT_StringHolder(a.standinText(o)); }
    static void set(GA_Attribute& a, GA_Offset o, int, const UT_StringHolder& v) { a.standinSet(o, v.toStdString()); }
};
template <typename F>
struct Access<UT_Vector3T<F>> {
    static constexpr int size = 3;
    static bool fits(const GA_Attribute& a) { return !a.standinIsString() && a.getTupleSize() >= 3; }
    static UT_Vector3T<F> get(const GA_Attribute& a, GA_Offset o, int) {
        return {static_cast<F>(a.standinNumber(o, 0)), static_cast<F>(a.standinNumber(o, 1)), static_cast<F>(a.standinNumber(o, 2))};
    }
    static void set(GA_Attribute& a, GA_Offset o, int, const UT_Vector3T<F>& v) {
        for (int c = 0; c < 3; ++c) a.standinSet(o, c, static_cast<double>(v[c]));
    }
};
}  // namespace standin

template <typename T>
class GA_ROHandleT {
  public:
    GA_ROHandleT() = default;
    GA_ROHandleT(const GA_Attribute* attribute) { bind(attribute); }
    void bind(const GA_Attribute* attribute) { attribute_ = attribute && standin::Access<T>::fits(*attribute) ? attribute : nullptr; }
    bool isValid() const { return attribute_ != nullptr; }
    bool isInvalid() const { return !isValid(); }
    T get(GA_Offset offset, int component = 0) const { return standin::Access<T>::get(*attribute_, offset, component); }
    int getTupleSize() const { return attribute_->getTupleSize(); }

  private:
    const GA_Attribute* attribute_ = nullptr;
};
template <typename T>
class GA_RWHandleT {
  public:
    GA_RWHandleT() = default;
    GA_RWHandleT(GA_Attribute* attribute) { bind(attribute); }
    void bind(GA_Attribute* attribute) { attribute_ = attribute && standin::Access<T>::fits(*attribute) ? attribute : nullptr; }
    bool isValid() const { return attribute_ != nullptr; }
    bool isInvalid() const { return !isValid(); }
    T get(GA_Offset offset, int component = 0) const { return standin::Access<T>::get(*attribute_, offset, component); }
    void set(GA_Offset offset, const T& value) const { standin::Access<T>::set(*attribute_, offset, 0, value); }
    void set(GA_Offset offset, int component, const T& value) const { standin::Access<T>::set(*attribute_, offset, component, value); }
    void bumpDataId() const { attribute_->bumpDataId(); }

  private:
    GA_Attribute* attribute_ = nullptr;
};
template <typename T>
class GA_ROPageHandleT {
  public:
    GA_ROPageHandleT(const GA_Attribute* attribute) : handle_(attribute) {}
    bool isValid() const { return handle_.isValid(); }
    void setPage(GA_Offset offset) { page_ = static_cast<exint>(offset) / GA_PAGE_SIZE; }
    T get(GA_Offset offset) const {
        standin::requirePage(page_, offset);
        return handle_.get(offset);
    }

  private:
    GA_ROHandleT<T> handle_;
    exint page_ = -1;
};
template <typename T>
class GA_RWPageHandleT {
  public:
    GA_RWPageHandleT(GA_Attribute* attribute) : handle_(attribute) {}
    bool isValid() const { return handle_.isValid(); }
    void setPage(GA_Offset offset) { page_ = static_cast<exint>(offset) / GA_PAGE_SIZE; }
    void set(GA_Offset offset, const T& value) {
        standin::requirePage(page_, offset);
        handle_.set(offset, value);
    }

  private:
    GA_RWHandleT<T> handle_;
    exint page_ = -1;
};
using GA_ROHandleF = GA_ROHandleT<fpreal32>;
using GA_ROHandleD = GA_ROHandleT<fpreal64>;
using GA_ROHandleI = GA_ROHandleT<int32>;
using GA_ROHandleID = GA_ROHandleT<int64>;
using GA_ROHandleV3 = GA_ROHandleT<UT_Vector3>;
using GA_ROHandleV3D = GA_ROHandleT<UT_Vector3D>;
using GA_ROHandleS = GA_ROHandleT<UT_StringHolder>;
using GA_RWHandleF = GA_RWHandleT<fpreal32>;
using GA_RWHandleD = GA_RWHandleT<fpreal64>;
using GA_RWHandleI = GA_RWHandleT<int32>;
using GA_RWHandleID = GA_RWHandleT<int64>;
using GA_RWHandleV3 = GA_RWHandleT<UT_Vector3>;
using GA_RWHandleS = GA_RWHandleT<UT_StringHolder>;
using GA_ROPageHandleV3 = GA_ROPageHandleT<UT_Vector3>;
using GA_RWPageHandleV3 = GA_RWPageHandleT<UT_Vector3>;
