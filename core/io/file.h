#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/span.h"

namespace sunder {

/// The whole file. Throws Error if it cannot be read or has more than maxBytes.
std::vector<std::uint8_t> readFile(const std::string& path, std::uint64_t maxBytes = std::uint64_t{16} << 30);

/// Puts the bytes in place of the file, or leaves what was there: writes a temporary file beside it, flushes
/// it to the disk and renames it. Throws WriteError with the system's reason; the temporary file is removed.
void writeFileAtomic(const std::string& path, Span<const std::uint8_t> bytes);
void writeFileAtomic(const std::string& path, const std::string& text);

/// The same in pieces: nothing is seen under `path` before commit(), and nothing stays behind without it.
class AtomicFile {
  public:
    explicit AtomicFile(const std::string& path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    void write(const void* data, std::size_t size);
    void write(const std::string& text) { write(text.data(), text.size()); }
    void commit();

  private:
    [[noreturn]] void fail(int error);

    std::string path_, temporary_;
    int descriptor_ = -1;
};

/// Removes what AtomicFile left in the folder where a process was killed in the middle of writing. A file that
/// is still being written stays, and so does whatever else is there.
void removeLeftovers(const std::string& folder);

/// A nameless file in a folder, for what is too long for memory. It vanishes when the object or the process
/// ends.
class NamelessFile {
  public:
    explicit NamelessFile(const std::string& folder);
    ~NamelessFile();
    NamelessFile(const NamelessFile&) = delete;
    NamelessFile& operator=(const NamelessFile&) = delete;
    void write(const std::string& text);
    /// Appends all that was written to `file`.
    void copyTo(AtomicFile& file);

  private:
    std::string folder_;
    int descriptor_ = -1;
};

/// The folder of a path, "." if it names none.
std::string folderOf(const std::string& path);

}  // namespace sunder
