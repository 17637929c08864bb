// How BenchmarkAnalysis judges a gate.

#include <cmath>

#include "core/analysis/benchmark_analysis.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

// Returns whether the shares of failed runs in two arms differ by more than chance, at the 1 %
// level. It is the score test for two proportions (Agresti, Categorical Data Analysis, 3.2.4). At
// least one run must have failed.
bool FailUnequally(std::uint64_t failures_a, std::uint64_t of_a, std::uint64_t failures_b,
                   std::uint64_t of_b) {
  constexpr double kLevel = 0.01;
  const auto failed_a = static_cast<double>(failures_a);
  const auto failed_b = static_cast<double>(failures_b);
  const auto runs_a = static_cast<double>(of_a);
  const auto runs_b = static_cast<double>(of_b);
  const double share = (failed_a + failed_b) / (runs_a + runs_b);
  if (share >= 1) return false;
  const double difference = failed_a / runs_a - failed_b / runs_b;
  const double error = std::sqrt(share * (1 - share) * (1 / runs_a + 1 / runs_b));
  return 2 * NormalUpperTail(std::abs(difference) / error) < kLevel;
}

}  // namespace

bool BenchmarkAnalysis::MayDecide() const {
  return concluded_ || blocks_ >= design_.fixed_blocks.value_or(design_.first_look);
}

std::optional<Judgement> BenchmarkAnalysis::JudgementOfMissing(const NamedComparison& one) const {
  const PairCounts counts = CountsOf(one);
  if (counts.in_reference && counts.in_candidate) return std::nullopt;
  if (!counts.in_reference)
    return Judgement{Verdict::kUndecided, Reason("missing_in_reference"), true};
  return Judgement{Verdict::kRegression, Reason("missing_in_candidate"), true};
}

std::optional<Judgement> BenchmarkAnalysis::JudgementOfFailures(const NamedComparison& one) const {
  const PairCounts counts = CountsOf(one);
  const std::uint64_t in_reference = counts.reference_failures;
  const std::uint64_t in_candidate = counts.candidate_failures;
  const std::uint64_t of_reference = counts.reference_runs;
  const std::uint64_t of_candidate = counts.candidate_runs;
  if (in_reference == 0 && in_candidate == 0) return std::nullopt;
  // If the program fails only occasionally, the other arm may still fail, too.
  if (in_candidate == 0) {
    return Judgement{Verdict::kUndecided, Reason("failed_in_reference"),
                     in_reference == of_reference};
  }
  if (in_reference == 0) {
    return Judgement{Verdict::kRegression, Reason("failed_in_candidate"),
                     in_candidate == of_candidate};
  }
  if (!FailUnequally(in_reference, of_reference, in_candidate, of_candidate)) return std::nullopt;
  if (in_candidate == of_candidate) {
    return Judgement{Verdict::kRegression, Reason("candidate_always_failed"), true};
  }
  return Judgement{Verdict::kUndecided, Reason("failed_unequally"), false};
}

std::optional<Judgement> BenchmarkAnalysis::JudgementOfDifference(
    const NamedComparison& one) const {
  const bool rate = catalog_.metrics()[one.metric].better == Better::kHigher;
  if (rate && one.zeros.FellToZero()) {
    return Judgement{Verdict::kRegression, Reason("fell_to_zero"), true};
  }
  if (rate || !one.zeros.FromZero()) return std::nullopt;
  if (one.zeros.LeftZero()) return Judgement{Verdict::kRegression, Reason("left_zero"), true};
  return Judgement{Verdict::kUndecided, Reason("no_ratio"), true};
}

// Settles the gate, although later runs may restore the ratio of a metric that is not a rate:
// waiting for that would prolong a gate that cannot be judged. The ratio of a rate is lost
// permanently with the first value that is not above 0.
std::optional<Judgement> BenchmarkAnalysis::JudgementWithoutRatio(
    const NamedComparison& gate) const {
  const MetricComparison& comparison = gate.comparison;
  const bool by_ratio =
      comparison.gate()->kind == MarginKind::kRatio && !comparison.decided_on_constants();
  if (!by_ratio || comparison.values() == 0 || comparison.RatioPossible()) return std::nullopt;
  if (const auto by_difference = JudgementOfDifference(gate)) return by_difference;
  // If the gate was decided while there was a ratio, a regression remains valid, but a pass does
  // not.
  if (comparison.verdict() == Verdict::kRegression) return std::nullopt;
  return Judgement{Verdict::kUndecided,
                   comparison.positive() ? Reason("out_of_range") : Reason("not_positive"), true};
}

std::optional<Judgement> BenchmarkAnalysis::JudgementOfCounts(const NamedComparison& gate) const {
  const MetricComparison& comparison = gate.comparison;
  if (!comparison.gate()->exact) return std::nullopt;
  if (comparison.Contradicted()) {
    return Judgement{Verdict::kUndecided, Reason("exact_contradicted"), true};
  }
  // A count that left 0 does not need several runs, nor do they have to be equal.
  const bool left = gate.zeros.LeftZero() || gate.zeros.FellToZero();
  return left && !comparison.decided() ? JudgementOfDifference(gate) : std::nullopt;
}

