#include "core/analysis/session_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/data_checks.h"
#include "core/base/text.h"
#include "core/model/metric.h"
#include "core/stats/decision.h"

namespace benchd {
namespace {

Comparison ComparisonOf(const BenchmarkAnalysis& benchmark, const NamedComparison& one,
                        const SequentialDesign& design, double level) {
  const KnownMetric& metric = benchmark.catalog().metrics()[one.metric];
  Comparison named;
  named.benchmark = benchmark.spec().name;
  named.reference = benchmark.spec().arms[one.reference].name;
  named.candidate = benchmark.spec().arms[one.candidate].name;
  named.metric = metric.key;
  named.unit = metric.unit;
  named.role = one.comparison.is_gate() ? ComparisonRole::kGate : ComparisonRole::kInfo;
  named.better = metric.better;
  named.confidence = 1 - level;
  one.comparison.Describe(design, named);
  return named;
}

// Returns the flag of a gate. It is about the interval that the gate's row shows. Only the end on
// the bad side matters, because the other one may be unbounded. If that end has the level of a
// pass, the one at the level of the session replaces it. A gate with a reason was not judged by
// that interval.
Flag FlagOf(const Comparison& gate, const MetricComparison& comparison) {
  if (!gate.reason.empty() || !gate.better) return Flag::kNone;
  if (const std::optional<bool> improved = comparison.ImprovedAsStated()) {
    return *improved ? Flag::kImprovement : Flag::kNone;
  }
  const bool relative =
      gate.change && gate.margin_kind == MarginKind::kRatio && gate.basis != Basis::kExact;
  const std::optional<Effect>& effect = relative ? gate.change : gate.difference;
  if (!effect) return Flag::kNone;
  const bool improved = *gate.better == Better::kLower ? effect->hi && *effect->hi < 0
                                                       : effect->lo && *effect->lo > 0;
  return improved ? Flag::kImprovement : Flag::kNone;
}

void Put(const Judgement& judgement, Comparison& gate) {
  // The decision by the values no longer applies, but that of a control that changed does.
  const bool changed = judgement.reason == Reason("control_changed");
  if (gate.verdict != judgement.verdict) gate.decided.reset();
  if (gate.verdict != judgement.verdict || (!judgement.reason.empty() && !changed)) {
    gate.basis.reset();
  }
  gate.verdict = judgement.verdict;
  gate.reason = judgement.reason;
}

ControlState ControlStateOf(const Judgement& judgement) {
  if (judgement.reason == Reason("control_changed")) return ControlState::kChanged;
  return judgement.verdict == Verdict::kPass ? ControlState::kUnchanged : ControlState::kOpen;
}

Comparison GateOf(const BenchmarkAnalysis& benchmark, const NamedComparison& gate,
                  const Judgement& judgement, const SequentialDesign& design, double level) {
  Comparison named = ComparisonOf(benchmark, gate, design, level);
  Put(judgement, named);
  if (benchmark.IsControl(gate)) {
    named.control = ControlStateOf(judgement);
    // Looks that exclude each other do not show that nothing changed.
    const bool shown = !gate.comparison.Disjoint() || named.control != ControlState::kUnchanged;
    if (!shown) named.control = ControlState::kOpen;
  } else {
    named.flag = FlagOf(named, gate.comparison);
  }
  return named;
}

// Returns the comparison of a placebo, which is a control but no gate: it has a state in place of a
// verdict.
Comparison PlaceboOf(Comparison control) {
  control.role = ComparisonRole::kInfo;
  control.verdict.reset();
  control.decided.reset();
  control.basis.reset();
  control.reason.clear();
  return control;
}

// Returns the comparison of a metric that became a gate after the gates were fixed, because it left
// 0 or appeared late.
Comparison UnplannedGate(const BenchmarkAnalysis& benchmark, const NamedComparison& info,
                         const Judgement& judgement, const SequentialDesign& design, double level) {
  Comparison named = GateOf(benchmark, info, judgement, design, level);
  named.role = ComparisonRole::kGate;
  const Gate* const gate = benchmark.NamedGate(info.metric);
  named.margin = benchmark.default_margin();
  if (gate == nullptr) return named;
  named.margin_kind = gate->kind;
  const auto margin = MarginOf(*gate, benchmark.catalog().metrics()[info.metric]);
  named.margin = margin ? std::optional(*margin) : std::nullopt;
  return named;
}

// Creates a warning about the candidate of a comparison.
Warning AboutArm(WarningCode code, std::string message, const BenchmarkAnalysis& benchmark,
                 const NamedComparison& one) {
  return MakeWarning(code, std::move(message), benchmark.spec().name,
                     benchmark.spec().arms[one.candidate].name);
}

// Creates a warning about a single gate, which it may invalidate.
Warning AboutGate(WarningCode code, std::string message, const BenchmarkAnalysis& benchmark,
                  const NamedComparison& gate) {
  Warning warning = AboutArm(code, std::move(message), benchmark, gate);
  warning.metric = benchmark.catalog().metrics()[gate.metric].key;
  warning.reference = benchmark.spec().arms[gate.reference].name;
  return warning;
}

/// Describes which part lacks a gate's metric: blocks for pairs, else runs of an arm.
std::string WhereMissing(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  const LookContext context = benchmark.ContextOf(gate);
  const LackingValues lacking = gate.comparison.Missing(context);
  const std::string& reference = benchmark.spec().arms[gate.reference].name;
  const std::string& candidate = benchmark.spec().arms[gate.candidate].name;
  if (context.in_pairs) {
    return fmt::format("{} of {} blocks of {} ({} against {})",
                       std::max(lacking.reference, lacking.candidate), context.blocks,
                       benchmark.spec().name, reference, candidate);
  }
  std::vector<std::string> arms;
  const auto add = [&arms](std::uint64_t missing, std::uint64_t expected, const std::string& arm) {
    if (!TooManyLack(missing, expected)) return;
    arms.push_back(fmt::format("{} of {} runs of {}", missing, expected, arm));
  };
  add(lacking.reference, context.expected_reference, reference);
  add(lacking.candidate, context.expected_candidate, candidate);
  return Join(arms, " and ");
}

Warning MissingValues(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  return AboutGate("missing_values",
                   benchmark.catalog().metrics()[gate.metric].key + " is missing in " +
                       WhereMissing(benchmark, gate) +
                       "; there is no verdict while more than 5 % lack it",
                   benchmark, gate);
}

Warning WithinResolution(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  const std::string& metric = benchmark.catalog().metrics()[gate.metric].key;
  Warning warning = AboutGate("resolution",
                              metric + " of " + benchmark.spec().arms[gate.candidate].name +
                                  ": one step of this metric is too coarse for " +
                                  (gate.comparison.by_width() ? "the precision" : "the margin") +
                                  "; more runs cannot decide the gate",
                              benchmark, gate);
  // A wider negative margin asks for more.
  if (gate.comparison.gate()->margin < 0) warning.hint = "choose another margin, or another metric";
  return warning;
}

Warning NoRatioOf(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  const std::string& metric = benchmark.catalog().metrics()[gate.metric].key;
  const auto& arms = benchmark.spec().arms;
  Warning warning =
      AboutGate("no_ratio",
                metric + " of " + arms[gate.reference].name +
                    " is always 0, so there is no relative change for " + arms[gate.candidate].name,
                benchmark, gate);
  warning.severity = Severity::kInvalidates;
  const std::optional<PlannedGate>& planned = gate.comparison.gate();
  warning.hint = "gate on the difference: " +
                 OptionOfDifference(metric, planned ? planned->margin : benchmark.default_margin());
  return warning;
}

// Creates the warning for a gate of which some values do not permit a ratio.
Warning RatioLost(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  Warning warning = NoRatioOf(benchmark, gate);
  const auto& arms = benchmark.spec().arms;
  const std::string& metric = benchmark.catalog().metrics()[gate.metric].key;
  const std::string arms_named =
      " of " + arms[gate.candidate].name + " or " + arms[gate.reference].name;
  if (gate.comparison.positive()) {
    warning.message = metric + arms_named +
                      " is not within 1e-90 to 1e90, or its values are too far apart for double "
                      "precision, so there is no relative change";
    warning.hint = "print the metric in another unit, or use --estimator median";
  } else {
    warning.message =
        metric + arms_named + " is not above 0 in some runs, so there is no relative change";
  }
  return warning;
}

std::string SubjectOf(const BenchmarkAnalysis& benchmark, const NamedComparison& one) {
  const auto& arms = benchmark.spec().arms;
  return benchmark.catalog().metrics()[one.metric].key + " of " + arms[one.candidate].name +
         " against " + arms[one.reference].name;
}

Warning IntervalsDisjoint(const BenchmarkAnalysis& benchmark, const NamedComparison& one) {
  std::string message = SubjectOf(benchmark, one) +
                        ": two looks exclude each other, so the runs violate the method's "
                        "assumptions (one arm drifts, or runs depend on each other), and there is "
                        "no interval";
  if (!one.comparison.is_gate()) {
    return AboutArm("info_intervals_disjoint", std::move(message), benchmark, one);
  }
  return AboutGate("intervals_disjoint", message + "; this gate cannot be decided", benchmark, one);
}

Warning EstimateOutside(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  return AboutArm("estimate_outside",
                  SubjectOf(benchmark, gate) +
                      ": the estimate of the last look lies outside the intersection of the "
                      "intervals of all looks, which remains valid",
                  benchmark, gate);
}

// Creates the note that the values of an exact gate vary, so that its margin applies.
Warning NotConstant(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  const std::string& metric = benchmark.catalog().metrics()[gate.metric].key;
  Warning warning = AboutGate(
      "not_constant", SubjectOf(benchmark, gate) + " varies from run to run", benchmark, gate);
  if (gate.comparison.decided_on_constants()) {
    warning.message += " since it was decided; its verdict is about the runs before that";
  } else {
    warning.message += ", so it is judged by a margin of one unit";
    warning.hint = "to use another margin, write --metric " + metric + ":1%";
  }
  return warning;
}

Warning ExactContradicted(const BenchmarkAnalysis& benchmark, const NamedComparison& gate) {
  return AboutGate("exact_contradicted",
                   SubjectOf(benchmark, gate) +
                       " was constant when it was decided, but varies since, and the interval of "
                       "all runs contradicts that verdict",
                   benchmark, gate);
}

// Adds the warnings about the values of an exact gate.
void WarnOfCounts(const BenchmarkAnalysis& benchmark, const NamedComparison& gate,
                  const Judgement& judgement, std::vector<Warning>& warnings) {
  if (judgement.reason == Reason("exact_contradicted")) {
    warnings.push_back(ExactContradicted(benchmark, gate));
  }
  const PlannedGate& planned = *gate.comparison.gate();
  // A default margin is not worth a note, because the user did not ask for an exact gate.
  const bool asked = planned.kind == MarginKind::kExact || gate.comparison.decided_on_constants();
  if (planned.exact && asked && gate.comparison.varies() && judgement.reason.empty()) {
    warnings.push_back(NotConstant(benchmark, gate));
  }
}

Warning PlaceboDiffers(const BenchmarkAnalysis& benchmark, const NamedComparison& info) {
  const std::string& reference = benchmark.spec().arms[info.reference].name;
  return AboutArm(
      "placebo",
      benchmark.catalog().metrics()[info.metric].key + " of the placebo, a copy of " + reference +
          ", differs from " + reference +
          ": this machine finds differences where there are none, so do not trust the verdict",
      benchmark, info);
}

/// Returns whether a warning that invalidates applies to a gate. A warning that names a metric
/// applies only to the gate of that metric. Any other warning applies to all gates of its benchmark
/// or candidate.
bool IsAbout(const Warning& warning, const Comparison& gate) {
  const auto is = [](const std::string& said, const std::string& own) {
    return said.empty() || said == own;
  };
  return gate.role == ComparisonRole::kGate && is(warning.benchmark, gate.benchmark) &&
         is(warning.arm, gate.candidate) && is(warning.metric, gate.metric) &&
         is(warning.reference, gate.reference);
}

/// Removes what follows from a model that the values reject, so that neither an order of the arms
/// nor a mean over benchmarks is based on it.
void DropInference(Comparison& gate) {
  for (std::optional<Effect>* const effect : {&gate.change, &gate.difference}) {
    if (!*effect) continue;
    (*effect)->lo.reset();
    (*effect)->hi.reset();
  }
  gate.p_value.reset();
}

}  // namespace

void Invalidate(std::span<const Warning> warnings, Report& report) {
  for (const Warning& warning : warnings) {
    if (warning.severity != Severity::kInvalidates) continue;
    for (Comparison& gate : report.comparisons) {
      if (!IsAbout(warning, gate)) continue;
      if (warning.code == Reason("not_lognormal")) DropInference(gate);
      if (gate.verdict == Verdict::kUndecided) {
        // The warning becomes the reason, unless the gate already has one.
        if (gate.reason.empty()) gate.reason = warning.code;
        gate.flag = Flag::kNone;
        continue;
      }
      // Only a warning about this particular gate withdraws a decision.
      if (warning.metric.empty()) continue;
      Put({Verdict::kUndecided, warning.code, true}, gate);
      if (gate.control) gate.control = ControlState::kOpen;
      gate.flag = Flag::kNone;
      // A control that is open does not hold up the verdict.
      const bool passed = report.verdict == Verdict::kPass && !gate.control;
      if (passed) report.verdict = Verdict::kUndecided;
    }
  }
  const bool regressed = std::ranges::any_of(report.comparisons, [](const Comparison& one) {
    return one.verdict == Verdict::kRegression;
  });
  if (!regressed && report.verdict == Verdict::kRegression) report.verdict = Verdict::kUndecided;
}

void FlagInfoMetrics(std::span<Comparison> infos, std::span<const int> directions, double alpha) {
  std::vector<double> p_values;
  std::vector<std::size_t> tested;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (!infos[i].p_value || IsDisturbanceMetric(infos[i].metric)) continue;
    tested.push_back(i);
    p_values.push_back(*infos[i].p_value);
  }
  const std::vector<double> adjusted = HolmAdjust(p_values);
  for (std::size_t k = 0; k < tested.size(); ++k) {
    Comparison& info = infos[tested[k]];
    const int direction = directions[tested[k]];
    if (!info.better || direction == 0 || adjusted[k] > alpha) continue;
    info.flag = direction > 0 ? Flag::kWorse : Flag::kImprovement;
  }
}

