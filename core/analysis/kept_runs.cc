#include "core/analysis/kept_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/analysis/data_checks.h"
#include "core/stats/similarity/assessment.h"
#include "core/stats/tails.h"
#include "core/stats/warmup.h"

namespace benchd {
namespace {

// Lists runs by number: "run 3", "runs 3, 5 and 6".
std::string NameRuns(const std::vector<std::size_t>& runs) {
  std::string text = runs.size() == 1 ? "run " : "runs ";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) text += i + 1 == runs.size() ? " and " : ", ";
    text += std::to_string(runs[i] + 1);
  }
  return text;
}

// Returns the runs outside the largest cluster. If several clusters have that size, the first one
// counts as the largest.
std::vector<std::size_t> RunsApart(const RunClusters& same) {
  std::vector<std::size_t> sizes(same.clusters, 0);
  for (const std::size_t label : same.labels) ++sizes[label];
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(sizes) - sizes.begin());
  std::vector<std::size_t> apart;
  for (std::size_t run = 0; run < same.labels.size(); ++run) {
    if (same.labels[run] != largest) apart.push_back(run);
  }
  return apart;
}

std::string WhichDiffer(const SimilarityAssessment& found) {
  const std::vector<std::size_t> apart = RunsApart(found.same);
  if (apart.empty()) return NameRuns({found.differs_most}) + " differs most";
  if (found.same.clusters == found.runs) return "no two of them are similar";
  return NameRuns(apart) + (apart.size() == 1 ? " stands apart" : " stand apart");
}

// Returns whether all runs may be random samples of the same distribution, and thus differ by noise
// alone. If the coefficient of variation is above about 40 %, the measures call such runs
// dissimilar.
bool AreOneNoise(RunSeries runs, const SimilarityAssessment& found, double level) {
  const auto n = static_cast<double>(found.values);
  const auto pairs = static_cast<double>(runs.size() * (runs.size() - 1) / 2);
  // This is the first term of the Kolmogorov-Smirnov distribution for two samples of n values. M5
  // is the statistic.
  if (found.literal.measures[4].max > std::sqrt(-std::log(level / pairs / 2) / n)) return false;
  const double critical = NormalUpperQuantile(level / static_cast<double>(runs.size()) / 2);
  return std::ranges::none_of(runs, [critical](const std::vector<double>& run) {
    const std::optional<RankTrend> trend = TestRankTrend(run);
    return trend && std::abs(trend->z) > critical;
  });
}

std::optional<Warning> WarningOf(const SimilarityAssessment& found, bool one_noise,
                                 const std::string& of) {
  const auto is = [&found](Resemblance resemblance) {
    return found.by_literal == resemblance || found.by_same == resemblance;
  };
  if (is(Resemblance::kDissimilar) && !one_noise) {
    std::string measures;
    for (std::size_t m = 0; m < found.literal.measures.size(); ++m) {
      measures += fmt::format("{}M{} {}", m > 0 ? ", " : "", m + 1,
                              Decimals(found.literal.measures[m].mean, 2));
    }
    return MakeWarning("dissimilar_runs",
                       fmt::format("{}: the runs differ from each other: {} (first {} runs; {}); "
                                   "use more runs rather than longer runs",
                                   of, WhichDiffer(found), found.runs, measures));
  }
  if (is(Resemblance::kSpikes)) {
    return MakeWarning("spikes",
                       of + ": the runs differ only by their spikes; without the outer 1 % "
                            "on either side they are similar");
  }
  return std::nullopt;
}

Warning WarningOf(const Warmup& warmup, const std::string& of) {
  return MakeWarning(
      "warmup_inside",
      fmt::format("{} changes at the start of each run: the first {} {} {} the others; let the "
                  "harness warm up longer by as many iterations (--warmup discards whole runs)",
                  of, warmup.length, warmup.length == 1 ? "iteration is" : "iterations are",
                  AwayFrom(warmup.shift, warmup.rest)));
}

}  // namespace

void KeptRuns::Add(const Run& run, std::span<const std::size_t> ids,
                   const std::vector<bool>& is_gate) {
  if (kept_ >= kInAll) return;
  of_metric_.resize(std::max(of_metric_.size(), is_gate.size()));
  for (std::size_t s = 0; s < run.samples.size(); ++s) {
    const std::size_t metric = ids[s];
    if (metric >= is_gate.size() || !is_gate[metric] || of_metric_[metric].size() == kValues) {
      continue;
    }
    of_metric_[metric].push_back(run.samples[s].value);
  }
  for (std::size_t metric = 0; metric < is_gate.size(); ++metric) {
    std::vector<double>& values = of_metric_[metric];
    if (values.size() >= kFewestInsideForWarmup) {
      std::vector<std::vector<double>>& runs = runs_[{metric, run.arm}];
      if (runs.size() < kRuns) {
        kept_ += values.size();
        runs.push_back(values);
      }
    }
    values.clear();
  }
}

std::vector<Warning> KeptRuns::Check(const Benchmark& benchmark, const MetricCatalog& catalog,
                                     double level) const {
  std::vector<Warning> warnings;
  const auto add = [&](Warning warning, std::uint32_t arm) {
    warning.benchmark = benchmark.name;
    warning.arm = benchmark.arms[arm].name;
    warnings.push_back(std::move(warning));
  };
  for (const auto& [key, kept] : runs_) {
    const std::vector<std::vector<double>> runs = CutToShortest(kept);
    const std::string of =
        catalog.metrics()[key.first].key + " of " + benchmark.arms[key.second].name;
    if (runs.size() > 1 && runs.front().size() >= kFewestAssessableValues) {
      const Result<SimilarityAssessment> found = AssessRuns(runs);
      if (!found) continue;
      const bool one_noise = AreOneNoise(runs, *found, level);
      if (auto warning = WarningOf(*found, one_noise, of)) add(std::move(*warning), key.second);
    }
    // Spikes are clipped, because a spike after the start of each run would make the start look
    // fast.
    if (const auto warmup = FindWarmupInside(ClipSpikes(runs), level)) {
      add(WarningOf(*warmup, of), key.second);
    }
  }
  return warnings;
}

}  // namespace benchd
