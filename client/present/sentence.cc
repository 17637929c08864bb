#include "client/present/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "client/present/measurement.h"
#include "client/present/text.h"
#include "client/present/units.h"
#include "client/present/verdict_words.h"
#include "core/analysis/control_report.h"
#include "core/analysis/layout_groups.h"
#include "core/base/text.h"
#include "core/base/time.h"
#include "core/model/comparison.h"
#include "core/model/session_spec.h"
#include "core/model/verdict_reason.h"
#include "proto/convert/convert.h"

namespace benchd::client {
namespace {

// The words for changes of a metric.
struct Wording {
  std::string subject;  // "candidate is"
  std::string object;   // "than base"
  std::string more;
  std::string less;
};

// Names what decided the gate before its own interval did: " by holm". Empty otherwise.
std::string DecidedBy(const v1::Comparison& gate) {
  const std::string& by = gate.decided().by();
  if (by.empty()) return "";
  return by == kEarlyLook ? " by an early look" : " by " + Printable(by);
}

bool IsWallTime(const v1::Comparison& c) { return c.metric() == "wall_time"; }

Wording WordingFor(const v1::Comparison& c) {
  const std::string candidate = Printable(c.candidate());
  const std::string reference = Printable(c.reference());
  if (IsWallTime(c)) return {candidate + " is", "than " + reference, "slower", "faster"};
  return {candidate + "'s " + Printable(c.metric()) + " is", "than " + reference + "'s", "higher",
          "lower"};
}

bool HigherIsBetter(const v1::Comparison& c) { return c.better() == v1::BETTER_HIGHER; }

// Formats "8.9 % slower".
std::string FormatWithDirection(double value, const Judged& judged, const Wording& words,
                                const Style& style) {
  return judged.Format(std::abs(value), style) + " " + (value < 0 ? words.less : words.more);
}

// Returns the number of decimals for ratios near 1: at least two, and as many as their interval
// needs.
int RatioDecimals(std::optional<double> lo, std::optional<double> hi) {
  constexpr int kFewest = 2;
  constexpr int kMost = 4;
  if (!lo || !hi || !(*hi > *lo)) return kFewest;
  return std::clamp(static_cast<int>(-std::floor(std::log10(*hi - *lo))), kFewest, kMost);
}

// Formats "1.02 … 1.15".
std::string RatioInterval(double lo, double hi, int decimals, const Style& style) {
  return FormatTimes(lo, decimals).append(To(style)) + FormatTimes(hi, decimals);
}

// Formats the ratio to the reference's time: "(1.09 times, 1.02 … 1.15)".
std::string Times(const Judged& judged, const Style& style) {
  const int decimals = RatioDecimals(judged.lo, judged.hi);
  std::string text = "(" + FormatTimes(1 + *judged.estimate, decimals) + " times";
  // Beyond kTellableFactor, the ends would add no information.
  if (judged.lo && judged.hi && !judged.IsWide() && 1 + *judged.lo <= kTellableFactor) {
    text += ", " + RatioInterval(1 + *judged.lo, 1 + *judged.hi, decimals, style);
  } else if (judged.HasOneEnd() && 1 + judged.lo.value_or(0) <= kTellableFactor &&
             1 + judged.hi.value_or(0) <= kTellableFactor) {
    text += judged.hi ? ", at most " + FormatTimes(1 + *judged.hi, decimals)
                      : ", at least " + FormatTimes(1 + *judged.lo, decimals);
  }
  return text + ")";
}

// Formats the interval as "(9.8 … 10.6 %)", with the end nearer to zero first, if it excludes zero;
// otherwise with signs. With one end: "(at least 9.8 %)". Empty without an interval.
std::string IntervalBehind(const Judged& judged, const Style& style) {
  if (judged.HasOneEnd()) {
    const bool telling = std::abs(*judged.OneEnd()) <= kTellableFactor || !judged.relative;
    const std::string end = telling && judged.ExcludesNoChange()
                                ? "at least " + judged.Format(std::abs(*judged.OneEnd()), style)
                                : judged.Interval(style);
    return " (" + end + ")";
  }
  if (!judged.HasInterval()) return "";
  const ColumnFormat scale = judged.Scale(style);
  if (!judged.ExcludesNoChange() || judged.IsWide())
    return " (" + scale.Interval(*judged.lo, *judged.hi, style) + ")";
  const auto [near, far] = std::minmax({std::abs(*judged.lo), std::abs(*judged.hi)});
  if (judged.relative && near > kTellableFactor) return "";
  return " (" + scale.WithUnit(scale.Format(near).append(To(style)) + scale.Format(far)) + ")";
}

// Describes a change: "8.9 % slower (1.09 times, 1.02 … 1.15)".
std::string ChangeWords(const v1::Comparison& c, const Judged& judged, const Wording& words,
                        const Style& style) {
  // Below this, a percentage is easier to read than a ratio.
  constexpr double kTellsTimes = 0.05;
  const bool of_times =
      judged.relative && c.unit() == "s" && std::abs(*judged.estimate) >= kTellsTimes;
  return FormatWithDirection(*judged.estimate, judged, words, style) +
         (of_times ? " " + Times(judged, style) : IntervalBehind(judged, style));
}

// Describes a change: "candidate is 8.9 % slower (1.09 times, 1.02 … 1.15) than base".
std::string ChangeSentence(const v1::Comparison& c, const Judged& judged, const Wording& words,
                           const Style& style) {
  return words.subject + " " + ChangeWords(c, judged, words, style) + " " + words.object;
}

// Describes a regression under a negative margin: "candidate is not 5 % better than base; it is
// 0.4 % faster (0.1 … 0.7 %)".
std::string NotBetterSentence(const v1::Comparison& c, const Judged& judged, const Wording& words,
                              const Style& style) {
  return words.subject + " not " + RequiredWords(c, style) + " " + words.object + "; it is " +
         ChangeWords(c, judged, words, style);
}

// Describes an improvement: "candidate is 1.23 (1.19 … 1.27) times faster than base".
std::string FasterSentence(const Judged& judged, const Wording& words, const Style& style) {
  const double lo = 1 / (1 + *judged.hi);
  const double hi = 1 / (1 + *judged.lo);
  const int decimals = RatioDecimals(lo, hi);
  const std::string interval =
      lo > kTellableFactor ? "" : " (" + RatioInterval(lo, hi, decimals, style) + ")";
  return words.subject + " " + FormatTimes(1 / (1 + *judged.estimate), decimals) + interval +
         " times " + words.less + " " + words.object;
}

// Describes an improvement in times if that is easier to read than a percentage.
std::string ImprovedSentence(const v1::Comparison& c, const Judged& judged, const Wording& words,
                             const Style& style) {
  constexpr double kTimesFaster = 1.05;
  const bool by_times =
      IsWallTime(c) && judged.relative && judged.lo && judged.hi && *judged.lo > -1;
  if (by_times && 1 / (1 + *judged.estimate) >= kTimesFaster) {
    return FasterSentence(judged, words, style);
  }
  return ChangeSentence(c, judged, words, style);
}

// Formats estimate and interval: " (+0.4 %, -0.3 … +1.2 %)". Empty for constant values.
std::string EstimateBehind(const Judged& judged, const Style& style) {
  if (!judged.HasInterval() && !judged.HasOneEnd()) return "";
  return " (" + judged.Estimate(style) + ", " + judged.Interval(style) + ")";
}

// Returns the end of the interval on the bad side, which bounds what a pass allows.
std::optional<double> BoundOf(const v1::Comparison& c, const Judged& judged) {
  return HigherIsBetter(c) ? judged.lo : judged.hi;
}

// Describes a pass by the bound that holds, or by the change if it is an improvement. Either has
// estimate and interval. Requires BoundOf().
std::string PassSentence(const v1::Comparison& c, const Judged& judged, const Wording& words,
                         const Style& style) {
  const double bound = *BoundOf(c, judged);
  const bool improved = HigherIsBetter(c) ? bound > 0 : bound < 0;
  if (improved && judged.estimate) {
    const std::string sentence = ImprovedSentence(c, judged, words, style);
    const bool required = judged.margin && *judged.margin < 0;
    return required ? sentence + ", at least " + RequiredWords(c, style) : sentence;
  }
  const std::string& worse = HigherIsBetter(c) ? words.less : words.more;
  const std::string size = judged.Format(std::abs(bound), style);
  const bool none = size.find_first_of("123456789") == std::string::npos;
  return words.subject + (none ? " not " : " at most " + size + " ") + worse + " " + words.object +
         EstimateBehind(judged, style);
}

std::string MarginText(const Judged& judged, const Style& style) {
  return judged.margin ? "margin " + judged.Format(*judged.margin, style) : "";
}

std::string OpenSentence(const Judged& judged, const Wording& words, const std::string& runs,
                         const Style& style) {
  const std::string margin = MarginText(judged, style);
  const std::string behind = margin.empty() ? "" : " (" + margin + ")";
  if (judged.IsWide()) {
    return "the interval of " + words.subject.substr(0, words.subject.rfind(' ')) + " against " +
           words.object.substr(words.object.find(' ') + 1) + " is wider than a factor of " +
           Fixed(kTellableFactor, 0) + behind;
  }
  if (judged.lo && judged.hi) {
    const bool one_side = judged.ExcludesNoChange();
    const ColumnFormat scale = judged.Scale(style);
    const auto [near, far] = std::minmax({std::abs(*judged.lo), std::abs(*judged.hi)});
    const std::string range =
        one_side ? scale.WithUnit(scale.Format(near).append(" to ") + scale.Format(far)) + " " +
                       (*judged.lo < 0 ? words.less : words.more)
                 : "between " + FormatWithDirection(*judged.lo, judged, words, style) + " and " +
                       FormatWithDirection(*judged.hi, judged, words, style);
    return words.subject + " " + range + " " + words.object + behind;
  }
  if (judged.HasOneEnd()) {
    const double end = *judged.OneEnd();
    // A change that is at least -1 % is at most 1 % less.
    const bool most = judged.hi.has_value() == (end >= 0);
    return words.subject + (most ? " at most " : " at least ") +
           FormatWithDirection(end, judged, words, style) + " " + words.object + behind;
  }
  if (!judged.estimate)
    return "no data yet for " + words.subject.substr(0, words.subject.rfind(' '));
  return words.subject + " " + FormatWithDirection(*judged.estimate, judged, words, style) + " " +
         words.object + " so far, without an interval (" + margin + (margin.empty() ? "" : ", ") +
         runs + ")";
}

std::string RunsOf(const v1::Comparison& c) {
  if (c.method() == v1::METHOD_LAYOUTS) return Counted(c.n_candidate(), "build") + " each";
  if (c.n_reference() == c.n_candidate()) return Counted(c.n_candidate(), "run") + " each";
  return fmt::format("{} and {} runs", c.n_reference(), c.n_candidate());
}

// Formats a duration for --max-time, rounded up: "40s", "12m", "3h".
std::string DurationOption(double seconds) {
  const auto up = [seconds](double unit, const char* name) {
    return Fixed(std::ceil(seconds / unit), 0) + name;
  };
  constexpr double kTens = 10;
  constexpr double kMinute = 60;
  if (seconds <= 9 * kTens) return Fixed(kTens * std::ceil(seconds / kTens), 0) + "s";
  return seconds <= 90 * kMinute ? up(kMinute, "m") : up(60 * kMinute, "h");
}

// Suggests how to reach a verdict: "; more time may decide it: --max-time 12m".
std::string Advice(const v1::Comparison& gate) {
  const v1::Forecast& forecast = gate.forecast();
  const std::string runs = forecast.has_runs() ? fmt::format(" {}", forecast.runs()) : "";
  switch (forecast.remedy()) {
    case v1::REMEDY_MORE_TIME:
      return "; more time may decide it: --max-time" +
             (forecast.has_seconds() ? " " + DurationOption(forecast.seconds()) : "");
    case v1::REMEDY_MORE_RUNS:
      return "; more runs may decide it: --runs" + runs;
    case v1::REMEDY_MORE_MAX_RUNS:
      return "; more runs may decide it: --max-runs" + runs;
    case v1::REMEDY_MORE_LAYOUTS:
      return "; more builds may decide it: --layouts" + runs;
    case v1::REMEDY_MORE_ROWS:
      return "; more runs may decide it";
    case v1::REMEDY_SINGLE_ROUNDS:
      return "; single rounds may decide it";
    case v1::REMEDY_OTHER_MARGIN:
      return "; too close to the margin to decide: choose another --margin";
    case v1::REMEDY_HARDLY_ANY:
      return gate.method() == v1::METHOD_LAYOUTS ? "; more builds are unlikely to decide it"
                                                 : "; more runs are unlikely to decide it";
    case v1::REMEDY_NONE_NEEDED:
      return "; as precise as --rule requests";
    default:
      return "";
  }
}

// The number of gates with each result.
struct GateCounts {
  std::size_t all = 0;
  std::size_t regressed = 0;   // without those that are only not better
  std::size_t not_better = 0;  // by their negative margins
  std::size_t open = 0;
};

GateCounts CountGates(const Comparisons& gates) {
  GateCounts counts{.all = gates.size()};
  for (const v1::Comparison* gate : gates) {
    if (IsNotBetter(*gate)) {
      ++counts.not_better;
    } else if (gate->verdict() == v1::VERDICT_REGRESSION) {
      ++counts.regressed;
    }
    if (gate->verdict() == v1::VERDICT_UNDECIDED) ++counts.open;
  }
  return counts;
}

// Counts the gates that are not better by their margins: "2 of 3 gates are not 5 % better".
std::string NotBetterCount(const v1::Update& update, const GateCounts& counts, const Style& style) {
  const std::string required = RequiredWords(update, style);
  if (counts.not_better == counts.all) {
    const std::string none =
        counts.all == 2 ? "neither gate" : fmt::format("none of {} gates", counts.all);
    return none + " is " + required;
  }
  const std::string of = counts.regressed > 0 ? "" : fmt::format(" of {} gates", counts.all);
  return fmt::format("{}{} {} not {}", counts.not_better, of, counts.not_better == 1 ? "is" : "are",
                     required);
}

std::string RegressedCount(const v1::Update& update, const GateCounts& counts, const Style& style) {
  const std::string all = counts.all == 2 ? "both" : fmt::format("all {}", counts.all);
  if (counts.regressed == counts.all) return all + " gates regressed";
  std::vector<std::string> parts;
  if (counts.regressed > 0 || counts.not_better == 0) {
    parts.push_back(fmt::format("{} of {} gates regressed", counts.regressed, counts.all));
  }
  if (counts.not_better > 0) parts.push_back(NotBetterCount(update, counts, style));
  if (counts.open > 0) parts.push_back(fmt::format("{} undecided", counts.open));
  return Join(parts, ", ");
}

std::string CountSentence(const v1::Update& update, const GateCounts& counts, const Style& style) {
  const std::string all = counts.all == 2 ? "both" : fmt::format("all {}", counts.all);
  switch (update.verdict()) {
    case v1::VERDICT_REGRESSION:
      return RegressedCount(update, counts, style);
    case v1::VERDICT_PASS:
      return all + " gates passed";
    default:
      return counts.open == counts.all
                 ? all + " gates undecided"
                 : fmt::format("{} of {} gates undecided", counts.open, counts.all);
  }
}

std::uint64_t BlocksOfSecondPhase(const v1::Update& update) {
  std::map<std::string_view, std::uint64_t> blocks;
  for (const v1::Comparison* gate : GatesOf(update)) {
    if (gate->has_confirmation()) blocks[gate->benchmark()] = gate->confirmation().blocks();
  }
  std::uint64_t sum = 0;
  for (const auto& [benchmark, own] : blocks) sum += own;
  return sum;
}

}  // namespace

std::string LayoutSentence(const v1::Comparison& gate, const v1::Update& update,
                           const Style& style) {
  const Judged judged = JudgedBy(gate);
  if (gate.method() != v1::METHOD_LAYOUTS || !judged.margin || *judged.margin == 0 ||
      !gate.has_sd_reference() || !gate.has_sd_candidate()) {
    return "";
  }
  const double margin = std::abs(*judged.margin);
  const double unit_b = judged.relative ? gate.mean_reference() : 1;
  const double unit_c = judged.relative ? gate.mean_candidate() : 1;
  const double sd =
      std::hypot(gate.sd_reference() / unit_b, gate.sd_candidate() / unit_c) / std::sqrt(2);
  const std::string about = style.unicode ? "±" : "+-";
  std::string text = GatesOf(update).size() > 1 ? ComparisonLabel(gate, update) + ": " : "";
  const ColumnFormat scale = judged.Scale(style);
  if (judged.lo && judged.hi) {
    text += "effect of the code: " + scale.Signed(*judged.estimate) + " " + about + " " +
            scale.WithUnit(scale.Format((*judged.hi - *judged.lo) / 2)) + "; ";
  }
  const std::uint64_t builds = BuildsPerArm(sd, margin, gate.confidence());
  const std::string spread =
      judged.relative ? FormatUnsigned(sd, sd < 0.01 ? 2 : 1) : scale.WithUnit(scale.Format(sd));
  return text + fmt::format("layouts: sd {}; {}{} needs about {} builds per arm (there are {})",
                            spread, about, judged.FormatMargin(margin, style), builds,
                            gate.n_candidate());
}

bool IsAtWork(const v1::Update& update) {
  return update.state() == v1::SESSION_STATE_RUNNING ||
         update.state() == v1::SESSION_STATE_PREPARING;
}

std::string BlocksSentence(const v1::Update& update) {
  const bool confirming = IsAtWork(update) && !ConfirmingSentence(update).empty();
  return Counted(confirming ? BlocksOfSecondPhase(update) : CountBlocks(update).blocks, "block");
}

std::string DecidedSentence(const v1::Update& update) {
  if (!SeveralBenchmarks(update)) return "";
  const auto gates = GatesOf(update);
  const auto decided =
      std::ranges::count_if(gates, [](const v1::Comparison* gate) { return gate->has_decided(); });
  return fmt::format("{} of {} decided", decided, gates.size());
}

std::string DecisionCount(const v1::Comparison& gate, std::uint64_t blocks) {
  // In a table without pairs, the unit is a single row.
  if (blocks > gate.n_reference() && blocks > gate.n_candidate()) {
    return Counted(blocks, "runs", "runs");
  }
  return Counted(blocks, gate.method() == v1::METHOD_WELCH ? "block" : "pair");
}

std::string DecidedEarlier(const v1::Comparison& gate) {
  // These methods look once, and may count something other than the values of an arm.
  const bool once = gate.method() == v1::METHOD_FIXED || gate.method() == v1::METHOD_LAYOUTS;
  const bool earlier = gate.has_decided() && !once && gate.decided().blocks() != gate.n_candidate();
  const std::string by = DecidedBy(gate);
  if (!earlier) return by.empty() ? "" : "decided" + by;
  return "decided at " + DecisionCount(gate, gate.decided().blocks()) + by;
}

namespace {

// Returns whether the verdict is based on the estimate (--at-limit estimate). Its bounds then
// guarantee nothing.
bool IsByEstimate(const v1::Comparison& gate) {
  const bool judged =
      gate.verdict() == v1::VERDICT_PASS || gate.verdict() == v1::VERDICT_REGRESSION;
  return judged && gate.reason().empty() && !gate.has_decided();
}

// Describes the second phase of a gate: "; second phase: +3.1 % (+2.2 … +4.0 %) in 24 blocks", what
// it lacks: "; second phase: +3.1 % in 3 blocks, no interval", or why it has a verdict without an
// interval: "... in 24 blocks, runs of candidate failed".
std::string SecondPhaseWords(const v1::Comparison& gate, const Style& style) {
  if (!gate.has_confirmation()) return "";
  const std::string start = "; second phase: ";
  if (gate.confirmation().blocks() == 0) return start + "nothing was measured";
  const v1::Comparison second = OfSecondPhase(gate);
  const Judged judged = JudgedBy(second);
  const std::string interval = judged.Interval(style);
  const std::string blocks = Counted(gate.confirmation().blocks(), "block");
  std::string words = start;
  if (judged.estimate) words += judged.FormatSigned(*judged.estimate, style) + " ";
  if (!interval.empty()) {
    words += "(" + interval + ") in " + blocks;
    return second.reason().empty() ? words : words + ", " + ReasonWords(second);
  }
  words += (judged.estimate ? "in " : "") + blocks;
  return words + ", " + (second.reason().empty() ? "no interval" : ReasonWords(second));
}

// Names the confidence of a pass if it is not that of a regression: ", with 95 % confidence".
std::string OwnConfidence(const v1::Comparison& gate) {
  // A decision together with other gates is about all of them.
  const bool together = !gate.decided().by().empty() && gate.decided().by() != kEarlyLook;
  if (!gate.has_pass_confidence() || gate.basis() == v1::BASIS_EXACT || together) return "";
  return ", with " + FormatConfidence(gate.pass_confidence()) + " confidence";
}

std::string ByTheEstimate(const Style& style) {
  const std::string alpha = style.unicode ? "α" : "alpha";
  return "; based on the estimate, which " + alpha + " does not cover";
}

// Describes a gate that the first phase found not to be better by its negative margin, if that is
// to be confirmed or was not: "candidate is not 5 % better than base, and this is to be confirmed".
// Empty for other reasons.
std::string FirstPhaseNotBetter(const v1::Comparison& gate, const Style& style) {
  const Judged judged = JudgedBy(gate);
  const bool by_interval = judged.lo || judged.hi;
  const bool withdrawn = IsToBeConfirmed(gate) || gate.reason() == Reason("not_confirmed");
  if (!RequiresImprovement(gate) || !by_interval || !withdrawn) return "";
  const Wording words = WordingFor(gate);
  return words.subject + " not " + RequiredWords(gate, style) + " " + words.object +
         (IsToBeConfirmed(gate) ? ", and this is to be confirmed"
                                : ", but a second phase of fresh runs did not confirm it");
}

// Describes a gate whose regression in the first phase has a cause other than its values, if it was
// not confirmed or is still to be: "runs of candidate failed, but no run of base did; a second
// phase of fresh runs did not confirm it". Otherwise empty.
std::string FirstPhaseCause(const v1::Comparison& gate) {
  const std::string& cause = gate.confirmation().first_reason();
  if (cause.empty() || cause == gate.reason()) return "";
  const GateNames names{gate.reference(), gate.candidate(), gate.metric()};
  return Printable(SentenceOf(cause, names)) +
         (IsToBeConfirmed(gate) ? "; this is to be confirmed"
                                : "; a second phase of fresh runs did not confirm it");
}

}  // namespace

std::string ControlSentence(const v1::Comparison& control, const Style& style) {
  const Judged judged = JudgedBy(control);
  if (!judged.estimate) return ReasonSentence(control);
  return ChangeSentence(control, judged, WordingFor(control), style);
}

std::string GateSentence(const v1::Comparison& gate, const Style& style) {
  if (gate.control() == v1::CONTROL_STATE_CHANGED) {
    return ControlSentence(gate, style) + ": the machine, not the code";
  }
  if (!gate.reason().empty()) {
    std::string first = FirstPhaseNotBetter(gate, style);
    if (first.empty()) first = FirstPhaseCause(gate);
    return (first.empty() ? ReasonSentence(gate) : first) + SecondPhaseWords(gate, style);
  }
  const Judged judged = JudgedBy(gate);
  const Wording words = WordingFor(gate);
  const bool by_estimate = IsByEstimate(gate);
  const std::string exactly = judged.exact ? ", decided on constant values" : "";
  if (gate.verdict() == v1::VERDICT_PASS && !by_estimate && BoundOf(gate, judged)) {
    return PassSentence(gate, judged, words, style) + exactly + OwnConfidence(gate);
  }
  if (gate.verdict() == v1::VERDICT_UNDECIDED || !judged.estimate) {
    return OpenSentence(judged, words, RunsOf(gate), style);
  }
  const std::string basis =
      exactly + (by_estimate ? ByTheEstimate(style) : "") + SecondPhaseWords(gate, style);
  if (IsNotBetter(gate)) return NotBetterSentence(gate, judged, words, style) + basis;
  return ChangeSentence(gate, judged, words, style) + basis;
}

std::string VerdictSentence(const v1::Comparison& gate, const Style& style) {
  return LeadingWord(gate) + ": " + GateSentence(gate, style) + Advice(gate);
}

namespace {

// Returns the gates that have a sentence after the count: those that did not pass or, with several
// candidates in one benchmark, all gates.
std::vector<const v1::Comparison*> GatesToTell(const v1::Update& update) {
  const std::vector<const v1::Comparison*> gates = JudgedGatesOf(update);
  if (SeveralCandidates(update) && !SeveralBenchmarks(update)) return gates;
  std::vector<const v1::Comparison*> told;
  for (const v1::Verdict verdict : {v1::VERDICT_REGRESSION, v1::VERDICT_UNDECIDED}) {
    for (const v1::Comparison* gate : gates) {
      if (gate->verdict() == verdict) told.push_back(gate);
    }
  }
  return told;
}

// Returns the gate whose interval is the closest to its margin, in multiples of the margin. Returns
// nullptr if no gate has an interval and a margin.
const v1::Comparison* ClosestToMargin(const Comparisons& gates) {
  const v1::Comparison* closest = nullptr;
  double least = 0;
  for (const v1::Comparison* gate : gates) {
    const Judged judged = JudgedBy(*gate);
    if (!judged.HasInterval() || !judged.margin || *judged.margin == 0) continue;
    const double bound = HigherIsBetter(*gate) ? -*judged.lo : *judged.hi;
    const double left = (*judged.margin - bound) / std::abs(*judged.margin);
    if (closest != nullptr && !(left < least)) continue;
    closest = gate;
    least = left;
  }
  return closest;
}

std::string WhyNothingWasJudged(const v1::Update& update) {
  return update.verdict() == v1::VERDICT_UNDECIDED && !EveryArmRan(update)
             ? kNotEveryArmRan
             : "there was nothing to decide";
}

}  // namespace

namespace {

constexpr std::size_t kMostTold = 6;

// Names the benchmark before a sentence, if there are several.
std::string PlaceOf(const v1::Comparison& gate, const v1::Update& update) {
  return SeveralBenchmarks(update) ? Printable(gate.benchmark()) + ": " : std::string();
}

// Describes a session that is undecided because a control changed, whatever its gates show.
std::vector<std::string> ChangedSentences(const v1::Update& update, const Style& style) {
  std::vector<std::string> lines = {LeadingWord(update) + ": " + kControlChangedWords};
  const Comparisons controls = ChangedControlsOf(update);
  for (const v1::Comparison* control : controls) {
    if (lines.size() > kMostTold) break;
    lines.push_back("  " + PlaceOf(*control, update) + ControlSentence(*control, style));
  }
  if (controls.size() > kMostTold) {
    lines.push_back(fmt::format("  and {} more in the table", controls.size() - kMostTold));
  }
  return lines;
}

}  // namespace

std::vector<std::string> VerdictSentences(const v1::Update& update, const Style& style) {
  if (Measures(update)) return MeasuredSentences(update, style);
  if (update.control_changed()) return ChangedSentences(update, style);
  const std::vector<const v1::Comparison*> gates = JudgedGatesOf(update);
  const std::string word = LeadingWord(update) + ": ";
  if (gates.empty()) return {word + WhyNothingWasJudged(update)};
  if (gates.size() == 1) return {VerdictSentence(*gates.front(), style)};
  const std::string basis = update.basis() == v1::BASIS_ESTIMATE ? ByTheEstimate(style) : "";
  std::vector<std::string> lines = {word + CountSentence(update, CountGates(gates), style) + basis};
  const std::vector<const v1::Comparison*> told = GatesToTell(update);
  const bool alike = std::ranges::all_of(told, [&told](const v1::Comparison* gate) {
    return gate->verdict() == told.front()->verdict();
  });
  for (std::size_t i = 0; i < told.size() && i < kMostTold; ++i) {
    std::string line = VerdictSentence(*told[i], style);
    if (alike) line.erase(0, line.find(": ") + 2);  // the count has the verdict
    lines.push_back("  " + PlaceOf(*told[i], update) + line);
  }
  if (told.size() > kMostTold) {
    lines.push_back(fmt::format("  and {} more in the table", told.size() - kMostTold));
  }
  // If all gates passed, the closest one bounds the others.
  const v1::Comparison* const closest = told.empty() ? ClosestToMargin(gates) : nullptr;
  if (closest != nullptr) {
    lines.push_back("  closest to its margin: " + PlaceOf(*closest, update) +
                    GateSentence(*closest, style));
  }
  return lines;
}

std::string ConfirmingSentence(const v1::Update& update) {
  const std::vector<const v1::Comparison*> gates = GatesOf(update);
  const auto entered = std::ranges::count_if(
      gates, [](const v1::Comparison* gate) { return gate->has_confirmation(); });
  if (entered == 0) return "";
  const auto not_better = std::ranges::count_if(gates, [](const v1::Comparison* gate) {
    return gate->has_confirmation() && RequiresImprovement(*gate);
  });
  const auto count = static_cast<std::uint64_t>(entered);
  if (not_better < entered) return "confirming " + Counted(count, "regression");
  return "confirming that " + Counted(count, "gate") + (count == 1 ? " is" : " are") +
         " not better";
}

std::string PauseSentence(const v1::Update& update) {
  for (const v1::Warning& warning : update.warnings()) {
    if (warning.code() == "disk_full" || warning.code() == "not_stored") {
      return OneLine(warning.message());
    }
  }
  return "paused";
}

}  // namespace benchd::client
