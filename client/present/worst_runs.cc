#include "client/present/worst_runs.h"

#include <algorithm>

#include "client/present/sentence.h"
#include "client/present/units.h"
#include "core/analysis/setting_trial.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr std::size_t kMostTold = 3;
/// J. W. Tukey, Exploratory Data Analysis (1977): beyond three interquartile ranges is "far out".
constexpr double kFarOut = 3;
/// What is not even a tenth above the median needs no explanation.
constexpr double kWorthTelling = 1.1;

constexpr std::string_view kCauseNames[] = {"interrupts", "stolen_time", "foreign_switches",
                                            "migrations", "involuntary_switches"};

}  // namespace

struct WorstRuns::Worst {
  const ArmKey* arm = nullptr;
  const Taken* run = nullptr;
  double ratio = 1;  ///< to the median of its arm
};

WorstRuns::WorstRuns(const v1::Update& report) {
  for (const v1::Comparison* gate : GatesOf(report)) {
    if (gate->better() == v1::BETTER_HIGHER) continue;
    metrics_.try_emplace(gate->benchmark(), Metric{gate->metric(), gate->unit()});
  }
}

void WorstRuns::Take(const v1::Run& run) {
  if (run.phase() == v1::RUN_PHASE_WARMUP || run.phase() == v1::RUN_PHASE_DROPPED) return;
  Taken taken{.number = ++runs_};
  const auto metric = metrics_.find(run.benchmark());
  if (metric == metrics_.end()) return;
  bool found = false;
  for (const v1::Sample& sample : run.samples()) {
    if (!sample.inner_benchmark().empty()) continue;
    if (sample.metric() == metric->second.name) {
      taken.value = sample.value();
      found = true;
    }
    const auto* const cause = std::ranges::find(kCauseNames, sample.metric());
    if (cause != std::end(kCauseNames)) {
      taken.causes[static_cast<std::size_t>(cause - kCauseNames)] = sample.value();
    }
  }
  if (found) arms_[{run.benchmark(), run.arm()}].push_back(taken);
}

std::vector<WorstRuns::Worst> WorstRuns::Find() const {
  std::vector<Worst> worst;
  for (const auto& [arm, runs] : arms_) {
    std::vector<double> values;
    for (const Taken& run : runs) values.push_back(run.value);
    const auto quartiles = QuartilesOf(values);
    if (!quartiles) continue;
    const double median = quartiles->median;
    const double fence = quartiles->upper + kFarOut * (quartiles->upper - quartiles->lower);
    for (const Taken& run : runs) {
      if (median <= 0 || run.value <= std::max(fence, kWorthTelling * median)) continue;
      worst.push_back({&arm, &run, run.value / median});
    }
  }
  std::ranges::stable_sort(worst, std::ranges::greater(), &Worst::ratio);
  if (worst.size() > kMostTold) worst.resize(kMostTold);
  return worst;
}

std::string WorstRuns::CauseText(std::size_t cause, double value, const Style& style) {
  const auto count = static_cast<std::uint64_t>(std::max(value, 0.0));
  switch (cause) {
    case 0:
      return Counted(count, "interrupt");
    case 1:
      return FormatQuantity(value, "s", style) + " stolen";
    case 2:
      return Counted(count, "foreign switch", "foreign switches");
    case 3:
      return Counted(count, "migration");
    default:
      return "lost its CPU " + Counted(count, "time");
  }
}

std::string WorstRuns::LineOf(const Worst& worst, const Style& style) const {
  const auto& [benchmark, arm] = *worst.arm;
  std::vector<std::string> causes;
  for (std::size_t i = 0; i < kCauses; ++i) {
    if (!worst.run->causes[i]) continue;
    std::vector<double> values;
    for (const Taken& run : arms_.at(*worst.arm)) {
      if (run.causes[i]) values.push_back(*run.causes[i]);
    }
    const auto quartiles = QuartilesOf(values);
    if (quartiles && *worst.run->causes[i] > quartiles->median) {
      causes.push_back(CauseText(i, *worst.run->causes[i], style));
    }
  }
  const std::string where =
      metrics_.size() > 1 ? Printable(benchmark) + ", " + Printable(arm) : Printable(arm);
  return "run " + std::to_string(worst.run->number) + " (" + where +
         "): " + FormatQuantity(worst.run->value, metrics_.at(benchmark).unit, style) + ", " +
         Fixed(worst.ratio, 1) + " times the median; " +
         (causes.empty() ? "no cause that the kernel counts" : Join(causes, ", "));
}

std::string WorstRuns::Render(const Style& style) const {
  std::string text;
  for (const Worst& worst : Find()) text += WrapSentence(LineOf(worst, style), style);
  return text;
}

}  // namespace benchd::client
