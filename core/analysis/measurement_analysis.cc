#include "core/analysis/measurement_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/analysis/benchmark_measurement.h"
#include "core/analysis/block_checks.h"
#include "core/analysis/gate_plan.h"
#include "core/base/try.h"

namespace benchd {
namespace {

Result<void> CheckEstimator(const Estimator& estimator) {
  switch (estimator.kind) {
    case EstimatorKind::kMean:
    case EstimatorKind::kMedian:
    case EstimatorKind::kQuantile:
      return {};
    default:
      return InvalidArgument(
          "estimator",
          std::string(NameOf(estimator.kind)) + " compares two arms, but these arms are measured",
          "use mean, median or quantile:P");
  }
}

Result<void> CheckMetric(const Gate& gate, const SequentialDesign& design) {
  const std::string field = "metric " + gate.metric;
  if (gate.margin_implied) return {};
  if (gate.kind != MarginKind::kRatio) {
    return InvalidArgument(field, "a measured metric has no margin",
                           "write --metric NAME, or NAME:1% for another precision");
  }
  if (!(gate.margin > 0)) {
    return InvalidArgument(field, "a precision must be above 0",
                           "write, for example, --metric " + gate.metric + ":1%");
  }
  if (design.rule.kind == RuleKind::kPrecision) return {};
  return InvalidArgument(field, "a precision cannot be reached in an exact number of runs",
                         "omit --runs, or write --metric " + gate.metric);
}

Result<void> CheckSpec(const SessionSpec& spec, const SequentialDesign& design) {
  TRY_VOID(CheckEstimator(spec.estimator));
  if (spec.method != Method::kPaired || spec.schedule.kind != ScheduleKind::kPairs) {
    return InvalidArgument("method", "measured arms run once in every block",
                           "omit --method and --schedule");
  }
  if (spec.sided == Sided::kOne) {
    return InvalidArgument("sided", "the interval of a measured arm has two ends", "omit --sided");
  }
  if (spec.pass_confidence || spec.error_rate != ErrorRate::kFamily) {
    return InvalidArgument("pass_confidence", "only a comparison has passes and regressions",
                           "omit --pass-confidence and --error-rate");
  }
  if (spec.confirm) {
    return InvalidArgument("confirm", "only a comparison can regress", "omit --confirm");
  }
  const auto is_control = [](const Benchmark& benchmark) {
    return benchmark.control || !benchmark.controls.empty();
  };
  if (std::ranges::any_of(spec.benchmarks, is_control)) {
    return InvalidArgument("control", "needs a reference, but these arms are measured",
                           "omit --control");
  }
  if (spec.placebo) {
    return InvalidArgument("placebo", "needs a reference, but these arms are measured",
                           "omit --placebo");
  }
  if (spec.rule.kind != RuleKind::kPrecision && !design.OneLook()) {
    return InvalidArgument("rule", "a measurement needs a precision or a number of runs",
                           "use --precision 1%, or --runs N");
  }
  for (const Benchmark& benchmark : spec.benchmarks) {
    if (!IsMeasured(benchmark)) {
      return InvalidArgument("arms", "benchmark " + benchmark.name +
                                         " mixes measured arms with arms that are compared");
    }
    if (benchmark.default_margin && !(*benchmark.default_margin > 0)) {
      return InvalidArgument("margin", "a precision must be above 0",
                             "write, for example, margin = \"1%\"");
    }
    TRY_VOID(CheckGates(benchmark, spec.default_margin));
    for (const Gate& gate : benchmark.gates) TRY_VOID(CheckMetric(gate, design));
  }
  return {};
}

}  // namespace

class MeasurementAnalysis::Impl {
 public:
  Impl(const SessionSpec& spec, const SequentialDesign& design)
      : specs_(spec.benchmarks),
        at_limit_(spec.limits.at_limit),
        design_(design),
        levels_{std::nullopt, SignificanceLevel(design.ForInfo(), design.alpha)} {
    benchmarks_.reserve(specs_.size());
    for (const Benchmark& benchmark : specs_) {
      benchmarks_.emplace_back(benchmark, design_);
      outlooks_.push_back({.minimum = design_.NextLook(0)});
    }
  }

