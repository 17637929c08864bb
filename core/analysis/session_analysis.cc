#include "core/analysis/session_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "core/analysis/benchmark_analysis.h"
#include "core/analysis/block_checks.h"
#include "core/analysis/compared_arms.h"
#include "core/analysis/control_report.h"
#include "core/analysis/controls.h"
#include "core/analysis/family_decision.h"
#include "core/analysis/geometric_mean.h"
#include "core/analysis/layout_groups.h"
#include "core/analysis/retirement.h"
#include "core/analysis/session_report.h"
#include "core/base/try.h"

namespace benchd {
namespace {

double DefaultMarginOf(const Benchmark& benchmark, const SessionSpec& spec) {
  return benchmark.default_margin.value_or(spec.default_margin);
}

Result<void> CheckBenchmark(const Benchmark& benchmark, double default_margin) {
  if (ArmsWithRole(benchmark, ArmRole::kReference).empty()) {
    return InvalidArgument("benchmark " + benchmark.name, "does not have a reference");
  }
  if (ArmsWithRole(benchmark, ArmRole::kCandidate).empty()) {
    return InvalidArgument("benchmark " + benchmark.name, "does not have a candidate");
  }
  return CheckGates(benchmark, default_margin);
}

Result<void> CheckScales(const Benchmark& benchmark, const SequentialDesign& design) {
  for (const Gate& gate : benchmark.gates) {
    const bool exact = gate.kind == MarginKind::kExact;
    if (exact && design.rule.kind == RuleKind::kPrecision) {
      return InvalidArgument("metric " + gate.metric,
                             "precision asks for an interval, but an exact gate has none",
                             "use a margin, or omit --rule");
    }
    if (gate.kind == MarginKind::kRatio || design.estimator.kind != EstimatorKind::kLognormalMean) {
      continue;
    }
    return InvalidArgument("metric " + gate.metric,
                           exact ? "lognormal-mean compares ratios, but exact counts a difference"
                                 : "lognormal-mean compares ratios, but the margin is a difference",
                           "use a margin in per cent, or another estimator");
  }
  return {};
}

// Checks the names of controls by what is known before the first run.
Result<void> CheckNamesOfControls(std::span<const Benchmark> benchmarks) {
  std::vector<NamedGates> named;
  for (const Benchmark& benchmark : benchmarks) named.push_back({.benchmark = &benchmark});
  return CheckControls(named);
}

std::string_view NameOfProcedure(ErrorRate rate) {
  return rate == ErrorRate::kFdr ? "fdr" : "holm";
}

}  // namespace

class SessionAnalysis::Impl {
 public:
  /// @param groups  for the method layouts: the groups of arms that are compared
  Impl(const SessionSpec& spec, const SequentialDesign& design, std::optional<LayoutGroups> groups)
      : groups_(std::move(groups)),
        benchmark_specs_(groups_ ? groups_->benchmarks() : spec.benchmarks),
        at_limit_(spec.limits.at_limit),
        fail_fast_(spec.limits.fail_fast),
        sampled_(spec.profile.has_value()),
        may_retire_(ArmsMayRetire(spec, design)),
        design_(design),
        levels_{std::nullopt, SignificanceLevel(design.ForInfo(), design.alpha)} {
    const std::size_t pairs = ComparedPairs(benchmark_specs_);
    if (design.early_look && pairs > 0) {
      levels_.order.emplace(design.ForInfo(), design.alpha / static_cast<double>(pairs),
                            std::nullopt, false, true);
    }
    for (const Benchmark& benchmark : benchmark_specs_) {
      benchmarks_.emplace_back(benchmark, DefaultMarginOf(benchmark, spec), design_);
      outlooks_.push_back({.minimum = design_.fixed_blocks.value_or(design_.first_look)});
      times_.emplace_back(benchmark.arms.size());
    }
  }

