#pragma once

#include "core/contact/closing_way.h"
#include "core/contact/pair_list.h"

namespace sunder {

/// Of the smaller of two tets' heights: how far they may close after they have touched, or where they overlap already; see limitWay.
inline constexpr double kSafeDepth = 0.2;

/// How much of its way from `start` to `end` (one span a body) each body may go so that nothing passes through anything. `share` gets
/// one number a body, at most 1 and more than 0; a vertex may go to start + share * (end - start). Of two bodies that come too close
/// the one with the longer way is held back, or both if their ways are alike. `pairs` are those of skin tets whose boxes around start
/// and end overlap. The same for any number of threads.
void safeShares(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> start,
                Span<const Span<const Vec3>> end, Span<double> share);

/// The same, one share for all bodies: that of the pair that is held back most.
double safeShare(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> start,
                 Span<const Span<const Vec3>> end);

}  // namespace sunder
