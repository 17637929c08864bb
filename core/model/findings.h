#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/comparison.h"
#include "core/model/metric.h"

namespace benchd {

/// The change of one gate's metric over all benchmarks of a suite: the geometric mean of the
/// benchmarks' ratios, as a fraction.
struct SuiteChange {
  std::string reference;
  std::string candidate;
  std::string metric;
  std::uint64_t benchmarks = 0;  ///< number of benchmarks that have a ratio, at least two
  double confidence = 0;         ///< confidence level of the interval
  Effect change;
  bool operator==(const SuiteChange&) const = default;
};
BENCHD_FIELDS(SuiteChange, reference, candidate, metric, benchmarks, confidence, change)

/// A pair of arms for which the interval of the change excludes 0.
struct ClearPair {
  std::string better;
  std::string worse;
  bool operator==(const ClearPair&) const = default;
};
BENCHD_FIELDS(ClearPair, better, worse)

/// A pair of arms, in the order of the spec.
struct ArmPair {
  std::string first;
  std::string second;
  bool operator==(const ArmPair&) const = default;
};
BENCHD_FIELDS(ArmPair, first, second)

/// A group of arms that cannot all be distinguished from each other, in the order of the spec.
struct ArmGroup {
  std::vector<std::string> arms;
  std::vector<ClearPair> clear;  ///< the pairs among them that can be distinguished
  /// The pairs among them without an interval, such as those with too few runs for a quantile.
  /// Whether they differ is unknown.
  std::vector<ArmPair> without_interval;
  bool operator==(const ArmGroup&) const = default;
};
BENCHD_FIELDS(ArmGroup, arms, clear, without_interval)

/// How many times as large the metric of an arm is as that of the first arm of the order.
struct ArmFactor {
  std::string arm;
  Effect factor;  ///< above 0; an end is absent if the interval is unbounded there
  bool operator==(const ArmFactor&) const = default;
};
BENCHD_FIELDS(ArmFactor, arm, factor)

/// The arms of one benchmark, including references, ordered by one metric.
struct ArmOrder {
  std::string benchmark;
  std::string metric;
  Better better = Better::kLower;
  /// The groups, best first. Every arm of a group is clearly better than every arm of all later
  /// groups.
  std::vector<ArmGroup> groups;
  /// The factors of all arms but the first one, in the order of the groups. Arms without a ratio to
  /// the first one are left out.
  std::vector<ArmFactor> factors;
  /// The confidence with which all statements of all orders of a session hold together.
  double confidence = 0;
  bool operator==(const ArmOrder&) const = default;
};
BENCHD_FIELDS(ArmOrder, benchmark, metric, better, groups, factors, confidence)

/// A metric of which the kernel counted more in a run than in the median run of its arm.
struct RunCause {
  std::string metric;
  double value = 0;
  double median = 0;
  bool operator==(const RunCause&) const = default;
};
BENCHD_FIELDS(RunCause, metric, value, median)

/// A run that took far longer than the other runs of its arm.
struct WorstRun {
  std::uint64_t number = 0;  ///< number among the measured runs, from 1, in order of execution
  std::string benchmark;
  std::string arm;
  std::string metric;
  std::string unit;
  double value = 0;
  double ratio = 1;  ///< ratio of the value to the median of its arm
  std::vector<RunCause> causes;
  bool operator==(const WorstRun&) const = default;
};
BENCHD_FIELDS(WorstRun, number, benchmark, arm, metric, unit, value, ratio, causes)

}  // namespace benchd
