#pragma once

#include <string>
#include <vector>

namespace sunder {

/// The candidate with the smallest edit distance to `word`, or an empty string if none is at all alike.
std::string nearestWord(const std::string& word, const std::vector<std::string>& candidates);

/// Text made as by printf.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

}  // namespace sunder
