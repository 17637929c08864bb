#include "client/present/gates.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "client/present/words.h"
#include "core/model/verdict_reason.h"

namespace benchd::client {

Comparisons GatesOf(const v1::Update& update) {
  Comparisons gates;
  for (const v1::Comparison& c : update.comparisons()) {
    if (IsGate(c)) gates.push_back(&c);
  }
  return gates;
}

Comparisons JudgedGatesOf(const v1::Update& update) {
  Comparisons gates = GatesOf(update);
  std::erase_if(gates, [](const v1::Comparison* gate) {
    return gate->control() != v1::CONTROL_STATE_UNSPECIFIED &&
           gate->verdict() != v1::VERDICT_REGRESSION;
  });
  return gates;
}

Comparisons ChangedControlsOf(const v1::Update& update) {
  Comparisons controls;
  for (const v1::Comparison& c : update.comparisons()) {
    if (c.control() == v1::CONTROL_STATE_CHANGED) controls.push_back(&c);
  }
  return controls;
}

bool RegressedByMissingAlone(const v1::Update& update) {
  return update.verdict() == v1::VERDICT_REGRESSION &&
         std::ranges::all_of(GatesOf(update), [](const v1::Comparison* gate) {
           return gate->verdict() != v1::VERDICT_REGRESSION ||
                  gate->reason() == Reason("missing_in_candidate");
         });
}

std::string ReasonWords(const v1::Comparison& gate) {
  const VerdictReason* const reason = FindVerdictReason(gate.reason());
  if (reason != nullptr) return std::string(reason->words);
  return Printable(CodeInWords(gate.reason()));
}

std::string ReasonSentence(const v1::Comparison& gate) {
  const std::string reference = Printable(gate.reference());
  const std::string candidate = Printable(gate.candidate());
  const std::string metric = Printable(gate.metric());
  const VerdictReason* const reason = FindVerdictReason(gate.reason());
  const std::string text = Printable(SentenceOf(gate.reason(), {reference, candidate, metric}));
  const bool has_hint = reason != nullptr && !reason->hint.empty();
  return text + (has_hint ? "; " + std::string(reason->hint) : "");
}

Tint VerdictTint(v1::Verdict verdict) {
  return verdict == v1::VERDICT_PASS         ? Tint::kGreen
         : verdict == v1::VERDICT_REGRESSION ? Tint::kRed
                                             : Tint::kYellow;
}

std::string VerdictWord(v1::Verdict verdict) {
  std::string word(Word(verdict));
  for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
  return word;
}

bool EveryArmRan(const v1::Update& update) {
  return !update.runs().empty() &&
         std::ranges::all_of(update.runs(), [](const v1::ArmRuns& arm) { return arm.runs() > 0; });
}

bool SeveralCandidates(const v1::Update& update) {
  const auto gates = GatesOf(update);
  return std::ranges::any_of(gates, [&gates](const v1::Comparison* gate) {
    return gate->benchmark() == gates.front()->benchmark() &&
           gate->candidate() != gates.front()->candidate();
  });
}

bool SeveralBenchmarks(const v1::Update& update) {
  const auto several = [](const auto& results) {
    return std::ranges::any_of(results, [&results](const auto& one) {
      return one.benchmark() != results.begin()->benchmark();
    });
  };
  return several(update.comparisons()) || several(update.estimates());
}

namespace {

// Returns the number of blocks of the method layouts, in which n counts builds. Each build runs
// once per block.
std::uint64_t RunsOfBuild(const v1::Update& update, const v1::Comparison& c) {
  const auto runs = std::ranges::find_if(update.runs(), [&c](const v1::ArmRuns& one) {
    return one.benchmark() == c.benchmark() && one.arm() == c.candidate();
  });
  return runs == update.runs().end() || c.n_candidate() == 0 ? 0 : runs->runs() / c.n_candidate();
}

}  // namespace

bool RepeatsCpuTime(const v1::Comparison& comparison, const v1::Update& update) {
  constexpr double kAlike = 0.02;  // fraction of the larger; two kernel clocks differ by less
  if (comparison.metric() != "tree_cpu_time" || comparison.role() == v1::COMPARISON_ROLE_GATE) {
    return false;
  }
  const auto cpu = std::ranges::find_if(update.comparisons(), [&comparison](const auto& other) {
    return other.metric() == "cpu_time" && other.benchmark() == comparison.benchmark() &&
           other.reference() == comparison.reference() &&
           other.candidate() == comparison.candidate();
  });
  const auto alike = [](double tree, double one) {
    return std::abs(tree - one) <= kAlike * std::max(std::abs(tree), std::abs(one));
  };
  return cpu != update.comparisons().end() && comparison.has_mean_reference() &&
         cpu->has_mean_reference() && comparison.has_mean_candidate() &&
         cpu->has_mean_candidate() && alike(comparison.mean_reference(), cpu->mean_reference()) &&
         alike(comparison.mean_candidate(), cpu->mean_candidate());
}

BlockCount CountBlocks(const v1::Update& update) {
  std::map<std::string_view, std::uint64_t> blocks;
  for (const v1::Comparison& c : update.comparisons()) {
    std::uint64_t& own = blocks[c.benchmark()];
    own =
        std::max(own, c.method() == v1::METHOD_LAYOUTS ? RunsOfBuild(update, c) : c.n_candidate());
  }
  for (const v1::Estimate& one : update.estimates()) {
    blocks[one.benchmark()] = std::max(blocks[one.benchmark()], one.n());
  }
  BlockCount count{0, blocks.size()};
  for (const auto& [benchmark, own] : blocks) count.blocks += own;
  return count;
}

ColumnFormat Judged::Scale(const Style& style) const {
  return relative ? ColumnFormat::OfChanges(lo, hi)
                  : ColumnFormat::OfDifferences(estimate.value_or(0), lo, hi, unit, style);
}

std::string Judged::FormatMargin(double value, const Style& style) const {
  return relative ? FormatPercent(value) : FormatQuantity(value, unit, style);
}

std::string Judged::Format(double value, const Style& style) const {
  if (margin && value == *margin) return FormatMargin(value, style);
  const ColumnFormat scale = Scale(style);
  return scale.WithUnit(scale.Format(value));
}

std::string Judged::FormatSigned(double value, const Style& style) const {
  const ColumnFormat scale = Scale(style);
  return scale.WithUnit(scale.Signed(value));
}

std::string Judged::Interval(const Style& style) const {
  if (HasInterval()) return Scale(style).Interval(*lo, *hi, style);
  return HasOneEnd() ? Scale(style).OneEnd(lo, hi) : "";
}

std::string Judged::Margin(const Style& style) const {
  if (exact) return "exact";
  return margin ? Format(*margin, style) : "";
}

std::string Judged::Estimate(const Style& style) const {
  return estimate ? FormatSigned(*estimate, style) : "-";
}

Judged JudgedBy(const v1::Comparison& comparison) {
  Judged judged;
  judged.unit = comparison.unit();
  const bool absolute = comparison.margin_case() == v1::Comparison::kMarginAbsolute;
  judged.exact = comparison.basis() == v1::BASIS_EXACT;
  // One instruction more of a million is a change of 0.0 %.
  judged.relative = comparison.has_change() && !absolute && !judged.exact;
  if (absolute && !judged.exact) {
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

v1::Comparison OfSecondPhase(const v1::Comparison& gate) {
  v1::Comparison second = gate;
  const v1::Confirmation& own = gate.confirmation();
  second.clear_change();
  second.clear_difference();
  second.clear_basis();
  second.clear_decided();
  if (own.has_change()) *second.mutable_change() = own.change();
  if (own.has_difference()) *second.mutable_difference() = own.difference();
  second.set_verdict(own.verdict());
  second.set_reason(own.reason());
  second.set_confidence(own.confidence());
  return second;
}

bool IsConfirmed(const v1::Comparison& gate) {
  return gate.has_confirmation() && gate.verdict() == v1::VERDICT_REGRESSION;
}

bool IsToBeConfirmed(const v1::Comparison& gate) { return gate.reason() == Reason("confirming"); }

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
