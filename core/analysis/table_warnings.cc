#include "core/analysis/table_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/stats/nonparametric.h"

namespace benchd {
namespace {

constexpr std::size_t kBenchmarksInAList = 5;

// Names the benchmarks: "benchmark parse", or "3 benchmarks (parse, lex, link)".
std::string NameBenchmarks(const std::vector<std::string>& benchmarks) {
  if (benchmarks.size() == 1) return "benchmark " + benchmarks.front();
  std::string text = fmt::format("{} benchmarks (", benchmarks.size());
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    if (i == kBenchmarksInAList) {
      text += ", ...";
      break;
    }
    text.append(i > 0 ? ", " : "").append(benchmarks[i]);
  }
  return text + ")";
}

Warning About(const std::vector<std::string>& benchmarks, WarningCode code, std::string message) {
  return MakeWarning(code, std::move(message), benchmarks.size() == 1 ? benchmarks.front() : "");
}

/// How a harness keeps the rounds of which its files contain only the mean.
struct RoundsOption {
  std::string_view format;
  std::string_view how;
};

constexpr RoundsOption kRoundsOptions[] = {
    {"pytest-benchmark", "make pytest save every round (--benchmark-save-data)"},
    {"benchmarkdotnet", "make BenchmarkDotNet export its measurements (--exporters fulljson)"},
    {"criterion", "pass sample.json beside benchmark.json"},
    {"nanobench", "make nanobench render JSON (ankerl::nanobench::templates::json())"},
};

Warning MeansAlone(const std::string& format) {
  Warning warning = About({}, "means_alone",
                          "the files of " + format +
                              " contain only the mean of each benchmark, not its rounds, so each "
                              "file is one value");
  const auto* const option = std::ranges::find(kRoundsOptions, format, &RoundsOption::format);
  if (option != std::end(kRoundsOptions)) {
    warning.hint = std::string(option->how) + ", or " + warning.hint;
  }
  return warning;
}

auto DayOf(Timestamp time) { return std::chrono::floor<std::chrono::days>(time); }

bool OnDifferentDays(const std::optional<TimeSpan>& a, const std::optional<TimeSpan>& b) {
  if (!a || !b) return false;
  return DayOf(a->last) < DayOf(b->first) || DayOf(b->last) < DayOf(a->first);
}

// Returns whether a reference and a candidate were never measured on the same day.
bool OnDifferentDays(const Benchmark& spec, const PlannedBenchmark& planned,
                     const BenchmarkShape& shape) {
  std::vector<std::optional<TimeSpan>> times(spec.arms.size());
  for (std::size_t arm = 0; arm < shape.times.size(); ++arm) {
    if (planned.arms[arm]) times[*planned.arms[arm]] = shape.times[arm];
  }
  for (std::size_t r = 0; r < times.size(); ++r) {
    if (spec.arms[r].role != ArmRole::kReference) continue;
    for (std::size_t c = 0; c < times.size(); ++c) {
      if (spec.arms[c].role == ArmRole::kCandidate && OnDifferentDays(times[r], times[c])) {
        return true;
      }
    }
  }
  return false;
}

/// Returns the benchmarks that are left out, by the only arm that was measured in them. The key is
/// empty for benchmarks without arms, or with several arms but no known reference.
std::map<std::string, std::vector<std::string>> NotCompared(
    const MeasurementTable& table, const std::vector<BenchmarkShape>& shapes,
    const TablePlan& plan) {
  std::map<std::string, std::vector<std::string>> left_out;
  for (std::size_t b = 0; b < table.benchmarks.size(); ++b) {
    if (!plan.wanted[b] || plan.by_number[b]) continue;
    std::vector<std::string> arms;
    const auto& counts = shapes[b].arms.counts();
    for (std::size_t arm = 0; arm < counts.size(); ++arm) {
      if (counts[arm] > 0) arms.push_back(table.arms[arm]);
    }
    left_out[arms.size() == 1 ? arms.front() : ""].push_back(table.benchmarks[b]);
  }
  return left_out;
}

/// @param arm  the arm that the warning is about; empty if unknown
Warning NotComparedAs(const std::string& arm, const std::vector<std::string>& benchmarks,
                      const std::string& what) {
  Warning warning = About(benchmarks, "not_compared", NameBenchmarks(benchmarks) + ": " + what);
  warning.arm = arm;
  // The hint to name a reference would not help, because these benchmarks have only one arm.
  if (!arm.empty()) warning.hint.clear();
  return warning;
}

Warning LeftOut(const std::string& only_arm, const std::vector<std::string>& benchmarks) {
  const std::string why = only_arm.empty()         ? "no reference and candidate to compare"
                          : benchmarks.size() == 1 ? "only " + only_arm + " has it"
                                                   : "only " + only_arm + " has them";
  return NotComparedAs(only_arm, benchmarks, why + "; left out");
}

/// Returns warnings about benchmarks that an arm lacks, if that is allowed and other arms are
/// compared in them.
std::vector<Warning> AllowedToMiss(const MeasurementTable& table, const TablePlan& plan) {
  std::map<std::size_t, std::vector<std::string>> lacked;
  for (const PlannedBenchmark& benchmark : plan.benchmarks) {
    for (const std::size_t arm : benchmark.missed) {
      lacked[arm].push_back(table.benchmarks[benchmark.in_table]);
    }
  }
  std::vector<Warning> warnings;
  for (const auto& [arm, benchmarks] : lacked) {
    const std::string& name = table.arms[arm];
    warnings.push_back(NotComparedAs(name, benchmarks,
                                     name + " has no row of " +
                                         (benchmarks.size() == 1 ? "it" : "them") +
                                         " and is not compared there"));
  }
  return warnings;
}

}  // namespace