std::vector<JudgedBenchmark> Judge(std::span<const BenchmarkAnalysis> benchmarks) {
  std::vector<JudgedBenchmark> judged;
  for (const BenchmarkAnalysis& benchmark : benchmarks) {
    JudgedBenchmark& one = judged.emplace_back();
    one.analysis = &benchmark;
    for (const NamedComparison& gate : benchmark.gates()) {
      one.gates.push_back(benchmark.JudgementOf(gate));
    }
    for (const NamedComparison& info : benchmark.infos()) {
      const std::optional<Judgement> of_zero = benchmark.JudgementOfZero(info);
      one.infos.push_back(of_zero ? of_zero : benchmark.JudgementOfLate(info));
    }
  }
  return judged;
}

std::vector<Comparison> ReportComparisons(std::span<const JudgedBenchmark> benchmarks,
                                          const SequentialDesign& design, const Levels& levels) {
  std::vector<Comparison> report;
  std::vector<Comparison> placebos;
  const double gate_level = levels.gate ? levels.gate->stated() : design.alpha;
  const std::optional<double>& passes = levels.gate ? levels.gate->passes() : design.pass_alpha;
  for (const JudgedBenchmark& judged : benchmarks) {
    const BenchmarkAnalysis& benchmark = *judged.analysis;
    for (std::size_t i = 0; i < judged.gates.size(); ++i) {
      const NamedComparison& gate = benchmark.gates()[i];
      report.push_back(GateOf(benchmark, gate, judged.gates[i], design, gate_level));
      if (passes && !gate.comparison.is_control()) report.back().pass_confidence = 1 - *passes;
      const SignificanceLevel* const level = levels.Of(gate.comparison);
      if (level != nullptr && !judged.gates[i].settled) {
        report.back().expected_blocks = ExpectedBlocks(benchmark, gate.comparison, design, *level);
      }
      if (!benchmark.IsPlacebo(gate)) continue;
      placebos.push_back(PlaceboOf(std::move(report.back())));
      report.pop_back();
    }
  }
  std::vector<Comparison> infos;
  std::vector<int> directions;
  for (const JudgedBenchmark& judged : benchmarks) {
    const BenchmarkAnalysis& benchmark = *judged.analysis;
    for (std::size_t i = 0; i < judged.infos.size(); ++i) {
      const NamedComparison& info = benchmark.infos()[i];
      const double level = levels.info.stated();
      if (judged.infos[i]) {
        report.push_back(UnplannedGate(benchmark, info, *judged.infos[i], design, level));
      } else if (info.comparison.values() > 0) {
        infos.push_back(ComparisonOf(benchmark, info, design, level));
        directions.push_back(info.comparison.Direction());
      }
    }
  }
  std::ranges::move(placebos, std::back_inserter(report));
  FlagInfoMetrics(infos, directions, design.alpha);
  std::ranges::move(infos, std::back_inserter(report));
  return report;
}

