#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What travels between the library and the sunder-tetgen process, through two files: little more than
/// arrays, in the machine's own byte order, since both ends run on one machine from one build.
namespace sunder::tetgen {

constexpr std::uint64_t kRequestMagic = 0x31716552'6e655474ull;
constexpr std::uint64_t kResponseMagic = 0x31706552'6e655474ull;

enum class Status : std::int32_t { kDone = 0, kRejected = 1, kOutOfMemory = 2, kBadRequest = 3 };

struct Request {
    std::string switches;                 ///< TetGen's command line
    std::vector<double> points;           ///< 3 a point
    std::vector<double> sizes;            ///< wanted edge length a point, or empty
    std::vector<std::int32_t> triangles;  ///< 3 a triangle
    std::uint64_t memoryLimit = 0;        ///< bytes of address space, 0 for no limit
};

struct Response {
    Status status = Status::kBadRequest;
    std::int32_t code = 0;  ///< TetGen's own error number where it rejected the input
    std::vector<double> points;
    std::vector<std::int32_t> tets;
};

template <class Stream>
class Writer {
  public:
    explicit Writer(Stream& stream) : stream_(stream) {}
    template <class T>
    void value(const T& v) {
        stream_.write(&v, sizeof(T));
    }
    template <class Array>
    void array(const Array& a) {
        value(static_cast<std::uint64_t>(a.size()));
        stream_.write(a.data(), a.size() * sizeof(typename Array::value_type));
    }

  private:
    Stream& stream_;
};

/// Reads from memory; a length that the buffer cannot hold makes `failed`.
class Reader {
  public:
    Reader(const char* data, std::size_t size) : at_(data), left_(size) {}
    bool failed() const { return failed_; }
    template <class T>
    void value(T& v) {
        take(&v, sizeof(T));
    }
    template <class Array>
    void array(Array& a) {
        std::uint64_t size = 0;
        value(size);
        if (failed_ || size > left_ / sizeof(typename Array::value_type)) {
            failed_ = true;
            return;
        }
        a.resize(size);
        take(a.data(), size * sizeof(typename Array::value_type));
    }

  private:
    void take(void* to, std::size_t bytes) {
        if (failed_ || bytes > left_) {
            failed_ = true;
            return;
        }
        char* out = static_cast<char*>(to);
        for (std::size_t i = 0; i < bytes; ++i) out[i] = at_[i];
        at_ += bytes;
        left_ -= bytes;
    }
    const char* at_;
    std::size_t left_;
    bool failed_ = false;
};

/// Read and write both go through these, so that the order of the fields is stated once.
template <class Visitor>
void visit(Visitor& v, Request& r) {
    v.array(r.switches);
    v.array(r.points);
    v.array(r.sizes);
    v.array(r.triangles);
    v.value(r.memoryLimit);
}
template <class Visitor>
void visit(Visitor& v, Response& r) {
    v.value(r.status);
    v.value(r.code);
    v.array(r.points);
    v.array(r.tets);
}

}  // namespace sunder::tetgen
