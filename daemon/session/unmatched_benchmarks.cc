#include "daemon/session/unmatched_benchmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "core/base/text.h"
#include "core/model/inner_benchmarks.h"
#include "core/model/verdict_reason.h"

namespace benchd {
namespace {

/// The metric of a gate that is about the existence of its benchmark.
constexpr const char* kExistence = "benchmark";

/// Returns the comparison that states that a candidate lacks a benchmark.
Comparison MissingBenchmark(const SessionSpec& spec, const std::string& benchmark,
                            const std::string& reference, const std::string& candidate) {
  Comparison missing;
  missing.benchmark = benchmark;
  missing.reference = reference;
  missing.candidate = candidate;
  missing.metric = kExistence;
  missing.role = ComparisonRole::kGate;
  missing.confidence = 1 - spec.alpha;
  missing.method = spec.method;
  missing.estimator = spec.estimator;
  missing.verdict = Verdict::kRegression;
  missing.reason = Reason("missing_in_candidate");
  return missing;
}

/// What AddUnmatched() adds for one program.
struct Unmatched {
  std::vector<Comparison> gates;
  std::map<std::string, std::vector<std::string>>
      lacking;  ///< benchmarks that are not compared, by arm
};

void AddTo(Unmatched& all, const SessionSpec& spec, const Benchmark& example,
           const UnmatchedBenchmark& one) {
  const auto lacks = [&one](const Arm& arm) {
    return std::ranges::find(one.missing_in, arm.name) != one.missing_in.end();
  };
  const std::string prefix = example.name.substr(0, example.name.size() - example.inner.size());
  bool in_a_reference = false;
  for (const Arm& reference : example.arms) {
    if (reference.role != ArmRole::kReference || lacks(reference)) continue;
    in_a_reference = true;
    for (const Arm& candidate : example.arms) {
      if (candidate.role != ArmRole::kCandidate || !lacks(candidate)) continue;
      if (example.allow_missing) break;
      all.gates.push_back(
          MissingBenchmark(spec, prefix + one.name, reference.name, candidate.name));
    }
  }
  for (const Arm& arm : example.arms) {
    const bool gates = arm.role == ArmRole::kCandidate && in_a_reference && !example.allow_missing;
    if (lacks(arm) && !gates) all.lacking[arm.name].push_back(prefix + one.name);
  }
}

Unmatched AllUnmatched(const SessionSpec& spec, const std::vector<FoundBenchmarks>& found) {
  Unmatched all;
  for (std::size_t number = 0; number < found.size(); ++number) {
    const Benchmark& example = spec.benchmarks[FirstOf(found, number)];
    for (const UnmatchedBenchmark& one : found[number].unmatched) AddTo(all, spec, example, one);
  }
  return all;
}

}  // namespace

bool LacksBenchmarks(const SessionSpec& spec, const std::vector<FoundBenchmarks>& found) {
  return !AllUnmatched(spec, found).gates.empty();
}

void AddUnmatched(const SessionSpec& spec, const std::vector<FoundBenchmarks>& found,
                  Report& report) {
  const Unmatched all = AllUnmatched(spec, found);
  for (const auto& [arm, names] : all.lacking) {
    report.warnings.push_back(
        MakeWarning("metric_missing",
                    fmt::format("{} lacks {} that another arm has; {} not compared: {}", arm,
                                Counted(names.size(), "benchmark"),
                                names.size() == 1 ? "it is" : "they are", SomeOf(names)),
                    {}, arm));
  }
  if (all.gates.empty()) return;
  if (!report.control_changed) report.verdict = Verdict::kRegression;
  // Gates come first.
  const auto info = std::ranges::find(report.comparisons, ComparisonRole::kInfo, &Comparison::role);
  report.comparisons.insert(info, all.gates.begin(), all.gates.end());
}

}  // namespace benchd
