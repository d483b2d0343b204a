#pragma once
// Provenance: loadSubclass(UT_IStream&) as in SideFX's permissively licensed samples; bread() as in the public class page. Own code.
#include <SYS/SYS_Types.h>

#include <cstring>
#include <string>

class UT_IStream {
  public:
    explicit UT_IStream(std::string bytes) : bytes_(std::move(bytes)) {}
    /// Reads bytes as they are; returns how many there were.
    exint bread(char* to, exint count) {
        const exint left = static_cast<exint>(bytes_.size()) - at_, n = count < left ? count : left;
        std::memcpy(to, bytes_.data() + at_, static_cast<std::size_t>(n));
        at_ += n;
        return n;
    }
    exint standinLeft() const { return static_cast<exint>(bytes_.size()) - at_; }

  private:
    std::string bytes_;
    exint at_ = 0;
};
