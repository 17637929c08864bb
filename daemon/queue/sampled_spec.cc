#include "daemon/queue/sampled_spec.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/parse/discovery.h"

namespace benchd {
namespace {

constexpr const char* kSampledGate = "cpu_time";
constexpr std::size_t kMostIdBytes = 64;

Result<void> CheckProfile(const Profile& profile) {
  if (profile.frequency_hz < kLeastSampleHz || profile.frequency_hz > kMostSampleHz) {
    return InvalidArgument("profile",
                           fmt::format("{} samples per second are not between {} and {}",
                                       profile.frequency_hz, kLeastSampleHz, kMostSampleHz),
                           "use 1000");
  }
  if (profile.explains.size() <= kMostIdBytes && !HasControlCharacter(profile.explains)) return {};
  return InvalidArgument("profile", "the session to explain is not an ID", "omit it");
}

/// Checks how the session is compared. The intervals of functions are those of one look.
Result<void> CheckSampledMethod(const SessionSpec& spec) {
  if (!spec.limits.runs) {
    return InvalidArgument("runs",
                           "missing, but functions are compared once, after a number of runs "
                           "that is chosen beforehand",
                           "add --runs N");
  }
  const bool by_means = spec.method == Method::kPaired || spec.method == Method::kFixed ||
                        spec.method == Method::kLayouts;
  if (!by_means || spec.schedule.kind == ScheduleKind::kCoin) {
    return InvalidArgument("method", "sampled runs are compared in pairs, or by layouts",
                           "omit --method and --schedule");
  }
  if (spec.estimator.kind != EstimatorKind::kMean) {
    return InvalidArgument("estimator", "sampled runs are compared by their mean",
                           "omit --estimator");
  }
  if (spec.rule.kind == RuleKind::kPrecision) {
    return InvalidArgument("rule", "precision takes several looks, but functions are compared once",
                           "omit --rule");
  }
  return {};
}

constexpr const char* kNoVerdict = "sampled runs explain a verdict, and do not give one";

Result<void> CheckNoVerdict(const SessionSpec& spec) {
  if (spec.confirm) return InvalidArgument("confirm", kNoVerdict, "omit --confirm");
  if (spec.placebo) return InvalidArgument("placebo", kNoVerdict, "omit --placebo");
  return {};
}

Result<void> CheckSampledBenchmark(const Benchmark& benchmark) {
  if (!ArmsWithRole(benchmark, ArmRole::kMeasured).empty()) {
    return InvalidArgument("role", "functions are compared between a reference and a candidate",
                           "use benchctl compare");
  }
  const bool parses =
      !benchmark.parse.empty() || !benchmark.parse_file.empty() || !benchmark.adapter.empty();
  if (parses && benchmark.harness.empty()) {
    return InvalidArgument("parse", "the output of sampled runs is not parsed",
                           "omit --parse and --parse-file");
  }
  for (const Gate& gate : benchmark.gates) {
    // The spec of an earlier session has the gate that was set below.
    if (gate.metric == kSampledGate && gate.margin_implied) continue;
    return InvalidArgument("metric",
                           Quoted(gate.metric) +
                               " cannot gate, because sampled runs are slower "
                               "than others",
                           "omit --metric");
  }
  return {};
}

void CompleteSampledBenchmark(const SessionSpec& spec, Benchmark& benchmark) {
  const double margin = benchmark.default_margin.value_or(spec.default_margin);
  benchmark.gates = {
      {.metric = kSampledGate, .margin = margin, .better = {}, .margin_implied = true}};
  benchmark.no_groups = true;
  benchmark.control = false;
  benchmark.controls.clear();
}

}  // namespace

Result<void> CompleteSampled(SessionSpec& spec) {
  if (!spec.profile) return {};
  TRY_VOID(CheckProfile(*spec.profile));
  TRY_VOID(CheckSampledMethod(spec));
  TRY_VOID(CheckNoVerdict(spec));
  for (Benchmark& benchmark : spec.benchmarks) {
    TRY_VOID(CheckSampledBenchmark(benchmark));
    CompleteSampledBenchmark(spec, benchmark);
  }
  spec.keep_all = true;
  spec.limits.fail_fast = false;
  spec.limits.at_limit = AtLimit::kUndecided;
  return {};
}

void LeaveUnparsed(const SessionSpec& spec, Benchmark& benchmark) {
  if (!spec.profile) return;
  benchmark.parse_file.clear();
  if (benchmark.harness == kAdapterHarness) return;  // the adapter describes how to list
  benchmark.parse.clear();
  benchmark.adapter.clear();
}

}  // namespace benchd
