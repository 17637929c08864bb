#include "core/model/session_spec.h"

#include <algorithm>
#include <charconv>

#include "core/model/name_pattern.h"

namespace benchd {

SessionId MakeSessionId(std::uint64_t random) {
  static constexpr char kAlphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
  static constexpr int kLength = 8;
  SessionId id;
  for (int i = 0; i < kLength; ++i) {
    id.value.push_back(kAlphabet[random & 31U]);
    random >>= 5U;
  }
  return id;
}

std::vector<std::size_t> ArmsWithRole(const Benchmark& benchmark, ArmRole role) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < benchmark.arms.size(); ++i) {
    if (benchmark.arms[i].role == role) indices.push_back(i);
  }
  return indices;
}

bool IsMeasured(const Benchmark& benchmark) {
  return !benchmark.arms.empty() && std::ranges::all_of(benchmark.arms, [](const Arm& arm) {
    return arm.role == ArmRole::kMeasured;
  });
}

bool IsMeasured(const SessionSpec& spec) {
  return !spec.benchmarks.empty() &&
         std::ranges::all_of(spec.benchmarks,
                             [](const Benchmark& benchmark) { return IsMeasured(benchmark); });
}

bool PermitsEarlyLooks(const SessionSpec& spec) {
  const bool pairs = spec.method == Method::kPaired || spec.method == Method::kExactT;
  const std::uint64_t usual = Limits().min_runs;
  return pairs && spec.schedule.kind == ScheduleKind::kPairs &&
         spec.estimator.kind == EstimatorKind::kMean && spec.rule.kind == RuleKind::kMargin &&
         !spec.limits.runs && spec.limits.max_runs.value_or(usual + 1) > usual &&
         spec.limits.min_runs <= usual && !IsMeasured(spec);
}

bool EarlyLooksByDefault(const SessionSpec& spec) {
  return PermitsEarlyLooks(spec) &&
         std::ranges::any_of(spec.benchmarks, [](const Benchmark& benchmark) {
           return ArmsWithRole(benchmark, ArmRole::kCandidate).size() > 1;
         });
}

std::uint64_t PairsOf(const Benchmark& benchmark) {
  if (IsMeasured(benchmark)) return benchmark.arms.size();
  return std::uint64_t{ArmsWithRole(benchmark, ArmRole::kReference).size()} *
         ArmsWithRole(benchmark, ArmRole::kCandidate).size();
}

std::vector<std::size_t> RunsPerBlock(const Benchmark& benchmark, Method method) {
  const std::size_t candidates = ArmsWithRole(benchmark, ArmRole::kCandidate).size();
  std::size_t reference_runs = 1;
  if (candidates >= 4 && method != Method::kLayouts) {
    while ((reference_runs + 1) * (reference_runs + 1) <= candidates) ++reference_runs;
  }
  std::vector<std::size_t> runs;
  for (const Arm& arm : benchmark.arms) {
    runs.push_back(arm.role == ArmRole::kReference ? reference_runs : 1);
  }
  return runs;
}

std::optional<ArmLayout> LayoutOf(const std::string& arm) {
  constexpr std::uint32_t kMost = 999;
  const std::size_t slash = arm.rfind('/');
  if (slash == std::string::npos || slash == 0 || arm[slash + 1] == '0') return std::nullopt;
  ArmLayout layout{.group = arm.substr(0, slash)};
  const char* const end = arm.data() + arm.size();
  const auto [at, failed] = std::from_chars(arm.data() + slash + 1, end, layout.number);
  if (failed != std::errc() || at != end || layout.number > kMost) return std::nullopt;
  return layout;
}

std::vector<std::string> OptionalGates(const Benchmark& benchmark) {
  std::vector<std::string> metrics;
  const auto add = [&metrics](const std::string& metric) {
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
  };
  for (const Gate& gate : benchmark.gates) {
    const auto is_matched = [&gate](const MetricInfo& info) {
      return MatchesPattern(gate.metric, info.name);
    };
    // A pattern may also stand for metrics of a harness, which are unknown here.
    const bool by_pattern = IsPattern(gate.metric);
    if (by_pattern && !benchmark.parse.empty()) continue;
    if (by_pattern && std::ranges::any_of(BuiltinMetrics(), is_matched)) continue;
    for (const MetricInfo& info : OptionalMetrics()) {
      if (is_matched(info)) add(info.name);
    }
  }
  return metrics;
}

}  // namespace benchd