Judgement BenchmarkAnalysis::JudgementOf(const NamedComparison& gate) const {
  Judgement judgement = AsOfControl(gate, JudgementSoFar(gate));
  // No run can change it any more.
  judgement.settled = judgement.settled || gate.frozen;
  return judgement;
}

Judgement BenchmarkAnalysis::AsOfControl(const NamedComparison& one, Judgement judgement) const {
  if (!IsControl(one)) return judgement;
  // A value that left 0, or fell to it, changed without an interval.
  const bool by_zero = judgement.reason == Reason("left_zero") ||
                       judgement.reason == Reason("fell_to_zero") ||
                       (judgement.reason == Reason("not_positive") && one.zeros.FellToZero());
  const bool by_values = judgement.reason.empty() && one.comparison.changed() != 0;
  if (by_values || by_zero) {
    return {Verdict::kUndecided, Reason("control_changed"), true};
  }
  // The copy of a program that fails, or lacks a metric, says nothing about the candidate.
  if (IsPlacebo(one) && judgement.verdict == Verdict::kRegression) {
    judgement.verdict = Verdict::kUndecided;
  }
  return judgement;
}

Judgement BenchmarkAnalysis::JudgementSoFar(const NamedComparison& gate) const {
  const MetricComparison& comparison = gate.comparison;
  Judgement by_interval{comparison.verdict(), {}, comparison.settled()};
  if (comparison.undecidable()) by_interval.reason = Reason("resolution");
  // An early look may have decided.
  if (!MayDecide() && !(design_.early_look && by_interval.settled)) return by_interval;
  if (const auto missing = JudgementOfMissing(gate)) return *missing;
  if (auto failed = JudgementOfFailures(gate)) {
    failed->settled = failed->settled || by_interval.settled;
    return *failed;
  }
  if (const auto of_counts = JudgementOfCounts(gate)) return *of_counts;
  if (const auto no_ratio = JudgementWithoutRatio(gate)) return *no_ratio;
  if (by_interval.verdict == Verdict::kUndecided && comparison.TooManyMissing(ContextOf(gate))) {
    by_interval.reason = Reason("missing_values");
    if (comparison.AlwaysTooManyMissing(ContextOf(gate))) by_interval.settled = true;
  }
  return by_interval;
}

std::optional<Judgement> BenchmarkAnalysis::JudgementOfZero(const NamedComparison& info) const {
  const bool gates = benchmark_.arms[info.candidate].role == ArmRole::kCandidate &&
                     info.metric < is_not_gated_.size() && is_not_gated_[info.metric];
  if (!gates || !MayDecide() || !catalog_.metrics()[info.metric].better) return std::nullopt;
  // A metric that the reference lacks does not gate.
  if (!catalog_.ShownBy(info.reference, info.metric)) return std::nullopt;
  if (const auto missing = JudgementOfMissing(info)) return missing;
  const bool worse = info.zeros.AboveZero() || info.zeros.FellToZero();
  const std::optional<Judgement> judgement = worse ? JudgementOfDifference(info) : std::nullopt;
  return judgement ? std::optional(AsOfControl(info, *judgement)) : std::nullopt;
}

bool BenchmarkAnalysis::GatesLate(std::size_t metric) const {
  // In a table, all values are known before the gates are fixed.
  const bool by_default = benchmark_.gates.empty() && !benchmark_.parse.empty();
  return gates_fixed_ && !design_.table && by_default &&
         GatesByDefault(benchmark_, defaults(), catalog_, metric);
}

std::optional<Judgement> BenchmarkAnalysis::JudgementOfLate(const NamedComparison& info) const {
  if (benchmark_.arms[info.candidate].role != ArmRole::kCandidate || design_.table) return {};
  const bool in_reference = catalog_.ShownBy(info.reference, info.metric);
  const bool in_candidate = catalog_.ShownBy(info.candidate, info.metric);
  if (benchmark_.allow_missing && !(in_reference && in_candidate)) return {};
  const auto late = [](std::string_view reason) {
    return Judgement{Verdict::kUndecided, reason, true};
  };
  if (NamedGate(info.metric) != nullptr) return late(Reason("late_metric"));
  // A metric that the reference lacks does not gate.
  if (!in_reference || !GatesLate(info.metric)) return {};
  const bool known = info.metric < is_not_gated_.size() && is_not_gated_[info.metric];
  if (known) return late(Reason("late_values"));
  const bool directed = catalog_.metrics()[info.metric].better.has_value();
  return late(directed ? Reason("late_metric") : Reason("late_direction"));
}

}  // namespace benchd
