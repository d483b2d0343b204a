#pragma once
// Provenance: macro names as used in OpenVDB's openvdb_houdini (Apache-2.0). Own code.
#define SYS_VERSION_MAJOR_INT 20
#define SYS_VERSION_MINOR_INT 5
