#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/analysis/control_names.h"
#include "core/analysis/gate_plan.h"
#include "core/base/result.h"
#include "core/model/session_spec.h"

// Checks of the names of controls (control_names.h), before the first run and when it is known what
// they can stand for. Pure.

namespace benchd {

/// Returns whether all that the name can stand for is known, so that a name that stands for nothing
/// is an error. A benchmark whose program lists others, or whose output does, is known later.
///
/// @param fixed  whether the benchmark has shown its metrics
bool KnowsControls(const Benchmark& benchmark, bool fixed);

/// Checks the names of the controls, except those that may stand for something that is not known
/// yet. A name may stand for something in only some of the benchmarks that have it.
///
/// @errors kInvalidArgument for a name that stands for nothing; the hint has a name that is close,
/// or those that exist. Also if every benchmark is a control, so that nothing would be judged.
Result<void> CheckControls(std::span<const NamedGates> benchmarks);

/// Checks the names of controls once the programs of the session have listed their benchmarks, so
/// that a wrong name costs no runs. A name that continues a listed one may stand for a part of it,
/// which only its output shows.
///
/// @errors those of CheckControls()
Result<void> CheckListedControls(std::span<const Benchmark> benchmarks);

/// Returns the error for a name that matches nothing in `known`.
Error UnknownControl(std::string_view name, std::span<const std::string> known);

/// Returns the error that every benchmark is a control.
Error OnlyControls();

}  // namespace benchd
