#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/comparison.h"
#include "core/model/session_spec.h"

namespace benchd {

/// A session that compared a program with itself.
struct SelfComparison {
  SessionSpec spec;
  double elapsed_seconds = 0;
  std::vector<Comparison> comparisons;  ///< gates and info metrics
};

/// The smallest change of one metric of one benchmark that is seen with the probability
/// kVisibleProbability.
struct VisibleChange {
  std::string benchmark;
  double change = 0;  ///< relative, a fraction
  bool operator==(const VisibleChange&) const = default;
};

/// The visible changes of one metric in all benchmarks, as their only gate.
struct VisibleMetric {
  std::string metric;          ///< empty: the gates, which have several metrics
  std::size_t benchmarks = 0;  ///< number of benchmarks with a figure
  VisibleChange least;
  VisibleChange most;
  bool operator==(const VisibleMetric&) const = default;
};

/// The gate whose margin can be decided in the time.
struct RecommendedGate {
  std::string metric;  ///< empty: the gates of the session, which have several metrics
  double margin = 0;   ///< relative, a fraction
  bool operator==(const RecommendedGate&) const = default;
};

/// Gates of one metric and margin, of which some are expected to remain undecided.
struct OpenGates {
  std::string metric;
  std::optional<double> margin;
  MarginKind margin_kind = MarginKind::kRatio;
  std::string unit;
  std::size_t gates = 0;
  std::size_t open = 0;
  std::string benchmark;  ///< the open one that needs the most time
  bool operator==(const OpenGates&) const = default;
};

/// What a planned session can show, forecast from a comparison of its base with itself.
struct CalibrationOutlook {
  double measured_seconds = 0;
  double interval_seconds = 0;  ///< time after which a calibration has intervals
  double planned_seconds = 0;
  std::optional<std::uint64_t> planned_runs;  ///< runs or max_runs
  std::size_t benchmarks = 0;
  /// wall_time, cpu_time and instructions if they have a figure, then the gates if they have other
  /// metrics.
  std::vector<VisibleMetric> visible;
  std::optional<RecommendedGate> recommended;  ///< absent: no margin up to 50 % can be decided
  std::vector<OpenGates> open;
  std::optional<Forecast> needed;  ///< to decide all gates; present if some are open
  std::size_t unknown = 0;  ///< number of gates without an interval, about which nothing is known
};

/// Forecasts a planned session (docs/statistics.md section 13).
///
/// Each benchmark needs as many pairs as its noise requires, at the time per pair of the
/// calibration. Benchmarks that need less are decided first and leave their time to the others. The
/// figures of `visible` are for equal shares of the time.
///
/// The recommended metric is that of the gates, except that cpu_time replaces wall_time if it shows
/// changes half as large and the programs compute for at least half of their time. For gates of
/// both, it is wall_time otherwise. The recommended margin is the smallest of a series of round
/// ones from 1 % on that needs at most two thirds of the limits in every benchmark.
///
/// @param planned  the session that follows; its gates are those of the calibration
/// @errors kInvalidArgument if the options of either session cannot be combined
Result<CalibrationOutlook> ForecastFrom(const SelfComparison& calibration,
                                        const SessionSpec& planned);

}  // namespace benchd
