#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/model/metric.h"

namespace benchd {

/// One measured number. A run has several: one per metric, or many per metric from a harness.
struct Sample {
  std::string metric;
  std::string inner_benchmark;  ///< the harness' own benchmark, empty = the run as a whole
  std::uint32_t iteration = 0;  ///< inside the run, from 0
  double value = 0;             ///< in the metric's unit; finite
  bool operator==(const Sample&) const = default;
};
BENCHD_FIELDS(Sample, metric, inner_benchmark, iteration, value)

/// How a child ended.
struct RunExit {
  int code = 0;    ///< meaningful when `signal` is 0
  int signal = 0;  ///< the signal that ended it, or 0
  bool timed_out = false;
  bool Succeeded() const { return code == 0 && signal == 0 && !timed_out; }
  bool operator==(const RunExit&) const = default;
};
BENCHD_FIELDS(RunExit, code, signal, timed_out)

enum class RunPhase {
  kWarmup,    ///< discarded by the statistics, kept in the store
  kMeasured,  ///< part of a complete block
  kDropped,   ///< of a block interrupted from outside, repeated afterwards
};
BENCHD_NAMES(RunPhase, "warmup", "measured", "dropped")

/// One execution of one arm: the unit of measuring. Indices point into the SessionSpec.
struct Run {
  std::uint32_t benchmark = 0;
  std::uint64_t block = 0;     ///< of that benchmark and phase, from 0
  std::uint32_t position = 0;  ///< inside the block, from 0, in order of execution
  std::uint32_t arm = 0;
  RunPhase phase = RunPhase::kMeasured;
  Timestamp started_at{};
  RunExit exit;
  std::uint32_t disturbances = 0;  ///< requests the daemon served while this child was measured
  std::vector<Sample> samples;
  /// Unit, direction and resolution of the samples that are not built-in metrics.
  std::vector<MetricInfo> metrics;
  bool operator==(const Run&) const = default;
};

/// What the runs took together: their wall time. The pauses between them are not counted.
Nanoseconds WallTimeOf(std::span<const Run> runs);

/// What a block cost: from the start of its first run to the end of its last one, with the hooks in
/// between; at least its wall time. `runs` are in order of execution. Only as good as the clock
/// that they carry, so for estimates.
Nanoseconds CostOf(std::span<const Run> runs);

}  // namespace benchd
