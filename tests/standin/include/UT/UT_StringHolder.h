#pragma once
// Provenance: class pages of UT_StringHolder, UT_StringRef and UT_String; callers in OpenVDB's openvdb_houdini (Apache-2.0). Own code. A UT_String
// that the host has filled is refused once the call is over.
#include <cstring>
#include <string>

class UT_StringHolder {
  public:
    UT_StringHolder() = default;
    UT_StringHolder(const char* text) : text_(text ? text : "") {}
    UT_StringHolder(const std::string& text) : text_(text) {}
    const char* c_str() const { return text_.c_str(); }
    const char* buffer() const { return text_.c_str(); }
    std::string toStdString() const { return text_; }
    std::size_t length() const { return text_.size(); }
    bool isEmpty() const { return text_.empty(); }
    bool isstring() const { return !text_.empty(); }
    operator const char*() const { return text_.c_str(); }
    friend bool operator==(const UT_StringHolder& a, const UT_StringHolder& b) { return a.text_ == b.text_; }
    friend bool operator==(const UT_StringHolder& a, const char* b) { return a.text_ == b; }
    friend bool operator!=(const UT_StringHolder& a, const UT_StringHolder& b) { return !(a == b); }

  private:
    std::string text_;
};
using UT_StringRef = UT_StringHolder;

/// Of a C string it keeps the address alone, until it is hardened: what the host hands out is gone when its call is over.
class UT_String {
  public:
    UT_String() = default;
    UT_String(const char* text) : shallow_(text) {}
    UT_String(const std::string& text) : text_(text) {}
    UT_String& operator=(const char* text) {
        shallow_ = text;
        text_.clear();
        return *this;
    }
    UT_String& operator=(const std::string& text) {
        shallow_ = nullptr;
        text_ = text;
        return *this;
    }
    const char* c_str() const;
    std::string toStdString() const { return c_str(); }
    bool isstring() const { return *c_str() != '\0'; }
    void harden() { *this = toStdString(); }
    void hardenIfNeeded() {
        if (shallow_) harden();
    }
    bool operator==(const char* text) const { return toStdString() == text; }

  private:
    const char* shallow_ = nullptr;
    std::string text_;
};

inline namespace UT_StringHolderLiterals {
inline UT_StringHolder operator""_sh(const char* text, std::size_t length) { return UT_StringHolder(std::string(text, length)); }
}  // namespace UT_StringHolderLiterals
