#include "client/render/sentence.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "client/render/text.h"
#include "client/render/units.h"
#include "client/render/words.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

// How a metric's changes are told.
struct Wording {
  std::string subject;  // "candidate is"
  std::string object;   // "than base"
  std::string more;
  std::string less;
};

Wording WordingFor(const v1::Comparison& c) {
  const std::string candidate = Printable(c.candidate());
  const std::string reference = Printable(c.reference());
  const std::string metric = Printable(c.metric());
  if (c.metric() == "wall_time")
    return {candidate + " is", "than " + reference, "slower", "faster"};
  return {candidate + "'s " + metric + " is", "than " + reference + "'s", "higher", "lower"};
}

std::string Told(double value, const Judged& judged, const Wording& words, const Style& style) {
  return judged.Format(std::abs(value), style) + " " + (value < 0 ? words.less : words.more);
}

std::string BlockText(const v1::Comparison& c) {
  if (c.n_reference() != c.n_candidate()) {
    return std::to_string(c.n_reference()) + " and " + std::to_string(c.n_candidate()) + " values";
  }
  return Counted(c.n_candidate(), "block");
}

// In parentheses behind a statement.
std::string Evidence(const v1::Comparison& c, const std::string& interval) {
  std::string text = "(" + interval + (interval.empty() ? "" : ", ") +
                     FormatPercent(c.confidence()) + " confidence, " + BlockText(c);
  const std::string earlier = DecidedEarlier(c);
  return text + (earlier.empty() ? "" : ", " + earlier) + ")";
}

// "9.8 % … 10.6 %": both ends on the side of the estimate, the nearer one first.
std::string OneSidedInterval(const Judged& judged, const Style& style) {
  const double near = std::min(std::abs(*judged.lo), std::abs(*judged.hi));
  const double far = std::max(std::abs(*judged.lo), std::abs(*judged.hi));
  return judged.Format(near, style).append(To(style)) + judged.Format(far, style);
}

std::string PassSentence(const v1::Comparison& c, const Judged& judged, const Wording& words,
                         const Style& style) {
  const bool higher_is_better = c.better() == v1::BETTER_HIGHER;
  const double bound = higher_is_better ? *judged.lo : *judged.hi;
  const bool improved = higher_is_better ? bound > 0 : bound < 0;
  if (improved && judged.estimate) {
    return words.subject + " " + Told(*judged.estimate, judged, words, style) + " " + words.object +
           " " + Evidence(c, OneSidedInterval(judged, style));
  }
  return words.subject + " at most " + judged.Format(std::abs(bound), style) + " " +
         (higher_is_better ? words.less : words.more) + " " + words.object + " " +
         Evidence(c, judged.Interval(style));
}

std::string OpenSentence(const v1::Comparison& c, const Judged& judged, const Wording& words,
                         const Style& style) {
  const std::string margin = judged.margin ? "margin " + judged.Format(*judged.margin, style) : "";
  if (judged.lo && judged.hi) {
    return words.subject + " between " + Told(*judged.lo, judged, words, style) + " and " +
           Told(*judged.hi, judged, words, style) + " " + words.object + " " + Evidence(c, margin);
  }
  const std::string estimate =
      judged.estimate ? judged.FormatSigned(*judged.estimate, style) : "unknown";
  return words.subject + " " + estimate + " against " + Printable(c.reference()) +
         " so far, without an interval yet (" + margin + (margin.empty() ? "" : ", ") +
         BlockText(c) + ")";
}

std::string RegressionSentence(const v1::Comparison& c, const Judged& judged, const Wording& words,
                               const Style& style) {
  const bool one_side =
      judged.lo && judged.hi && std::signbit(*judged.lo) == std::signbit(*judged.hi);
  return words.subject + " " + Told(judged.estimate.value_or(0), judged, words, style) + " " +
         words.object + " " +
         Evidence(c, one_side ? OneSidedInterval(judged, style) : judged.Interval(style));
}