  void AddWarmup(std::span<const Run> block) {
    if (!CheckBlock(block, specs_)) return;
    benchmarks_[block.front().benchmark].LearnWarmup(InOrder(block));
  }

  Result<void> Add(std::span<const Run> block, std::size_t sharing) {
    TRY_VOID(CheckBlock(block, specs_));
    TRY_VOID(CheckEveryArm(block, specs_));
    BenchmarkMeasurement& benchmark = benchmarks_[block.front().benchmark];
    if (IsFull(benchmark)) {
      return AfterTheLastBlock(benchmark.spec(), benchmark.blocks());
    }
    const std::vector<const Run*> runs = InOrder(block);
    TRY_VOID(benchmark.Learn(runs));
    TRY_VOID(CheckNames());
    FixLevel();
    TRY_VOID(benchmark.AddBlock(runs, levels_));
    Forecast(block, sharing);
    return {};
  }

  Report Look() const {
    Report report;
    for (const BenchmarkMeasurement& benchmark : benchmarks_) {
      for (std::size_t arm = 0; arm < benchmark.spec().arms.size(); ++arm) {
        report.runs.push_back({benchmark.spec().name, benchmark.spec().arms[arm].name,
                               benchmark.runs_per_arm()[arm]});
      }
      for (Estimate& one : benchmark.Estimates(levels_)) report.estimates.push_back(std::move(one));
      for (Warning& one : benchmark.Warnings()) report.warnings.push_back(std::move(one));
    }
    // What was asked for comes first, in the order of the benchmarks.
    std::stable_partition(report.estimates.begin(), report.estimates.end(),
                          [](const Estimate& one) { return one.asked; });
    report.verdict = VerdictOf(report.estimates);
    if (!concluded_) return report;
    for (Estimate& one : report.estimates) one.expected_blocks.reset();
    report.warnings.insert(report.warnings.end(), warnings_.begin(), warnings_.end());
    return report;
  }

  bool Finished() const { return OpenBenchmarks().empty(); }

  Report Conclude() {
    if (!std::exchange(concluded_, true)) {
      if (design_.OneLook()) LookOnce();
      for (const BenchmarkMeasurement& benchmark : benchmarks_) {
        for (Warning& found : benchmark.CheckValues()) warnings_.push_back(std::move(found));
        auto few = benchmark.TooFewRuns(levels_);
        if (few) warnings_.push_back(*std::move(few));
      }
      warnings_.push_back(MakeWarning(
          "other_sessions",
          "these intervals are about this session: another session, after a reboot or another "
          "build, may differ by more"));
    }
    return Look();
  }

  std::uint64_t NextLook(std::uint64_t blocks) const { return design_.NextLook(blocks); }

