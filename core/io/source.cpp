#include "core/io/source.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

std::string Source::place(std::size_t offset) const {
    if (!isText) return format("byte %zu", offset);
    const std::size_t stop = std::min(offset, bytes.size());
    return format("line %zu", static_cast<std::size_t>(std::count(begin(), begin() + stop, '\n')) + 1);
}

void Source::fail(std::size_t offset, const std::string& what, const std::string& remedy) const {
    throw Error(
        "'" + name + "', " + place(offset) + ": " + what,
        remedy.empty() ? "the file is damaged or was not written completely; write it again" : remedy);
}

}  // namespace sunder