  void RestrictTo(std::span<const GateSubject> gates) {
    restricted_ = true;
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      std::vector<GateSubject> own;
      std::ranges::copy_if(gates, std::back_inserter(own), [&](const GateSubject& gate) {
        return gate.benchmark == benchmarks_[i].spec().name;
      });
      benchmarks_[i].RestrictTo(std::move(own));
      outlooks_[i].open = !benchmarks_[i].is_left_out();
    }
  }

  void AddWarmup(std::span<const Run> of_arms) {
    std::vector<Run> grouped;
    const std::span<const Run> block = Grouped(of_arms, grouped);
    if (!CheckBlock(block, benchmark_specs_)) return;
    benchmarks_[block.front().benchmark].LearnWarmup(InOrder(block));
  }

  Result<void> Add(std::span<const Run> of_arms, std::span<const std::uint32_t> ended,
                   std::size_t sharing) {
    std::vector<Run> grouped;
    const std::span<const Run> block = Grouped(of_arms, grouped);
    TRY_VOID(CheckComplete(block));
    BenchmarkAnalysis& benchmark = benchmarks_[block.front().benchmark];
    if (design_.BlockLimit() && benchmark.blocks() >= *design_.BlockLimit()) {
      return AfterTheLastBlock(benchmark.spec(), benchmark.blocks());
    }
    RetireMissing(block, ended);
    const std::vector<const Run*> runs = InOrder(block);
    TRY_VOID(benchmark.Learn(runs));
    TRY_VOID(CheckNamedGates());
    TRY_VOID(CheckNamesOfControls());
    TRY_VOID(FixGateLevel());
    TRY_VOID(benchmark.AddBlock(runs, levels_));
    NoteIdleArms(block.front().benchmark);
    if (!design_.OneLook()) DecideTogether();
    Forecast(block, 1 / static_cast<double>(sharing));
    return {};
  }

  Report Look() const {
    Report report;
    const std::vector<JudgedBenchmark> judged = Judge(benchmarks_);
    report.verdict = SessionVerdict(judged, !concluded_ && AwaitsControls());
    report.basis = basis_;
    for (const BenchmarkAnalysis& benchmark : benchmarks_) {
      for (std::size_t arm = 0; arm < benchmark.spec().arms.size(); ++arm) {
        report.runs.push_back({benchmark.spec().name, benchmark.spec().arms[arm].name,
                               benchmark.runs_per_arm()[arm], BlocksBefore(benchmark, arm)});
      }
    }
    report.comparisons = ReportComparisons(judged, design_, levels_);
    if (concluded_) {
      for (Comparison& one : report.comparisons) one.expected_blocks.reset();
    }
    report.warnings = ReportWarnings(judged, levels_);
    report.warnings.insert(report.warnings.end(), warnings_.begin(), warnings_.end());
    Invalidate(report.warnings, report);
    TellControls(concluded_, report);
    report.geometric_means = ChangesOverBenchmarks(report.comparisons);
    return report;
  }

  std::vector<Comparison> LookAt(std::size_t benchmark) const {
    return ReportComparisons(Judge(std::span(&benchmarks_[benchmark], 1)), design_, levels_);
  }

  bool Finished() const { return StoppedByRegression() || OpenBenchmarks().empty(); }

  Report Conclude() {
    if (!concluded_) {
      concluded_ = true;
      for (BenchmarkAnalysis& benchmark : benchmarks_) benchmark.Conclude();
      if (design_.OneLook()) {
        LookOnce();
        DecideTogether();
      }
      for (const BenchmarkAnalysis& benchmark : benchmarks_) {
        for (Warning& found : benchmark.CheckGates()) warnings_.push_back(std::move(found));
      }
      if (at_limit_ == AtLimit::kEstimate && !StoppedByRegression()) SettleByEstimate();
    }
    return Look();
  }

  std::uint64_t NextLook(std::uint64_t blocks) const { return design_.NextLook(blocks); }

  std::uint64_t BlocksOf(std::size_t benchmark) const { return benchmarks_[benchmark].blocks(); }

