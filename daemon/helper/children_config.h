#pragma once

#include "core/base/result.h"
#include "core/model/child_limits.h"
#include "daemon/helper/toml.h"

namespace benchd {

/// The section [children] of a configuration: what one run may use at most. "none" is kNoLimit.
///
/// @errors kInvalidArgument "line 3: [children] KEY should be ..." for a value, and likewise for an
///         unknown key (its hint has the known ones).
Result<ChildLimits> ParseChildLimits(const toml::table& root);

}  // namespace benchd
