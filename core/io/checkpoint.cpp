#include "core/io/checkpoint.h"

#include <cstring>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/io/file.h"
#include "core/sim/snapshot.h"
#include "core/sim/snapshot_bytes.h"

namespace sunder {

namespace {
constexpr char kMagic[8] = {'S', 'U', 'N', 'D', 'E', 'R', 'C', 'P'};
constexpr std::size_t kHeadSize = 8 + 4 + 8 + 8;
constexpr const char* kStartAgain =
    "delete it and simulate again from the start; the frames on disk stay as they are until then";

/// Also covers the head: another version or length gives another sum.
std::uint64_t checksum(std::uint32_t version, Span<const std::uint8_t> payload) {
    return hashBytes(payload.data(), payload.size(), (std::uint64_t{version} << 48) ^ payload.size());
}

std::vector<std::uint8_t> makePayload(const Checkpoint& checkpoint) {
    ByteWriter io;
    io(checkpoint.sceneIdentity);
    io(checkpoint.frame);
    io.array(saveSnapshot(checkpoint.world));
    return io.take();
}

/// The part behind the head, after all that can be checked without understanding it.
Span<const std::uint8_t> checkedPayload(const std::string& path, const std::vector<std::uint8_t>& bytes) {
    const char* name = path.c_str();
    if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
        throw Error(format("'%s' is not a checkpoint of sunder, or its beginning is damaged", name),
                    kStartAgain);
    if (bytes.size() < kHeadSize) throw Error(format("the checkpoint '%s' is cut short", name), kStartAgain);
    ByteReader head(Span<const std::uint8_t>(bytes.data() + sizeof kMagic, kHeadSize - sizeof kMagic));
    const auto version = head.get<std::uint32_t>();
    const auto length = head.get<std::uint64_t>(), sum = head.get<std::uint64_t>();
    if (version != kCheckpointVersion)
        throw Error(format("the checkpoint '%s' has version %u, this build reads version %u", name, version,
                           kCheckpointVersion),
                    "resume with the build that wrote it (see manifest.json), or delete it and simulate "
                    "again from the start");
    const Span<const std::uint8_t> payload(bytes.data() + kHeadSize, bytes.size() - kHeadSize);
    if (payload.size() < length)
        throw Error(format("the checkpoint '%s' is cut short: %zu of %llu bytes are there", name,
                           payload.size(), static_cast<unsigned long long>(length)),
                    kStartAgain);
    if (payload.size() > length || checksum(version, payload) != sum)
        throw Error(format("the checkpoint '%s' is damaged: its checksum does not fit", name), kStartAgain);
    return payload;
}
}  // namespace

void writeCheckpoint(const std::string& path, const Checkpoint& checkpoint) {
    const std::vector<std::uint8_t> payload = makePayload(checkpoint);
    ByteWriter head;
    for (const char c : kMagic) head(c);
    head(kCheckpointVersion);
    head(std::uint64_t{payload.size()});
    head(checksum(kCheckpointVersion, payload));
    std::vector<std::uint8_t> bytes = head.take();
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    writeFileAtomic(path, bytes);
}

Checkpoint readCheckpoint(const std::string& path) {
    const std::vector<std::uint8_t> bytes = readFile(path);
    ByteReader io(checkedPayload(path, bytes));
    Checkpoint checkpoint;
    std::vector<std::uint8_t> snapshot;
    try {
        io(checkpoint.sceneIdentity);
        io(checkpoint.frame);
        io.array(snapshot);
        checkpoint.world = loadSnapshot(snapshot);
    } catch (const Error& e) {
        throw Error(format("the checkpoint '%s' cannot be used: %s", path.c_str(), e.what()), kStartAgain);
    }
    return checkpoint;
}

}  // namespace sunder