  std::span<const std::uint32_t> IdleArms(std::size_t benchmark) const {
    return outlooks_[benchmark].idle_arms;
  }

  std::optional<std::uint64_t> RetiredAfter(std::size_t benchmark, std::size_t arm) const {
    return groups_ ? std::nullopt : BlocksBefore(benchmarks_[benchmark], arm);
  }

  std::vector<std::size_t> OpenBenchmarks() const {
    const bool for_controls = GoesOnForControls();
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      if (for_controls ? AwaitsControls(benchmarks_[i]) : IsOpen(benchmarks_[i])) open.push_back(i);
    }
    return open;
  }

  std::vector<BenchmarkOutlook> Outlook() const {
    if (!GoesOnForControls()) return outlooks_;
    std::vector<BenchmarkOutlook> outlooks = outlooks_;
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      if (!AwaitsControls(benchmarks_[i])) outlooks[i].open = false;
    }
    return outlooks;
  }

 private:
  std::span<const Run> Grouped(std::span<const Run> block, std::vector<Run>& grouped) const {
    if (!groups_) return block;
    grouped = groups_->Grouped(block);
    return grouped;
  }

  bool IsOpen(const BenchmarkAnalysis& benchmark) const {
    if (benchmark.is_left_out()) return false;
    const bool full = design_.BlockLimit() && benchmark.blocks() >= *design_.BlockLimit();
    if (design_.method == Method::kLayouts && !design_.fixed_blocks) {
      return !full && !benchmark.HasEnough();
    }
    return !full && (design_.fixed_blocks || !benchmark.AllGatesSettled());
  }

  bool AwaitsControls(const BenchmarkAnalysis& benchmark) const {
    return benchmark.AwaitsControls() && IsOpen(benchmark);
  }

  // Returns whether a control is open that further blocks may show to have changed.
  bool AwaitsControls() const {
    return std::ranges::any_of(benchmarks_, [this](const BenchmarkAnalysis& benchmark) {
      return AwaitsControls(benchmark);
    });
  }

  // Returns whether the session would have ended with its first regression, but measures its
  // controls until they are settled.
  bool GoesOnForControls() const {
    return fail_fast_ && AwaitsControls() && AnyRegressed(Judge(benchmarks_));
  }

  // Returns the number of blocks before an arm retired.
  static std::optional<std::uint64_t> BlocksBefore(const BenchmarkAnalysis& benchmark,
                                                   std::size_t arm) {
    const std::optional<RetiredArm>& retired = benchmark.retired(arm);
    return retired ? std::optional(retired->blocks) : std::nullopt;
  }

  void NoteIdleArms(std::size_t benchmark) {
    if (may_retire_) outlooks_[benchmark].idle_arms = benchmarks_[benchmark].IdleArms();
  }

  // Retires the idle arms that a block lacks.
  void RetireMissing(std::span<const Run> block, std::span<const std::uint32_t> ended) {
    const std::uint32_t benchmark = block.front().benchmark;
    for (const std::uint32_t arm : outlooks_[benchmark].idle_arms) {
      // A table may also lack single rows.
      if (design_.table && std::ranges::find(ended, arm) == ended.end()) continue;
      if (!HasArm(block, arm)) benchmarks_[benchmark].Retire(arm);
    }
  }

  // Updates the outlook of the benchmark of a block, of whose time it has a share. Those of other
  // benchmarks do not change, unless DecideTogether() closes them.
  void Forecast(std::span<const Run> block, double share) {
    if (design_.table) return;
    const BenchmarkAnalysis& benchmark = benchmarks_[block.front().benchmark];
    BenchmarkOutlook& outlook = outlooks_[block.front().benchmark];
    outlook.open = IsOpen(benchmark);
    outlook.blocks = benchmark.blocks();
    outlook.seconds += share * Seconds(CostOf(block));
    outlook.busy_seconds = BusySeconds(block, share);
    outlook.expected_blocks.reset();
    if (benchmarks_.size() == 1 || !outlook.open || outlook.blocks < outlook.minimum) return;
    if (levels_.gate) {
      outlook.expected_blocks = ExpectedBlocksOfAll(benchmark, design_, levels_);
    }
  }

  // Adds the times of a block. Returns the mean time of a block as the next ones will be.
  std::optional<double> BusySeconds(std::span<const Run> block, double share) {
    const std::uint32_t benchmark = block.front().benchmark;
    const BenchmarkOutlook& outlook = outlooks_[benchmark];
    const std::size_t arms = benchmarks_[benchmark].spec().arms.size();
    if (!may_retire_ || arms < 3) return std::nullopt;
    for (std::uint32_t arm = 0; arm < arms; ++arm) {
      double seconds = 0;
      for (const Run& run : block) {
        if (run.arm == arm) seconds += share * Seconds(WallTimeOf(std::span(&run, 1)));
      }
      if (HasArm(block, arm)) times_[benchmark].Add(arm, seconds);
    }
    return times_[benchmark].WithoutIdle(outlook.idle_arms, outlook.seconds);
  }

  Result<void> CheckComplete(std::span<const Run> block) const {
    TRY_VOID(CheckBlock(block, benchmark_specs_));
    if (design_.PartBlocks() || design_.table) return {};  // a pair of a table may lack an arm
    const std::uint32_t benchmark = block.front().benchmark;
    for (const Run& run : block) {
      if (!benchmarks_[benchmark].retired(run.arm)) continue;
      const Benchmark& spec = benchmarks_[benchmark].spec();
      return InvalidArgument("block", "contains a run of arm " + spec.arms[run.arm].name +
                                          " of benchmark " + spec.name + ", which has retired");
    }
    return CheckEveryArm(block, benchmark_specs_, outlooks_[benchmark].idle_arms);
  }

  Result<void> CheckNamedGates() {
    // The columns of a table are known earlier, and so are gates that were judged before.
    if (names_checked_ || design_.table || restricted_) return {};
    const std::vector<NamedGates> named = NamedGatesOfAll();
    names_checked_ = std::ranges::all_of(named, &NamedGates::fixed);
    return CheckGatesAboutNothing(named);
  }

  // Names were checked before the first run, and are checked again when everything is known.
  Result<void> CheckNamesOfControls() {
    if (controls_checked_ || design_.table || restricted_) return {};
    const std::vector<NamedGates> named = NamedGatesOfAll();
    controls_checked_ = std::ranges::all_of(named, &NamedGates::fixed);
    if (!controls_checked_) return {};
    TRY_VOID(CheckControls(named));
    bool controls = false;
    for (const BenchmarkAnalysis& benchmark : benchmarks_) {
      for (const NamedComparison& gate : benchmark.gates()) {
        if (!gate.comparison.is_control()) return {};
        controls = controls || !benchmark.IsPlacebo(gate);
      }
    }
    return controls ? Result<void>(OnlyControls()) : Result<void>();
  }

  std::vector<NamedGates> NamedGatesOfAll() const {
    std::vector<NamedGates> named;
    for (const BenchmarkAnalysis& benchmark : benchmarks_) named.push_back(benchmark.named_gates());
    return named;
  }

  // Fixes the level of the gates. G is the number of gates in the whole session, which is known
  // when the last benchmark has shown its metrics.
  Result<void> FixGateLevel() {
    if (gates_counted_) return {};
    std::size_t gates = 0;
    for (const BenchmarkAnalysis& benchmark : benchmarks_) {
      const std::optional<std::size_t> count = benchmark.GateCount();
      if (!count) return {};
      gates += *count;
    }
    gates_counted_ = true;
    gates_ = gates;
    if (gates == 0) return {};
    TRY_VOID(CheckQuantileRuns(design_, gates));
    const double divisor = ShareDivisor(design_.error_rate, gates);
    std::optional<double> passes;
    if (design_.pass_alpha) passes = *design_.pass_alpha / divisor;
    const bool together = gates > 1 && design_.DecidesTogether();
    const double stated = design_.alpha / divisor;
    levels_.gate.emplace(design_, stated, passes, together);
    if (design_.early_look) {
      levels_.with_early_looks.emplace(design_, stated, passes, together, true);
    }
    levels_.control.emplace(design_.ForInfo(), stated);
    return {};
  }

  // Decides gates by the evidence of all gates, after a look at any of them. Some of them may
  // belong to benchmarks that have no new block.
  void DecideTogether() {
    if (!levels_.gate || !levels_.gate->shared()) return;
    family_.clear();
    for (const BenchmarkAnalysis& benchmark : benchmarks_) benchmark.AppendEvidence(family_);
    // Gates of benchmarks without a block count, too.
    family_.resize(std::max(family_.size(), gates_));
    const double one_sided = design_.TwoSided(design_.alpha) / 2;
    const std::vector<Verdict> decisions =
        DecideFamily(family_, design_.error_rate,
                     {.regressions = one_sided, .passes = design_.pass_alpha.value_or(one_sided)});
    std::span<const Verdict> rest = decisions;
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      const std::span<const Verdict> own = rest.first(benchmarks_[i].gates().size());
      rest = rest.subspan(own.size());
      if (std::ranges::count(own, Verdict::kUndecided) == std::ssize(own)) continue;
      benchmarks_[i].DecideTogether(own, NameOfProcedure(design_.error_rate));
      NoteIdleArms(i);
      if (!outlooks_[i].open || IsOpen(benchmarks_[i])) continue;
      outlooks_[i].open = false;
      outlooks_[i].expected_blocks.reset();
    }
  }

  bool StoppedByRegression() const {
    return fail_fast_ && !AwaitsControls() && AnyRegressed(Judge(benchmarks_));
  }

  void LookOnce() {
    for (BenchmarkAnalysis& benchmark : benchmarks_) {
      if (benchmark.is_left_out()) continue;
      if (!design_.fixed_blocks || benchmark.blocks() == *design_.fixed_blocks) {
        benchmark.LookOnce(levels_);
        continue;
      }
      warnings_.push_back(
          MakeWarning("runs_incomplete",
                      fmt::format("benchmark {} has {} of the {} {}", benchmark.spec().name,
                                  benchmark.blocks(), *design_.fixed_blocks,
                                  sampled_ ? "planned blocks"
                                           : "requested blocks, so the one look was not taken"),
                      benchmark.spec().name));
    }
  }

  // Decides open gates by their estimates. The basis remains the intervals if an interval has
  // already shown a regression.
  void SettleByEstimate() {
    const bool found = AnyRegressed(Judge(benchmarks_));
    bool settled = false;
    for (BenchmarkAnalysis& benchmark : benchmarks_) {
      if (benchmark.SettleByEstimate()) settled = true;
    }
    if (settled && !found) basis_ = Basis::kEstimate;
  }

  std::optional<LayoutGroups> groups_;
  std::vector<Benchmark> benchmark_specs_;  // declared before benchmarks_, which refer to it
  AtLimit at_limit_;
  bool fail_fast_;
  bool sampled_;
  bool may_retire_;
  SequentialDesign design_;
  Levels levels_;
  std::vector<BenchmarkAnalysis> benchmarks_;
  std::vector<GateEvidence> family_;        // of the last call of DecideTogether()
  std::vector<BenchmarkOutlook> outlooks_;  // by benchmark
  std::vector<ArmTimes> times_;             // by benchmark
  bool restricted_ = false;
  bool gates_counted_ = false;
  std::size_t gates_ = 0;  // G, once counted
  bool names_checked_ = false;
  bool controls_checked_ = false;
  bool concluded_ = false;
  Basis basis_ = Basis::kInterval;
  std::vector<Warning> warnings_;
};

