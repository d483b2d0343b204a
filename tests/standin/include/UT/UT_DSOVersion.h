#pragma once
// Provenance: to be included once in a plugin (public HDK documentation; OpenVDB's openvdb_houdini, Apache-2.0). Own code: the stand-in's loader
// looks for this symbol as Houdini does for its own.
extern "C" __attribute__((visibility("default"))) inline const char* standinDsoVersion() { return "standin-20.5"; }
extern "C" __attribute__((visibility("default"), used)) inline const char* (*const standinDsoVersionUsed)() = &standinDsoVersion;
