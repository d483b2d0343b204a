#include "tests/standin/step_watch.h"

#include <standin/standin.h>

#include <sstream>

namespace standin {

std::string bytesOf(const SIM_Data& data) {
    std::ostringstream out;
    data.save(out);
    return out.str();
}

StepWatch::StepWatch(const Objects& objects) : objects_(objects) {
    for (const auto& object : objects) {
        auto& seen = before_.emplace_back();
        for (const auto& [name, data] : object->standinData) seen[name] = {bytesOf(*data), data->standinModifications};
    }
}

void StepWatch::check(bool solved) const {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
        const std::string who = "of '" + objects_[i]->getName().toStdString() + "'";
        if (!solved && objects_[i]->standinData.size() != before_[i].size()) violation("a solve that failed has given data to an object: one " + who);
        for (const auto& [name, data] : objects_[i]->standinData) {
            if (const auto* geometry = dynamic_cast<const SIM_GeometryCopy*>(data.get()); geometry && geometry->standinLocks() != 0)
                violation("a solve left a lock on the geometry " + who);
            const auto seen = before_[i].find(name);
            if (seen == before_[i].end() || bytesOf(*data) == seen->second.bytes) continue;
            if (!solved) violation("a solve that failed has changed '" + name + "' " + who);
            if (data->standinModifications == seen->second.modifications) violation("a solve has changed '" + name + "' " + who + " and told nobody");
        }
    }
}

}  // namespace standin