Result<SessionAnalysis> SessionAnalysis::Create(const SessionSpec& spec, Source source) {
  if (IsMeasured(spec)) {
    TRY(MeasurementAnalysis measurement, MeasurementAnalysis::Create(spec));
    return SessionAnalysis(std::move(measurement));
  }
  TRY(SequentialDesign design, MakeSequentialDesign(spec, source));
  if (spec.benchmarks.empty()) return InvalidArgument("benchmarks", "missing");
  std::optional<LayoutGroups> groups;
  if (spec.method == Method::kLayouts) {
    TRY(LayoutGroups made, LayoutGroups::Make(spec.benchmarks));
    groups = std::move(made);
  }
  for (const Benchmark& benchmark : groups ? groups->benchmarks() : spec.benchmarks) {
    const double margin = DefaultMarginOf(benchmark, spec);
    TRY_VOID(CheckBenchmark(benchmark, margin));
    TRY_VOID(CheckScales(benchmark, design));
    if (source == Source::kSession) TRY_VOID(CheckExactGates(benchmark));
  }
  // The planner of a table has checked them by its columns.
  if (source == Source::kSession) TRY_VOID(CheckNamesOfControls(spec.benchmarks));
  return SessionAnalysis(std::make_unique<Impl>(spec, design, std::move(groups)));
}

