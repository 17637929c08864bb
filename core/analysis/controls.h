#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/block_values.h"
#include "core/analysis/gate_plan.h"
#include "core/base/result.h"
#include "core/model/session_spec.h"

// Controls: benchmarks that must not change (docs/statistics.md section 6). Pure.
//
// The gates of a control are judged in both directions, each by its own margin. If one of them is
// shown to have changed, the machine changed and not the code, and the session is undecided. A
// control that is open does not hold up a verdict. The placebo's comparisons are controls, too.

namespace benchd {

/// Returns whether the name of a control stands for `text`: it is equal, or a pattern that matches
/// (MatchesPattern()), or `text` continues it after a slash, as "BM_Sort/8" continues "BM_Sort".
bool NamesControl(std::string_view name, std::string_view text);

/// Returns whether all gates of the benchmark are controls: the spec says so, or a name stands for
/// the benchmark, or for the one inside its program.
bool IsControl(const Benchmark& benchmark);

/// Returns whether a gate on this metric is a control: the benchmark is one, or a name stands for
/// the inner benchmark that printed the metric. Built-in metrics are of the whole benchmark.
bool IsControlMetric(const Benchmark& benchmark, const KnownMetric& metric);

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

/// Returns the same error for a name that stands for none of `known`.
Error UnknownControl(std::string_view name, std::span<const std::string> known);

/// Returns the error that every benchmark is a control.
Error OnlyControls();

}  // namespace benchd
