#pragma once

#include <string>
#include <string_view>

#include "core/analysis/block_values.h"
#include "core/model/name_pattern.h"
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

/// NamesControl() for one name and many texts.
class ControlPattern {
 public:
  explicit ControlPattern(const std::string& name) : whole_(name), continued_(name + "/*") {}
  bool Names(std::string_view text) const {
    return whole_.Matches(text) || continued_.Matches(text);
  }

 private:
  NamePattern whole_;
  NamePattern continued_;
};

/// Returns whether a name stands for the benchmark, or for the one inside its program.
bool IsNamedBy(const Benchmark& benchmark, std::string_view name);

/// Returns whether a name stands for the metric, or for the inner benchmark that printed it.
/// Built-in metrics are of the whole benchmark.
bool IsMetricNamedBy(const KnownMetric& metric, std::string_view name);

/// Returns whether all gates of the benchmark are controls: the spec says so, or a name of its
/// controls stands for it.
bool IsControl(const Benchmark& benchmark);

/// Returns whether a gate on this metric is a control: the benchmark is one, or a name of its
/// controls stands for the metric.
bool IsControlMetric(const Benchmark& benchmark, const KnownMetric& metric);

}  // namespace benchd
