// The hook by which Houdini finds the DOP data.
#include "dop/SIM_SunderBlast.h"
#include "dop/SIM_SunderCollider.h"
#include "dop/SIM_SunderConstraint.h"
#include "dop/SIM_SunderMaterial.h"
#include "dop/SIM_SunderSolver.h"
#include "dop/SIM_SunderState.h"

void initializeSIM(void*) {
    IMPLEMENT_DATAFACTORY(SIM_SunderSolver);
    IMPLEMENT_DATAFACTORY(SIM_SunderState);
    IMPLEMENT_DATAFACTORY(SIM_SunderMaterial);
    IMPLEMENT_DATAFACTORY(SIM_SunderConstraint);
    IMPLEMENT_DATAFACTORY(SIM_SunderBlast);
    IMPLEMENT_DATAFACTORY(SIM_SunderCollider);
}