SessionAnalysis::SessionAnalysis(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SessionAnalysis::SessionAnalysis(MeasurementAnalysis measurement)
    : measurement_(std::move(measurement)) {}
SessionAnalysis::SessionAnalysis(SessionAnalysis&&) noexcept = default;
SessionAnalysis& SessionAnalysis::operator=(SessionAnalysis&&) noexcept = default;
SessionAnalysis::~SessionAnalysis() = default;

void SessionAnalysis::RestrictTo(std::span<const GateSubject> gates) { impl_->RestrictTo(gates); }
void SessionAnalysis::AddWarmup(std::span<const Run> block) {
  if (measurement_) return measurement_->AddWarmup(block);
  impl_->AddWarmup(block);
}
Result<void> SessionAnalysis::Add(std::span<const Run> block, std::span<const std::uint32_t> ended,
                                  std::size_t sharing) {
  return measurement_ ? measurement_->Add(block, sharing) : impl_->Add(block, ended, sharing);
}
Report SessionAnalysis::Look() const { return measurement_ ? measurement_->Look() : impl_->Look(); }
std::vector<Comparison> SessionAnalysis::LookAt(std::size_t benchmark) const {
  return measurement_ ? std::vector<Comparison>() : impl_->LookAt(benchmark);
}
bool SessionAnalysis::Finished() const {
  return measurement_ ? measurement_->Finished() : impl_->Finished();
}
Report SessionAnalysis::Conclude() {
  return measurement_ ? measurement_->Conclude() : impl_->Conclude();
}
std::uint64_t SessionAnalysis::NextLook(std::uint64_t blocks) const {
  return measurement_ ? measurement_->NextLook(blocks) : impl_->NextLook(blocks);
}
std::vector<std::size_t> SessionAnalysis::OpenBenchmarks() const {
  return measurement_ ? measurement_->OpenBenchmarks() : impl_->OpenBenchmarks();
}
std::vector<BenchmarkOutlook> SessionAnalysis::Outlook() const {
  return measurement_ ? measurement_->Outlook() : impl_->Outlook();
}
std::uint64_t SessionAnalysis::BlocksOf(std::size_t benchmark) const {
  return impl_->BlocksOf(benchmark);
}
std::span<const std::uint32_t> SessionAnalysis::IdleArms(std::size_t benchmark) const {
  return measurement_ ? std::span<const std::uint32_t>() : impl_->IdleArms(benchmark);
}
std::optional<std::uint64_t> SessionAnalysis::RetiredAfter(std::size_t benchmark,
                                                           std::size_t arm) const {
  return measurement_ ? std::nullopt : impl_->RetiredAfter(benchmark, arm);
}

}  // namespace benchd