  std::vector<std::size_t> OpenBenchmarks() const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      if (IsOpen(benchmarks_[i])) open.push_back(i);
    }
    return open;
  }

  std::vector<BenchmarkOutlook> Outlook() const { return outlooks_; }

 private:
  bool IsFull(const BenchmarkMeasurement& benchmark) const {
    return design_.BlockLimit() && benchmark.blocks() >= *design_.BlockLimit();
  }
  bool IsOpen(const BenchmarkMeasurement& benchmark) const {
    return !IsFull(benchmark) && (design_.fixed_blocks || !benchmark.AllSettled());
  }

  Verdict VerdictOf(const std::vector<Estimate>& estimates) const {
    bool any = false;
    for (const Estimate& one : estimates) {
      if (!one.asked) continue;
      any = true;
      const bool bounded = one.value && one.value->lo && one.value->hi;
      const bool accepted = concluded_ && at_limit_ == AtLimit::kEstimate && bounded;
      if (!one.precise.value_or(false) && !accepted) return Verdict::kUndecided;
    }
    return any ? Verdict::kPass : Verdict::kUndecided;
  }

  Result<void> CheckNames() {
    if (names_checked_) return {};
    std::vector<NamedGates> named;
    for (const BenchmarkMeasurement& benchmark : benchmarks_) {
      named.push_back(benchmark.named_gates());
    }
    names_checked_ = std::ranges::all_of(named, &NamedGates::fixed);
    return CheckGatesAboutNothing(named);
  }

  // Fixes the level of the intervals, which is known when the last benchmark has shown its metrics.
  void FixLevel() {
    if (levels_.gate) return;
    std::size_t intervals = 0;
    for (const BenchmarkMeasurement& benchmark : benchmarks_) {
      const std::optional<std::size_t> count = benchmark.AskedCount();
      if (!count) return;
      intervals += *count;
    }
    if (intervals == 0) return;
    levels_.gate.emplace(design_, design_.alpha / static_cast<double>(intervals));
  }

  void Forecast(std::span<const Run> block, std::size_t sharing) {
    const BenchmarkMeasurement& benchmark = benchmarks_[block.front().benchmark];
    BenchmarkOutlook& outlook = outlooks_[block.front().benchmark];
    outlook.open = IsOpen(benchmark);
    outlook.blocks = benchmark.blocks();
    outlook.seconds += Seconds(CostOf(block)) / static_cast<double>(sharing);
    outlook.expected_blocks.reset();
    if (benchmarks_.size() == 1 || !outlook.open || outlook.blocks < outlook.minimum) return;
    outlook.expected_blocks = benchmark.ExpectedBlocks();
  }

  void LookOnce() {
    for (BenchmarkMeasurement& benchmark : benchmarks_) {
      if (!design_.fixed_blocks || benchmark.blocks() == *design_.fixed_blocks) {
        benchmark.LookOnce(levels_);
        continue;
      }
      warnings_.push_back(MakeWarning(
          "runs_incomplete",
          fmt::format("benchmark {} has {} of the {} requested blocks; its intervals are those of "
                      "repeated looks",
                      benchmark.spec().name, benchmark.blocks(), *design_.fixed_blocks),
          benchmark.spec().name));
    }
  }

  std::vector<Benchmark> specs_;  // declared before benchmarks_, which refer to it
  AtLimit at_limit_;
  SequentialDesign design_;
  Levels levels_;
  std::vector<BenchmarkMeasurement> benchmarks_;
  std::vector<BenchmarkOutlook> outlooks_;  // by benchmark
  bool names_checked_ = false;
  bool concluded_ = false;
  std::vector<Warning> warnings_;
};

Result<MeasurementAnalysis> MeasurementAnalysis::Create(const SessionSpec& spec) {
  TRY(const SequentialDesign design, MakeSequentialDesign(spec));
  TRY_VOID(CheckSpec(spec, design));
  return MeasurementAnalysis(std::make_unique<Impl>(spec, design));
}

MeasurementAnalysis::MeasurementAnalysis(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MeasurementAnalysis::MeasurementAnalysis(MeasurementAnalysis&&) noexcept = default;
MeasurementAnalysis& MeasurementAnalysis::operator=(MeasurementAnalysis&&) noexcept = default;
MeasurementAnalysis::~MeasurementAnalysis() = default;

void MeasurementAnalysis::AddWarmup(std::span<const Run> block) { impl_->AddWarmup(block); }
Result<void> MeasurementAnalysis::Add(std::span<const Run> block, std::size_t sharing) {
  return impl_->Add(block, sharing);
}
Report MeasurementAnalysis::Look() const { return impl_->Look(); }
bool MeasurementAnalysis::Finished() const { return impl_->Finished(); }
Report MeasurementAnalysis::Conclude() { return impl_->Conclude(); }
std::uint64_t MeasurementAnalysis::NextLook(std::uint64_t blocks) const {
  return impl_->NextLook(blocks);
}
std::vector<std::size_t> MeasurementAnalysis::OpenBenchmarks() const {
  return impl_->OpenBenchmarks();
}
std::vector<BenchmarkOutlook> MeasurementAnalysis::Outlook() const { return impl_->Outlook(); }

}  // namespace benchd
