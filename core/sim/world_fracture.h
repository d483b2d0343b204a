#pragma once

#include <vector>

#include "core/fracture/breaker.h"
#include "core/sim/body_work.h"

namespace sunder {

/// True if some body of the world can break.
bool anyBreaks(const std::vector<BodyWork>& bodies, const StepSettings& settings);

/// When things are looked at for what breaks.
struct BreakMoment {
    double time, dt;    ///< s; dt: since the last look
    bool solvedAgain = false;  ///< the step will be, so cracks need not run on
};

/// Breaks what is to break at the present places of all bodies and brings all that hangs on their topology up to date. `edits` gets one a body.
/// What edits change in the present energies goes to the books.
BreakTotals breakBodies(StepContext& context, const BreakMoment& now, std::vector<TopologyEdit>& edits);

/// Takes out of the motion what cracks owe (crack_debt.h), at the end of a step from `time` on, and books it.
void payForCracks(StepContext& context, double time, double dt);

/// Depths of contact (WorldContact::depths) of the vertices after edits, from those before.
void extendDepths(const std::vector<TopologyEdit>& edits, std::vector<std::vector<double>>& depths);

}  // namespace sunder