namespace {

// The judgements of a session, without those of controls that say nothing about the code.
struct JudgementCounts {
  bool regressed = false;
  bool open = false;
  bool judged = false;
  bool control_changed = false;

  void Add(const Judgement& one, bool control) {
    control_changed = control_changed || one.reason == Reason("control_changed");
    // A control that fails in the candidate alone, or that it lacks, is not the machine's.
    regressed = regressed || one.verdict == Verdict::kRegression;
    if (control) return;
    open = open || one.verdict == Verdict::kUndecided || !one.settled;
    judged = true;
  }
};

JudgementCounts CountJudgements(std::span<const JudgedBenchmark> benchmarks) {
  JudgementCounts counts;
  for (const JudgedBenchmark& benchmark : benchmarks) {
    const BenchmarkAnalysis& analysis = *benchmark.analysis;
    counts.open = counts.open || !analysis.gates_fixed() || analysis.LacksGates();
    for (std::size_t i = 0; i < benchmark.gates.size(); ++i) {
      counts.Add(benchmark.gates[i], analysis.gates()[i].comparison.is_control());
    }
    for (std::size_t i = 0; i < benchmark.infos.size(); ++i) {
      if (!benchmark.infos[i]) continue;
      counts.Add(*benchmark.infos[i], analysis.IsControl(analysis.infos()[i]));
    }
  }
  return counts;
}

}  // namespace

