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

/// Returns the comparisons that gate, in their order.
Comparisons GatesOf(const v1::Update& update);

/// Returns the gates that are judged: those that are not controls, and controls that regressed for
/// a reason that is not the machine's, such as a missing metric.
Comparisons JudgedGatesOf(const v1::Update& update);

/// Returns the controls that changed, also those that do not gate (the placebo), in their order.
Comparisons ChangedControlsOf(const v1::Update& update);

/// Returns whether the only cause of each regression is that the candidate lacks the metric.
/// `git bisect` cannot judge such a commit.
bool RegressedByMissingAlone(const v1::Update& update);

/// Returns the gate's reason in a few words, or as a sentence with names; "" without a reason. An
/// unknown reason is shown as its code.
std::string ReasonWords(const v1::Comparison& gate);
std::string ReasonSentence(const v1::Comparison& gate);

/// Returns green for a pass, red for a regression, else yellow.
Tint VerdictTint(v1::Verdict verdict);

/// Returns whether the session has several benchmarks.
bool SeveralBenchmarks(const v1::Update& update);

/// Returns whether the first gate's benchmark has several candidates.
bool SeveralCandidates(const v1::Update& update);
/// Returns whether each arm has run at least once, and what is said if not.
bool EveryArmRan(const v1::Update& update);
inline constexpr const char* kNotEveryArmRan =
    "the limit was reached before every arm had run once";

/// The number of blocks measured so far in all benchmarks together, and the number of benchmarks.
struct BlockCount {
  std::uint64_t blocks = 0;
  std::uint64_t benchmarks = 0;
};
BlockCount CountBlocks(const v1::Update& update);

/// Returns whether `comparison` is of tree_cpu_time and adds no information, because it equals
/// cpu_time of the same arms.
bool RepeatsCpuTime(const v1::Comparison& comparison, const v1::Update& update);

/// Returns "REGRESSION", "PASS" or "UNDECIDED". For a gate, see also LeadingWord().
std::string VerdictWord(v1::Verdict verdict);

/// Returns the label of a comparison: "candidate vs base", in suites "parse: candidate". Omits the
/// metric if it is only wall_time, and the reference if a suite has only one.
std::string ComparisonLabel(const v1::Comparison& comparison, const v1::Update& update);

/// The quantity that decides a gate: the relative change, or the difference if the margin is
/// absolute or there is no relative change. A gate that was decided on constant values is judged by
/// the difference, and has no margin.
struct Judged {
  bool relative = true;
  std::optional<double> estimate;
  std::optional<double> lo;
  std::optional<double> hi;
  std::optional<double> margin;
  std::string unit;
  bool exact = false;  ///< decided on constant values

  /// Returns whether there is an interval with two ends to print. Constant values have both ends at
  /// the estimate.
  bool HasInterval() const { return lo && hi && !(exact && *lo == *hi); }
  /// Returns whether the values bound the quantity on one side only.
  bool HasOneEnd() const { return lo.has_value() != hi.has_value(); }
  std::optional<double> OneEnd() const { return hi ? hi : lo; }  ///< that of HasOneEnd()
  /// Returns the common format of the estimate and the ends of the interval.
  ColumnFormat Scale(const Style& style) const;
  std::string Format(double value, const Style& style) const;        ///< "10.2 %", "1.5 MiB"
  std::string FormatSigned(double value, const Style& style) const;  ///< "+10.2 %"
  /// Returns "+9.8 … +10.6 %" or, with one end, "at most +10.6 %". Returns "" without an interval
  /// and for constant values.
  std::string Interval(const Style& style) const;
  std::string FormatMargin(double value, const Style& style) const;  ///< "2 %", "1 MiB"
  std::string Margin(const Style& style) const;    ///< "-2 %", "exact", "" without one
  std::string Estimate(const Style& style) const;  ///< "+10.2 %", "-" without one

  /// Returns whether the interval excludes zero.
  bool ExcludesNoChange() const { return (lo && *lo > 0) || (hi && *hi < 0); }
  /// Returns whether the interval of a relative change is too wide to print as numbers.
  bool IsWide() const { return relative && lo && hi && WiderThanTellable(*lo, *hi); }
};

/// Returns the comparison with the figures of its second phase (`confirmation`) instead of those of
/// the first.
v1::Comparison OfSecondPhase(const v1::Comparison& gate);

/// Returns whether the gate regressed in the first phase, and the second has no verdict yet.
bool IsToBeConfirmed(const v1::Comparison& gate);
/// Returns whether both phases found that the gate regressed.
bool IsConfirmed(const v1::Comparison& gate);

Judged JudgedBy(const v1::Comparison& comparison);

}  // namespace benchd::client
