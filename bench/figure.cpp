#include "bench/figure.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace sunder::bench {

void Figure::print() const {
    nlohmann::ordered_json line;
    line["name"] = name;
    line["value"] = value;
    line["unit"] = unit;
    line["target"] = hasTarget ? nlohmann::ordered_json(target) : nlohmann::ordered_json(nullptr);
    line["holds"] = holds();
    line["peer"] = peer.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json({{"name", peer}, {"value", peerValue}});
    line["ratio"] = peer.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(peerValue / value);
    line["rounds"] = rounds;
    for (const auto& [key, number] : checks) line["check"][key] = number;
    std::cout << line.dump() << std::endl;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n == 0 ? 0 : 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

}  // namespace sunder::bench
