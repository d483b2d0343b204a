#pragma once

#include <GU/GU_Detail.h>
#include <UT/UT_IStream.h>

#include <iosfwd>

namespace standin {
/// A detail as bytes, with every bit of every value, holes closed.
void writeDetail(std::ostream& out, const GU_Detail& detail);
bool readDetail(UT_IStream& in, GU_Detail& detail);
}  // namespace standin
