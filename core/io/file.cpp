#include "core/io/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

namespace {
const char* remedyFor(int error) {
    switch (error) {
        case ENOENT:
            return "check the path, and create its folder if that is missing";
        case EACCES:
        case EPERM:
        case EROFS:
            return "choose another folder, or change its permissions";
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            return "free some space, or write to another disk";
        case EISDIR:
        case ENOTDIR:
            return "a file and a folder are mixed up in this path";
        default:
            return "check the disk and the path";
    }
}

[[noreturn]] void failRead(const std::string& path, int error) {
    throw Error("cannot read '" + path + "': " + std::strerror(error), remedyFor(error));
}

[[noreturn]] void failWrite(const std::string& path, int error) {
    throw WriteError("cannot write '" + path + "': " + std::strerror(error), remedyFor(error));
}

class Descriptor {
  public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() {
        if (value_ >= 0) ::close(value_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int value() const { return value_; }

  private:
    int value_;
};

/// Writes all, and gives the system's error number, 0 for success.
int writeAll(int descriptor, const void* data, std::size_t size) {
    const char* p = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = ::write(descriptor, p, std::min<std::size_t>(size, std::size_t{1} << 30));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        p += written;
        size -= static_cast<std::size_t>(written);
    }
    return 0;
}

/// The file behind a symbolic link, so that writing replaces the file and not the link.
std::string resolveLink(const std::string& path) {
    char* const real = ::realpath(path.c_str(), nullptr);
    if (!real) return path;
    std::string resolved(real);
    std::free(real);
    return resolved;
}

/// Makes a rename last over a power cut. Some file systems cannot; the file itself is safe even so.
void flushFolder(const std::string& folder) {
    const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (descriptor.value() >= 0) (void)::fsync(descriptor.value());
}

/// Ends in ".PROCESS-COUNT.tmp", as AtomicFile calls its files.
bool isTemporaryName(const std::string& name) {
    const std::size_t end = name.size() < 4 ? 0 : name.size() - 4;
    if (name.compare(end, 4, ".tmp") != 0) return false;
    const auto digitsBefore = [&name](std::size_t last) {
        std::size_t first = last;
        while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9') --first;
        return first;
    };
    const std::size_t count = digitsBefore(end);
    if (count == end || count == 0 || name[count - 1] != '-') return false;
    const std::size_t process = digitsBefore(count - 1);
    return process < count - 1 && process > 1 && name[process - 1] == '.';
}
}  // namespace

std::string folderOf(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::vector<std::uint8_t> readFile(const std::string& path, std::uint64_t maxBytes) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (file.value() < 0 || ::fstat(file.value(), &status) != 0) failRead(path, errno);
    if (S_ISDIR(status.st_mode)) failRead(path, EISDIR);
    std::vector<std::uint8_t> bytes;
    // one more than the size, so that the end is seen without growing
    std::size_t room = static_cast<std::size_t>(std::max<off_t>(status.st_size, 4095)) + 1, used = 0;
    for (;;) {
        if (used > maxBytes ||
            (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > maxBytes))
            throw Error(format("'%s' has more than the %llu bytes that may be read", path.c_str(),
                               static_cast<unsigned long long>(maxBytes)),
                        "raise the limit of reading, or split the file");
        if (used == bytes.size()) bytes.resize(std::max(room, 2 * used));
        const ssize_t got = ::read(file.value(), bytes.data() + used, bytes.size() - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failRead(path, errno);
        if (got == 0) break;
        used += static_cast<std::size_t>(got);
    }
    bytes.resize(used);
    return bytes;
}

AtomicFile::AtomicFile(const std::string& path) : path_(resolveLink(path)) {
    static std::atomic<unsigned> counter{0};
    struct stat status {};
    do {
        if (descriptor_ >= 0) ::close(descriptor_);
        temporary_ = format("%s.%ld-%u.tmp", path_.c_str(), static_cast<long>(::getpid()), counter++);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ < 0) failWrite(path_, errno);
        // ends with the process, however that ends: what has no lock is left over
        ::flock(descriptor_, LOCK_EX);
        // another process that cleans the folder may have come in between
    } while (::fstat(descriptor_, &status) == 0 && status.st_nlink == 0);
}

AtomicFile::~AtomicFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int error) {
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
    descriptor_ = -1;
    failWrite(path_, error);
}

void AtomicFile::write(const void* data, std::size_t size) {
    if (const int error = writeAll(descriptor_, data, size)) fail(error);
}

void AtomicFile::commit() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0 && errno != EINTR) failWrite(path_, errno);
    flushFolder(folderOf(path_));
}

void writeFileAtomic(const std::string& path, Span<const std::uint8_t> bytes) {
    AtomicFile file(path);
    file.write(bytes.data(), bytes.size());
    file.commit();
}

void writeFileAtomic(const std::string& path, const std::string& text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

void removeLeftovers(const std::string& folder) {
    std::error_code ignored;
    for (std::filesystem::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
        const std::string path = entry->path().string();
        if (!isTemporaryName(entry->path().filename().string())) continue;
        const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (file.value() >= 0 && ::flock(file.value(), LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    }
}

NamelessFile::NamelessFile(const std::string& folder) : folder_(folder) {
    std::string name = folder + "/.sunder-scratch-XXXXXX";
    descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor_ < 0) failWrite(folder, errno);
    ::unlink(name.c_str());
}

NamelessFile::~NamelessFile() { ::close(descriptor_); }

void NamelessFile::write(const std::string& text) {
    if (const int error = writeAll(descriptor_, text.data(), text.size())) failWrite(folder_, error);
}

void NamelessFile::copyTo(AtomicFile& file) {
    std::vector<char> buffer(std::size_t{1} << 20);
    if (::lseek(descriptor_, 0, SEEK_SET) != 0) failRead(folder_, errno);
    for (;;) {
        const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) failRead(folder_, errno);
        if (got == 0) return;
        file.write(buffer.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace sunder
