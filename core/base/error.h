#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace sunder {

/// Bad input or a broken invariant. what() is one sentence that names the culprit; remedy() says what to do about it.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& message, std::string remedy = {})
        : std::runtime_error(message), remedy_(std::move(remedy)) {}
    const std::string& remedy() const { return remedy_; }

  private:
    std::string remedy_;
};

/// The user asked to stop (Monitor::cancelled). Nothing that the caller owns has changed.
class Cancelled : public std::runtime_error {
  public:
    Cancelled() : std::runtime_error("cancelled") {}
};

/// A file could not be written: disk full, folder missing, no permission.
class WriteError : public Error {
  public:
    using Error::Error;
};

}  // namespace sunder