bool AnyRegressed(std::span<const JudgedBenchmark> benchmarks) {
  return CountJudgements(benchmarks).regressed;
}

Verdict SessionVerdict(std::span<const JudgedBenchmark> benchmarks, bool awaits_controls) {
  const JudgementCounts counts = CountJudgements(benchmarks);
  if (counts.control_changed || awaits_controls) return Verdict::kUndecided;
  if (counts.regressed) return Verdict::kRegression;
  return counts.open || !counts.judged ? Verdict::kUndecided : Verdict::kPass;
}

std::vector<Warning> ReportWarnings(std::span<const JudgedBenchmark> benchmarks,
                                    const Levels& levels) {
  std::vector<Warning> warnings;
  for (const JudgedBenchmark& judged : benchmarks) {
    const BenchmarkAnalysis& benchmark = *judged.analysis;
    for (Warning& found : benchmark.CheckMetrics()) warnings.push_back(std::move(found));
    for (std::size_t i = 0; i < judged.gates.size(); ++i) {
      const NamedComparison& gate = benchmark.gates()[i];
      if (gate.comparison.Disjoint()) warnings.push_back(IntervalsDisjoint(benchmark, gate));
      if (gate.comparison.EstimateOutside()) warnings.push_back(EstimateOutside(benchmark, gate));
      const Judgement& judgement = judged.gates[i];
      WarnOfCounts(benchmark, gate, judgement, warnings);
      const bool differs = benchmark.IsPlacebo(gate) && gate.comparison.Changed(levels.info);
      if (differs && judgement.reason.empty()) warnings.push_back(PlaceboDiffers(benchmark, gate));
      if (judgement.reason == Reason("no_ratio")) warnings.push_back(NoRatioOf(benchmark, gate));
      const bool lost =
          judgement.reason == Reason("not_positive") || judgement.reason == Reason("out_of_range");
      if (lost) warnings.push_back(RatioLost(benchmark, gate));
      if (gate.comparison.settled() && !gate.comparison.undecidable()) continue;
      const bool by_values = judgement.reason.empty() ||
                             judgement.reason == Reason("missing_values") ||
                             judgement.reason == Reason("resolution");
      if (!by_values) continue;
      if (gate.comparison.TooManyMissing(benchmark.ContextOf(gate))) {
        warnings.push_back(MissingValues(benchmark, gate));
      }
      if (gate.comparison.WithinResolution()) {
        warnings.push_back(WithinResolution(benchmark, gate));
      }
    }
    for (std::size_t i = 0; i < judged.infos.size(); ++i) {
      const NamedComparison& info = benchmark.infos()[i];
      if (info.comparison.Disjoint()) warnings.push_back(IntervalsDisjoint(benchmark, info));
      if (judged.infos[i] && judged.infos[i]->reason == Reason("no_ratio")) {
        warnings.push_back(NoRatioOf(benchmark, info));
      }
    }
  }
  return warnings;
}

