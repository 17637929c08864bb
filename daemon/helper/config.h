#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/model/child.h"
#include "daemon/helper/toml.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// What a configuration (TOML) says to benchd-runner: the sections [runner] and [children]
/// (ChildrenConfig) and the tables [machine_profile.NAME], each complete (profile_config.h), and
/// of [socket] and [access] what says whom a child may be. All else is benchd's business.
/// @errors kInvalidArgument "line 3: ..." for what is no TOML, an unknown key, a value of wrong
///         type or out of range; those of ParseProfiles() and ParseChildLimits().
Result<wire::RunnerConfig> ParseRunnerConfig(std::string_view text);

/// The section [children] of a configuration: what one run may use at most. "none" is kNoLimit.
///
/// @errors kInvalidArgument "line 3: [children] KEY should be ..." for a value, and likewise for an
///         unknown key (its hint has the known ones).
Result<ChildLimits> ParseChildLimits(const toml::table& root);

}  // namespace benchd
