#pragma once
// Provenance: append(size, count) as in the public class page of GEO_PolyCounts and OpenVDB's openvdb_houdini (Apache-2.0). Own code.
#include <SYS/SYS_Types.h>

#include <utility>
#include <vector>

class GEO_PolyCounts {
  public:
    void append(exint size, exint count = 1) { standinRuns.emplace_back(size, count); }
    std::vector<std::pair<exint, exint>> standinRuns;
};
