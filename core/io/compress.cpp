#include "core/io/compress.h"

#include <blosc.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/base/text.h"

namespace sunder {

namespace {
constexpr char kFirstMagic[] = "scf1", kLastMagic[] = "1fcs";
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr int kLevel = 5;  // of Blosc; LZ4 gains little beyond

void appendBigEndian(std::vector<std::uint8_t>& out, std::uint64_t value) {
    for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::uint64_t readBigEndian(const std::uint8_t* p) {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | p[i];
    return value;
}

bool startsWith(Span<const std::uint8_t> bytes, const void* magic, std::size_t size) {
    return bytes.size() >= size && std::memcmp(bytes.data(), magic, size) == 0;
}

void appendBlock(std::vector<std::uint8_t>& out, const std::uint8_t* raw, std::size_t size) {
    const std::size_t start = out.size();
    out.resize(start + size + BLOSC_MAX_OVERHEAD);
    const int packed = blosc_compress_ctx(kLevel, BLOSC_SHUFFLE, 4, size, raw, out.data() + start,
                                          size + BLOSC_MAX_OVERHEAD, "lz4", 0, 1);
    if (packed <= 0) throw Error("Blosc could not compress a block", "write .bgeo or .bgeo.gz instead");
    out.resize(start + static_cast<std::size_t>(packed));
}

/// Where the blocks of a container lie: block i is [start[i], start[i + 1]) of the file.
struct SeekableLayout {
    std::vector<std::size_t> start;
    std::size_t blockBytes = 0, lastBytes = 0;
    std::size_t rawBytes(std::size_t block) const {
        return block + 2 == start.size() ? lastBytes : blockBytes;
    }
};

SeekableLayout readLayout(const Source& source) {
    const auto& bytes = source.bytes;
    constexpr std::size_t kHead = 12, kTail = 12;  // magic and one length each
    if (bytes.size() < kHead + kTail + 16 || std::memcmp(bytes.data() + bytes.size() - 4, kLastMagic, 4) != 0)
        source.fail(bytes.size(), "the container of blocks is cut short");
    const std::uint64_t metadata = readBigEndian(bytes.data() + 4);
    const std::size_t tail = bytes.size() - kTail;
    const std::uint64_t indexBytes = readBigEndian(bytes.data() + tail);
    if (metadata > tail - kHead || indexBytes > tail - kHead - metadata || indexBytes < 16 ||
        indexBytes % 8 != 0)
        source.fail(tail, "the index of blocks has an impossible length");
    const std::size_t first = kHead + static_cast<std::size_t>(metadata),
                      index = tail - static_cast<std::size_t>(indexBytes);
    const std::size_t blocks = static_cast<std::size_t>(indexBytes) / 8 - 1;
    SeekableLayout layout;
    layout.start.push_back(first);
    for (std::size_t i = 0; i + 1 < blocks; ++i) {
        const std::uint64_t end = readBigEndian(bytes.data() + index + 8 * i);
        if (end > index - first || first + end < layout.start.back())
            source.fail(index + 8 * i, format("block %zu ends outside the file", i));
        layout.start.push_back(first + static_cast<std::size_t>(end));
    }
    layout.start.push_back(index);
    layout.blockBytes = readBigEndian(bytes.data() + tail - 16);
    layout.lastBytes = readBigEndian(bytes.data() + tail - 8);
    return layout;
}

void decompressBlock(const Source& source, const SeekableLayout& layout, std::size_t block,
                     std::uint8_t* out) {
    const std::size_t start = layout.start[block], size = layout.start[block + 1] - start;
    const std::size_t expected = layout.rawBytes(block);
    std::size_t raw = 0;
    if (size < BLOSC_MIN_HEADER_LENGTH ||
        blosc_cbuffer_validate(source.bytes.data() + start, size, &raw) != 0)
        source.fail(start, format("block %zu is not a Blosc block", block));
    if (raw != expected)
        source.fail(start, format("block %zu holds %zu bytes, the index says %zu", block, raw, expected));
    const int got = blosc_decompress_ctx(source.bytes.data() + start, out, expected, 1);
    if (got < 0 || static_cast<std::size_t>(got) != expected)
        source.fail(start, format("block %zu cannot be decompressed", block));
}

class Inflater {
  public:
    explicit Inflater(Span<const std::uint8_t> in) : in_(in) {
        // 16 + the largest window: a gzip header is expected
        if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw Error("zlib could not start");
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    std::size_t consumed() const { return used_ - stream_.avail_in; }
    /// Fills `out`, gives how many bytes came and sets `ended` behind the last member.
    std::size_t read(const Source& source, std::uint8_t* out, std::size_t size, bool& ended) {
        stream_.next_out = out;
        stream_.avail_out = static_cast<uInt>(size);
        while (stream_.avail_out > 0 && !ended) step(source, ended);
        return size - stream_.avail_out;
    }

  private:
    void step(const Source& source, bool& ended) {
        if (stream_.avail_in == 0) {
            const std::size_t piece = std::min<std::size_t>(in_.size() - used_, std::size_t{1} << 30);
            stream_.next_in = const_cast<Bytef*>(in_.data() + used_);
            stream_.avail_in = static_cast<uInt>(piece);
            used_ += piece;
        }
        const int status = inflate(&stream_, Z_NO_FLUSH);
        if (status == Z_STREAM_END) {
            ended = consumed() == in_.size();
            if (!ended && inflateReset(&stream_) != Z_OK) source.fail(consumed(), "zlib could not go on");
        } else if (status == Z_BUF_ERROR || (status == Z_OK && stream_.avail_in == 0 && used_ == in_.size() &&
                                             stream_.avail_out > 0)) {
            source.fail(in_.size(), "the gzip stream is cut short");
        } else if (status != Z_OK) {
            source.fail(consumed(), format("the gzip stream is damaged (%s)",
                                           stream_.msg ? stream_.msg : "no reason given"));
        }
    }

    Span<const std::uint8_t> in_;
    std::size_t used_ = 0;
    z_stream stream_{};
};
}  // namespace

bool isGzip(Span<const std::uint8_t> bytes) { return startsWith(bytes, "\x1f\x8b", 2); }
bool isSeekable(Span<const std::uint8_t> bytes) { return startsWith(bytes, kFirstMagic, 4); }

std::vector<std::uint8_t> compressGzip(Span<const std::uint8_t> raw) {
    z_stream stream{};
    if (deflateInit2(&stream, 2, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error("zlib could not start");
    std::vector<std::uint8_t> out(deflateBound(&stream, static_cast<uLong>(raw.size())));
    std::size_t in = 0, written = 0;
    int status = Z_OK;
    while (status == Z_OK) {
        const std::size_t piece = std::min<std::size_t>(raw.size() - in, std::size_t{1} << 30);
        const std::size_t room = std::min<std::size_t>(out.size() - written, std::size_t{1} << 30);
        stream.next_in = const_cast<Bytef*>(raw.data() + in);
        stream.avail_in = static_cast<uInt>(piece);
        stream.next_out = out.data() + written;
        stream.avail_out = static_cast<uInt>(room);
        status = deflate(&stream, in + piece == raw.size() ? Z_FINISH : Z_NO_FLUSH);
        in += piece - stream.avail_in;
        written += room - stream.avail_out;
    }
    deflateEnd(&stream);
    if (status != Z_STREAM_END) throw Error("zlib could not compress the geometry", "write .bgeo instead");
    out.resize(written);
    return out;
}

std::vector<std::uint8_t> decompressGzip(const Source& source, const ReadLimits& limits) {
    Budget budget = Budget::forInflation(source.name, limits, source.bytes.size());
    Inflater inflater(source.bytes);
    std::vector<std::uint8_t> raw;
    for (bool ended = false; !ended;) {
        const std::size_t piece =
            std::clamp<std::size_t>(raw.size(), std::size_t{1} << 16, std::size_t{1} << 28);
        const std::size_t start = raw.size();
        raw.resize(start + piece);
        const std::size_t got = inflater.read(source, raw.data() + start, piece, ended);
        budget.take(got, 1, "decompressed bytes");
        raw.resize(start + got);
    }
    return raw;
}

std::vector<std::uint8_t> compressSeekable(Span<const std::uint8_t> raw) {
    SUNDER_ASSERT(!raw.empty());
    std::vector<std::uint8_t> out(kFirstMagic, kFirstMagic + 4);
    appendBigEndian(out, 0);  // no metadata
    const std::size_t first = out.size(), blocks = (raw.size() + kBlockBytes - 1) / kBlockBytes;
    std::vector<std::uint8_t> index;
    for (std::size_t b = 0; b < blocks; ++b) {
        appendBlock(out, raw.data() + b * kBlockBytes, std::min(kBlockBytes, raw.size() - b * kBlockBytes));
        if (b + 1 < blocks) appendBigEndian(index, out.size() - first);
    }
    appendBigEndian(index, kBlockBytes);
    appendBigEndian(index, raw.size() - (blocks - 1) * kBlockBytes);
    out.insert(out.end(), index.begin(), index.end());
    appendBigEndian(out, index.size());
    out.insert(out.end(), kLastMagic, kLastMagic + 4);
    return out;
}

std::vector<std::uint8_t> decompressSeekable(const Source& source, const ReadLimits& limits) {
    const SeekableLayout layout = readLayout(source);
    const std::size_t blocks = layout.start.size() - 1;
    if (layout.blockBytes > BLOSC_MAX_BUFFERSIZE || layout.lastBytes > BLOSC_MAX_BUFFERSIZE)
        source.fail(source.bytes.size(), "a block is larger than Blosc allows");
    Budget budget = Budget::forInflation(source.name, limits, source.bytes.size());
    budget.take(blocks - 1, layout.blockBytes, "decompressed blocks");
    budget.take(1, layout.lastBytes, "decompressed bytes");
    std::vector<std::uint8_t> raw((blocks - 1) * layout.blockBytes + layout.lastBytes);
    for (std::size_t b = 0; b < blocks; ++b)
        decompressBlock(source, layout, b, raw.data() + b * layout.blockBytes);
    return raw;
}

}  // namespace sunder
