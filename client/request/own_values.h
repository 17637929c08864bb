#pragma once

#include <set>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/app/exit_code.h"
#include "client/request/session_options.h"
#include "client/request/spec_input.h"

namespace benchd::client {

/// Moves the values that belong to single arms from the options of a benchmark to its arms
/// (ArmInput::options): of an option with several values, one per arm in order, and of env the
/// variables `ARM:NAME=VALUE`. They precede what the arms' tables in a file say. A value for all
/// arms stays in `options`. Pure.
///
/// @param elsewhere  names of arms of other benchmarks, whose variables are dropped
/// @errors (exit 2) neither one value nor one per arm; no arm has the name before `:NAME=`.
Result<void> MoveOwnValues(const std::set<std::string>& elsewhere, OptionValues* options,
                           std::vector<ArmInput>* arms);

/// Replaces {name} and {dir} by those of the arm.
std::string FillInArm(std::string text, const ArmInput& arm);

/// Applies the values that an arm has of its own. Pure.
///
/// @param templates  whether the values may contain {name} and {dir}
/// @param cwd        base of relative paths
/// @param settings   starts with the settings of the benchmark; gets the arm's shell and
/// environment
/// @param to         gets the arm's hooks and input
/// @errors (exit 2) an invalid value, after its origin.
Result<void> ApplyOwnValues(const ArmInput& arm, bool templates, const std::string& cwd,
                            ArmSettings* settings, v1::Arm* to);

}  // namespace benchd::client
