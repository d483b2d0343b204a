#pragma once

#include <vector>

#include "core/contact/broad_phase.h"
#include "core/contact/contact_shape.h"

namespace sunder {

/// How much of the way from `start` to `end` (one span a body) vertices may go so that nothing passes through anything: tets that are
/// apart at the start may touch and then go in by a small part of their height; those that overlap already may go on by as much. A share of
/// the way, at most 1. `pairs` are those whose boxes around start and end overlap.
double safeShare(const PairList& pairs, Span<const ContactShape* const> shapes, Span<const Span<const Vec3>> start,
                 Span<const Span<const Vec3>> end);

}  // namespace sunder
