#pragma once

#include <memory>

#include "core/analysis/evidence.h"
#include "core/analysis/look_plan.h"

namespace benchd {

/// The evidence that the plan's method and estimator ask for, for one comparison.
///
/// @param plan  of PlanLooks(): every combination that it lets pass has one.
std::unique_ptr<Evidence> MakeEvidence(const LookPlan& plan, const Subject& subject);

}  // namespace benchd
