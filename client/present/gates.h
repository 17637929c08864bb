#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "client/present/units.h"

namespace benchd::client {

// The gates of a session, prepared for pictures, tables and sentences.

using Comparisons = std::vector<const v1::Comparison*>;

inline bool IsGate(const v1::Comparison& comparison) {
  return comparison.role() == v1::COMPARISON_ROLE_GATE;
}

/// The comparisons that gate, in their order.
Comparisons GatesOf(const v1::Update& update);

/// Whether every regression is a metric that the candidate lacks. `git bisect` cannot judge such a
/// commit.
bool RegressedByMissingAlone(const v1::Update& update);

/// The gate's reason in a few words, and as a sentence with names; "" without a reason. An unknown
/// reason is shown as its code.
std::string ReasonWords(const v1::Comparison& gate);
std::string ReasonSentence(const v1::Comparison& gate);

/// Green, red or yellow.
Tint VerdictTint(v1::Verdict verdict);

/// Whether the session has several benchmarks.
bool SeveralBenchmarks(const v1::Update& update);

/// Whether some benchmark has several candidates.
bool SeveralCandidates(const v1::Update& update);

/// Blocks measured so far, of all benchmarks together, and how many benchmarks there are.
struct BlockCount {
  std::uint64_t blocks = 0;
  std::uint64_t benchmarks = 0;
};
BlockCount CountBlocks(const v1::Update& update);

/// Whether `comparison` is of tree_cpu_time and equals cpu_time of the same arms, so that it adds
/// no information.
bool RepeatsCpuTime(const v1::Comparison& comparison, const v1::Update& update);

/// "REGRESSION", "PASS", "UNDECIDED".
std::string VerdictWord(v1::Verdict verdict);

/// "candidate vs base", in suites "parse: candidate": names a comparison on a line of its own.
/// Omits the metric if it is only wall_time, and a suite's only reference.
std::string ComparisonLabel(const v1::Comparison& comparison, const v1::Update& update);

/// The quantity that decides a gate: the relative change, or the difference if the margin is
/// absolute or there is no relative change.
struct Judged {
  bool relative = true;
  std::optional<double> estimate;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> margin;
  std::string unit;

  /// One scale and number of decimals for the estimate and the ends of the interval.
  ColumnFormat Scale(const Style& style) const;
  std::string Format(double value, const Style& style) const;        ///< "10.2 %", "1.5 MiB"
  std::string FormatSigned(double value, const Style& style) const;  ///< "+10.2 %"
  std::string Interval(const Style& style) const;  ///< "+9.8 … +10.6 %", "" without one
  std::string Estimate(const Style& style) const;  ///< "+10.2 %", "-" without one

  /// The interval excludes zero.
  bool ExcludesNoChange() const { return lo && hi && (*lo > 0 || *hi < 0); }
  /// The interval of a relative change is too wide to print as numbers.
  bool IsWide() const { return relative && lo && hi && WiderThanTellable(*lo, *hi); }
};

Judged JudgedBy(const v1::Comparison& comparison);

}  // namespace benchd::client
