#pragma once
// Provenance: getTime and getFrame as called in OpenVDB's openvdb_houdini (Apache-2.0). Own code.
#include <SYS/SYS_Types.h>

class OP_Context {
  public:
    explicit OP_Context(fpreal time = 0) : time_(time) {}
    fpreal getTime() const { return time_; }

  private:
    fpreal time_;
};