std::string CountSentence(const v1::Update& update, std::size_t gates, std::size_t regressions,
                          std::size_t open) {
  const std::string of = " of " + std::to_string(gates) + " gates";
  switch (update.verdict()) {
    case v1::VERDICT_REGRESSION:
      return "regression: " + std::to_string(regressions) + of + " got worse" +
             (open > 0 ? ", " + std::to_string(open) + " undecided" : "");
    case v1::VERDICT_PASS:
      return "pass: all " + std::to_string(gates) + " gates are within their margins";
    default:
      return "undecided: " + std::to_string(open) + of + " are open";
  }
}

}  // namespace

std::vector<const v1::Comparison*> GatesOf(const v1::Update& update) {
  std::vector<const v1::Comparison*> gates;
  for (const v1::Comparison& c : update.comparisons()) {
    if (c.role() == v1::COMPARISON_ROLE_GATE) gates.push_back(&c);
  }
  return gates;
}

Tint VerdictTint(v1::Verdict verdict) {
  return verdict == v1::VERDICT_PASS         ? Tint::kGreen
         : verdict == v1::VERDICT_REGRESSION ? Tint::kRed
                                             : Tint::kYellow;
}

bool SeveralBenchmarks(const v1::Update& update) {
  return std::ranges::any_of(update.comparisons(), [&update](const v1::Comparison& c) {
    return c.benchmark() != update.comparisons(0).benchmark();
  });
}

BlockCount CountBlocks(const v1::Update& update) {
  std::map<std::string_view, std::uint64_t> blocks;
  for (const v1::Comparison& c : update.comparisons()) {
    std::uint64_t& own = blocks[c.benchmark()];
    own = std::max(own, c.n_candidate());
  }
  BlockCount count{0, blocks.size()};
  for (const auto& [benchmark, own] : blocks) count.blocks += own;
  return count;
}

std::string BlocksSentence(const v1::Update& update) {
  return Counted(CountBlocks(update).blocks, "block");
}

std::string DecidedSentence(const v1::Update& update) {
  if (!SeveralBenchmarks(update)) return "";
  const auto gates = GatesOf(update);
  const auto decided =
      std::ranges::count_if(gates, [](const v1::Comparison* gate) { return gate->has_decided(); });
  return std::to_string(decided) + " of " + std::to_string(gates.size()) + " decided";
}

std::string Judged::Format(double value, const Style& style) const {
  if (!relative) return FormatQuantity(value, unit, style);
  if (margin && value == *margin) return FormatPercent(value);
  return FormatChange(std::abs(value), PercentDecimals(lo, hi)).substr(1);
}

std::string Judged::FormatSigned(double value, const Style& style) const {
  if (relative) return FormatChange(value, PercentDecimals(lo, hi));
  return (value < 0 ? "" : "+") + FormatQuantity(value, unit, style);
}

std::string Judged::Interval(const Style& style) const {
  if (!lo || !hi) return "";
  return FormatSigned(*lo, style).append(To(style)) + FormatSigned(*hi, style);
}

std::string Judged::Estimate(const Style& style) const {
  return estimate ? FormatSigned(*estimate, style) : "-";
}

std::vector<std::string> Judged::Cells(const Style& style) const {
  const std::string interval = Interval(style);
  return {Estimate(style), interval.empty() ? "-" : interval, margin ? Format(*margin, style) : ""};
}

Judged JudgedBy(const v1::Comparison& comparison) {
  Judged judged;
  judged.unit = comparison.unit();
  judged.relative =
      comparison.has_change() && comparison.margin_case() != v1::Comparison::kMarginAbsolute;
  if (comparison.margin_case() == v1::Comparison::kMarginAbsolute) {
    judged.margin = comparison.margin_absolute();
  } else if (comparison.margin_case() == v1::Comparison::kMarginRatio && judged.relative) {
    judged.margin = comparison.margin_ratio();
  }
  if (!judged.relative && !comparison.has_difference()) return judged;
  const v1::Effect& effect = judged.relative ? comparison.change() : comparison.difference();
  judged.estimate = effect.estimate();
  if (effect.has_lo()) judged.lo = effect.lo();
  if (effect.has_hi()) judged.hi = effect.hi();
  return judged;
}