std::vector<Warning> ShapeWarnings(const MeasurementTable& table,
                                   const std::vector<BenchmarkShape>& shapes,
                                   const TablePlan& plan) {
  std::vector<Warning> warnings;
  std::vector<std::string> stretches;
  std::vector<std::string> days;
  for (std::size_t i = 0; i < plan.benchmarks.size(); ++i) {
    const BenchmarkShape& shape = shapes[plan.benchmarks[i].in_table];
    const std::string& name = plan.spec.benchmarks[i].name;
    if (shape.in_order && NotInterleaved(shape.arms)) stretches.push_back(name);
    if (OnDifferentDays(plan.spec.benchmarks[i], plan.benchmarks[i], shape)) days.push_back(name);
  }
  for (const auto& [arm, benchmarks] : NotCompared(table, shapes, plan)) {
    warnings.push_back(LeftOut(arm, benchmarks));
  }
  for (Warning& warning : AllowedToMiss(table, plan)) warnings.push_back(std::move(warning));
  if (table.from_harness) {
    warnings.push_back(About({}, "not_interleaved",
                             "the arms were measured one after the other and not interleaved, so "
                             "any change in between looks like a difference; benchctl compare "
                             "interleaves them"));
  } else if (!stretches.empty()) {
    warnings.push_back(About(stretches, "not_interleaved",
                             NameBenchmarks(stretches) +
                                 ": the rows are grouped by arm and not interleaved, so drift of "
                                 "the machine looks like a difference between the arms"));
  }
  if (!days.empty()) {
    warnings.push_back(About(days, "different_days",
                             NameBenchmarks(days) +
                                 ": reference and candidate were measured on different days, so "
                                 "any change in between looks like a difference"));
  }
  if (table.one_process) {
    warnings.push_back(About(
        {}, "one_process",
        "the values of an arm are iterations of one process and not independent, so intervals "
        "are narrower than they should be; run the harness several times and pass every file"));
  }
  if (table.means_alone) {
    warnings.push_back(MeansAlone(table.format));
  }
  return warnings;
}

Warning IncompletePairs(const std::vector<std::string>& benchmarks, std::uint64_t blocks,
                        std::uint64_t rows) {
  const std::string why =
      blocks == 0 ? "rows without a pair"
                  : Counted(blocks, "pair lacks a row of some arm", "pairs lack a row of some arm");
  const std::string what = rows == 0 ? "that arm's values are missing there"
                                     : Counted(rows, "row is", "rows are") + " left out";
  return About(benchmarks, "incomplete_pairs",
               NameBenchmarks(benchmarks) + ": " + why + "; " + what);
}

Warning BeyondMaxRuns(const std::vector<std::string>& benchmarks, std::uint64_t blocks) {
  return About(benchmarks, "beyond_max_runs",
               NameBenchmarks(benchmarks) + ": " +
                   Counted(blocks, "pair beyond --max-runs was", "pairs beyond --max-runs were") +
                   " ignored, because the method does not cover more");
}

}  // namespace benchd
