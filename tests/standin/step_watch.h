#pragma once

#include <SIM/SIM_Object.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace standin {

/// What all data of some objects were as a solve began, to hold what it did against the rules.
class StepWatch {
  public:
    using Objects = std::vector<std::shared_ptr<SIM_Object>>;
    explicit StepWatch(const Objects& objects);
    /// A solve that failed may have changed nothing; one that went well has told of all it changed and holds no lock.
    void check(bool solved) const;

  private:
    struct Seen {
        std::string bytes;
        int modifications;
    };
    const Objects& objects_;
    std::vector<std::map<std::string, Seen>> before_;
};

std::string bytesOf(const SIM_Data& data);

}  // namespace standin