std::string DecisionCount(const v1::Comparison& gate, std::uint64_t blocks) {
  // Without pairs a row of a table stands for itself.
  if (blocks > gate.n_reference() && blocks > gate.n_candidate()) {
    return Counted(blocks, "runs", "runs");
  }
  return Counted(blocks, gate.method() == v1::METHOD_WELCH ? "block" : "pair");
}

std::string DecidedEarlier(const v1::Comparison& gate) {
  // Or it counts otherwise than the values of an arm.
  const bool earlier = gate.has_decided() && gate.method() != v1::METHOD_FIXED &&
                       gate.decided().blocks() != gate.n_candidate();
  return earlier ? "decided at " + DecisionCount(gate, gate.decided().blocks()) : "";
}

std::string GateSentence(const v1::Comparison& gate, const Style& style) {
  const Judged judged = JudgedBy(gate);
  const Wording words = WordingFor(gate);
  const std::string verdict(Word(gate.verdict()));
  if (gate.verdict() == v1::VERDICT_PASS && judged.lo && judged.hi) {
    return verdict + ": " + PassSentence(gate, judged, words, style);
  }
  if (gate.verdict() == v1::VERDICT_UNDECIDED) {
    return verdict + ": " + OpenSentence(gate, judged, words, style);
  }
  return verdict + ": " + RegressionSentence(gate, judged, words, style);
}

std::vector<std::string> VerdictSentences(const v1::Update& update, const Style& style) {
  const std::vector<const v1::Comparison*> gates = GatesOf(update);
  const std::string basis =
      update.basis() == v1::BASIS_ESTIMATE ? "; by the estimate, which alpha does not cover" : "";
  if (gates.empty()) return {std::string(Word(update.verdict())) + ": there was nothing to decide"};
  if (gates.size() == 1) return {GateSentence(*gates.front(), style) + basis};
  const auto count = [&gates](v1::Verdict verdict) {
    return static_cast<std::size_t>(std::ranges::count_if(
        gates, [verdict](const v1::Comparison* gate) { return gate->verdict() == verdict; }));
  };
  std::vector<std::string> lines = {CountSentence(update, gates.size(),
                                                  count(v1::VERDICT_REGRESSION),
                                                  count(v1::VERDICT_UNDECIDED)) +
                                    basis};
  const bool several = SeveralBenchmarks(update);
  for (const v1::Verdict verdict : {v1::VERDICT_REGRESSION, v1::VERDICT_UNDECIDED}) {
    for (const v1::Comparison* gate : gates) {
      if (gate->verdict() != verdict) continue;
      lines.push_back("  " + (several ? Printable(gate->benchmark()) + ": " : "") +
                      GateSentence(*gate, style));
    }
  }
  return lines;
}

std::string PauseSentence(const v1::Update& update) {
  const std::string paused = "paused";
  for (const v1::Warning& warning : update.warnings()) {
    if (warning.code() != "disk_full" && warning.code() != "not_stored") continue;
    const std::string message = OneLine(warning.message());
    return message.starts_with(paused) ? message : paused + ": " + message;
  }
  return paused;
}

std::string ComparisonLabel(const v1::Comparison& comparison, const v1::Update& update) {
  std::set<std::string> references;
  std::set<std::string> metrics;
  for (const v1::Comparison* gate : GatesOf(update)) {
    references.insert(gate->reference());
    metrics.insert(gate->metric());
  }
  std::string label;
  if (SeveralBenchmarks(update)) label += comparison.benchmark() + ": ";
  label += comparison.candidate();
  if (references.size() > 1 || !SeveralBenchmarks(update)) {
    label += " vs " + comparison.reference();
  }
  if (metrics.size() > 1 || comparison.metric() != "wall_time") label += " " + comparison.metric();
  return Printable(label);
}

}  // namespace benchd::client
