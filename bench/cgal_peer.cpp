#include "bench/cgal_peer.h"

#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <CGAL/box_intersection_d.h>
#include <tbb/enumerable_thread_specific.h>

#include <utility>

namespace sunder::bench {

std::size_t cgalSelfPairs(Span<const Aabb> boxes, bool parallel) {
    using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, int>;
    using Pairs = std::vector<std::pair<int, int>>;
    std::vector<Box> list;
    list.reserve(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Aabb& b = boxes[i];
        list.emplace_back(
            CGAL::Bbox_3(b.lower[0], b.lower[1], b.lower[2], b.upper[0], b.upper[1], b.upper[2]),
            static_cast<int>(i));
    }
    if (!parallel) {
        Pairs pairs;
        CGAL::box_self_intersection_d(list.begin(), list.end(), [&](const Box& a, const Box& b) {
            pairs.emplace_back(a.info(), b.info());
        });
        return pairs.size();
    }
    tbb::enumerable_thread_specific<Pairs> pairs;
    CGAL::box_self_intersection_d<CGAL::Parallel_tag>(
        list.begin(), list.end(),
        [&](const Box& a, const Box& b) { pairs.local().emplace_back(a.info(), b.info()); });
    std::size_t count = 0;
    for (const Pairs& p : pairs) count += p.size();
    return count;
}

}  // namespace sunder::bench