std::optional<double> ExpectedBlocks(const BenchmarkAnalysis& benchmark,
                                     const MetricComparison& gate, const SequentialDesign& design,
                                     const SignificanceLevel& level) {
  if (gate.settled()) return std::nullopt;
  const auto blocks = static_cast<double>(benchmark.blocks());
  if (design.fixed_blocks) return std::max(0.0, static_cast<double>(*design.fixed_blocks) - blocks);
  std::optional<double> further = gate.ForecastFurtherPairs(level);
  if (!further) return std::nullopt;
  const auto pairs = static_cast<double>(gate.values());
  further = *further * blocks / pairs;
  // There is no verdict while more than 5 % of the blocks lack the pair.
  further = std::max(*further, 20 * (blocks - pairs) - blocks);
  if (design.last_block) {
    further = std::min(*further, static_cast<double>(*design.last_block) - blocks);
  }
  if (*further > static_cast<double>(kMostBlocks)) return std::nullopt;
  return further;
}

std::optional<double> ExpectedBlocksOfAll(const BenchmarkAnalysis& benchmark,
                                          const SequentialDesign& design, const Levels& levels) {
  std::optional<double> most;
  for (const NamedComparison& gate : benchmark.gates()) {
    const SignificanceLevel* const level = levels.Of(gate.comparison);
    if (benchmark.JudgementOf(gate).settled) continue;
    if (level == nullptr) return std::nullopt;
    const std::optional<double> further =
        ExpectedBlocks(benchmark, gate.comparison, design, *level);
    if (!further) return std::nullopt;
    most = std::max(most.value_or(0), *further);
  }
  return most;
}

}  // namespace benchd
