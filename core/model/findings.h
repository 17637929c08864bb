#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/comparison.h"
#include "core/model/metric.h"

namespace benchd {

/// The change of one gate's metric over all benchmarks of a suite: the geometric mean of their
/// ratios, as a fraction.
struct SuiteChange {
  std::string reference;
  std::string candidate;
  std::string metric;
  std::uint64_t benchmarks = 0;  ///< that have a ratio, at least two
  double confidence = 0;         ///< of the interval
  Effect change;
  bool operator==(const SuiteChange&) const = default;
};
BENCHD_FIELDS(SuiteChange, reference, candidate, metric, benchmarks, confidence, change)

/// Two arms whose own interval excludes that they are equal.
struct ClearPair {
  std::string better;
  std::string worse;
  bool operator==(const ClearPair&) const = default;
};
BENCHD_FIELDS(ClearPair, better, worse)

/// Arms that are not all distinguishable, in the order of the spec.
struct ArmGroup {
  std::vector<std::string> arms;
  std::vector<ClearPair> clear;  ///< the pairs among them that are
  bool operator==(const ArmGroup&) const = default;
};
BENCHD_FIELDS(ArmGroup, arms, clear)

/// The arms of one benchmark by one metric, references among them.
struct ArmOrder {
  std::string benchmark;
  std::string metric;
  Better better = Better::kLower;
  /// The best first; every arm of a group is clearly better than each of all groups behind it.
  std::vector<ArmGroup> groups;
  bool operator==(const ArmOrder&) const = default;
};
BENCHD_FIELDS(ArmOrder, benchmark, metric, better, groups)

/// What the kernel counted more of in a run than in the median run of its arm.
struct RunCause {
  std::string metric;
  double value = 0;
  double median = 0;
  bool operator==(const RunCause&) const = default;
};
BENCHD_FIELDS(RunCause, metric, value, median)

/// A run that took far longer than the others of its arm.
struct WorstRun {
  std::uint64_t number = 0;  ///< of the measured runs, from 1, in order of execution
  std::string benchmark;
  std::string arm;
  std::string metric;
  std::string unit;
  double value = 0;
  double ratio = 1;  ///< to the median of its arm
  std::vector<RunCause> causes;
  bool operator==(const WorstRun&) const = default;
};
BENCHD_FIELDS(WorstRun, number, benchmark, arm, metric, unit, value, ratio, causes)

}  // namespace benchd
