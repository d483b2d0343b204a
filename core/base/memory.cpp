#include "core/base/memory.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace sunder {

void keepFreedMemory() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 256 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 16 << 20);
#endif
}

}  // namespace sunder
