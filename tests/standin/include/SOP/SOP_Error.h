#pragma once
// Provenance: SOP_MESSAGE as the code of free text, as in OpenVDB's openvdb_houdini (Apache-2.0). Own code.
enum SOP_ErrorCode { SOP_MESSAGE = 1 };
