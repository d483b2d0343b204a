// sunder-tetgen: runs TetGen in a process of its own, so that a crash, a hang or its licence stay away from
// the host. Request on descriptor 3, response on descriptor 4; whatever TetGen prints goes where the library
// put stdout and stderr.

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <new>

#define TETLIBRARY
#include <tetgen.h>

#include "core/meshing/helper/protocol.h"

namespace {
using namespace sunder::tetgen;

constexpr int kRequestFile = 3;
constexpr int kResponseFile = 4;

struct FileStream {
    int file;
    bool failed = false;
    void write(const void* data, std::size_t size) {
        const char* at = static_cast<const char*>(data);
        while (size > 0 && !failed) {
            const ssize_t written = ::write(file, at, size);
            if (written <= 0)
                failed = true;
            else
                at += written, size -= static_cast<std::size_t>(written);
        }
    }
};

bool readRequest(Request& request) {
    struct stat info {};
    if (fstat(kRequestFile, &info) != 0) return false;
    std::vector<char> bytes(static_cast<std::size_t>(info.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got =
            pread(kRequestFile, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
        if (got <= 0) return false;
        done += static_cast<std::size_t>(got);
    }
    Reader reader(bytes.data(), bytes.size());
    std::uint64_t magic = 0, trailer = 0;
    reader.value(magic);
    visit(reader, request);
    reader.value(trailer);
    return !reader.failed() && magic == kRequestMagic && trailer == kRequestMagic;
}

bool writeResponse(Response& response) {
    FileStream stream{kResponseFile};
    Writer<FileStream> writer(stream);
    writer.value(kResponseMagic);
    visit(writer, response);
    writer.value(kResponseMagic);
    return !stream.failed;
}

void limitMemory(std::uint64_t bytes) {
    if (bytes == 0) return;
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
}

void fillSurface(const Request& request, tetgenio& in) {
    in.firstnumber = 0;
    in.numberofpoints = static_cast<int>(request.points.size() / 3);
    in.pointlist = new REAL[request.points.size()];
    std::memcpy(in.pointlist, request.points.data(), request.points.size() * sizeof(double));
    if (!request.sizes.empty()) {
        in.numberofpointmtrs = 1;
        in.pointmtrlist = new REAL[request.sizes.size()];
        std::memcpy(in.pointmtrlist, request.sizes.data(), request.sizes.size() * sizeof(double));
    }
    in.numberoffacets = static_cast<int>(request.triangles.size() / 3);
    in.facetlist = new tetgenio::facet[in.numberoffacets];
    for (int f = 0; f < in.numberoffacets; ++f) {
        tetgenio::facet& facet = in.facetlist[f];
        tetgenio::init(&facet);
        facet.numberofpolygons = 1;
        facet.polygonlist = new tetgenio::polygon[1];
        tetgenio::init(facet.polygonlist);
        facet.polygonlist->numberofvertices = 3;
        facet.polygonlist->vertexlist = new int[3];
        for (int k = 0; k < 3; ++k) facet.polygonlist->vertexlist[k] = request.triangles[3 * f + k];
    }
}

Response tetrahedralizeRequest(const Request& request) {
    Response response;
    try {
        tetgenio in, out;
        fillSurface(request, in);
        std::string switches = request.switches;
        tetrahedralize(switches.data(), &in, &out);
        response.status = Status::kDone;
        response.points.assign(out.pointlist,
                               out.pointlist + 3 * static_cast<std::size_t>(out.numberofpoints));
        for (int t = 0; t < out.numberoftetrahedra; ++t)
            for (int k = 0; k < 4; ++k)
                response.tets.push_back(out.tetrahedronlist[t * out.numberofcorners + k]);
    } catch (const std::bad_alloc&) {
        response = {};
        response.status = Status::kOutOfMemory;
    } catch (int code) {
        response = {};
        // TetGen's 1 means that its own malloc failed.
        response.status = code == 1 ? Status::kOutOfMemory : Status::kRejected;
        response.code = code;
    }
    return response;
}
}  // namespace

int main() {
    // The host may die without a chance to end us.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Core dumps of a mesher that is known to crash help nobody.
    const rlimit noCore{0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    Response response;
    Request request;
    if (readRequest(request)) {
        limitMemory(request.memoryLimit);
        response = tetrahedralizeRequest(request);
    }
    return writeResponse(response) ? 0 : 1;
}
