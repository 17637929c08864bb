#include "daemon/session/output_check.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "daemon/session/failure.h"
#include "daemon/session/output_difference.h"

namespace benchd {
namespace {

/// The number of equal outputs of an arm after which its output counts as the same in every run.
constexpr std::uint64_t kEnoughRuns = 2;

Failure DifferenceAt(const SessionSpec& spec, const RunPlace& place, const std::string& what,
                     std::string hint) {
  Failure failure;
  failure.error = Error{ErrorCode::kFailedPrecondition,
                        DescribePlace(spec, place) + ": its stdout differs from that of " + what,
                        std::move(hint)};
  SetRunPlace(spec, place, failure.run.emplace());
  return failure;
}

}  // namespace

std::optional<Failure> OutputCheck::Add(const RunPlace& place, OutputDigest output) {
  const std::size_t benchmark = place.planned.benchmark;
  const std::vector<Arm>& arms = spec_.benchmarks[benchmark].arms;
  // The spec has more benchmarks once those inside its programs are known.
  benchmarks_.resize(std::max(benchmarks_.size(), benchmark + 1));
  auto& [seen, distinct] = benchmarks_[benchmark];
  seen.resize(arms.size());
  std::optional<ArmOutput>& arm = seen[place.planned.arm];
  if (!arm) {
    const auto known = std::ranges::find(distinct, output.sha256, &OutputDigest::sha256);
    arm = ArmOutput{place, static_cast<std::size_t>(known - distinct.begin())};
    if (known == distinct.end()) distinct.push_back(std::move(output));
    return std::nullopt;
  }
  if (output.sha256 != distinct[arm->output].sha256) {
    return DifferenceAt(spec_, place,
                        "an earlier run of " + arms[place.planned.arm].name + ": " +
                            DescribeDifference(distinct[arm->output], output),
                        "--check-output needs programs that print the same in every run: print "
                        "what varies, such as times, to stderr, or omit --check-output");
  }
  ++arm->runs;
  // Later runs cannot establish anything new.
  return arm->runs == kEnoughRuns ? FindDifference(benchmark, kEnoughRuns) : std::nullopt;
}

/// Compares each arm with the first reference, or the first measured arm, if both have run at least
/// `least_runs` times.
std::optional<Failure> OutputCheck::FindDifference(std::size_t benchmark,
                                                   std::uint64_t least_runs) const {
  const Benchmark& spec = spec_.benchmarks[benchmark];
  const auto& [seen, distinct] = benchmarks_[benchmark];
  if (distinct.size() < 2) return std::nullopt;
  const std::size_t base = IsMeasured(spec) ? 0 : ArmsWithRole(spec, ArmRole::kReference).front();
  const std::optional<ArmOutput>& reference = seen[base];
  if (!reference || reference->runs < least_runs) return std::nullopt;
  for (const std::optional<ArmOutput>& arm : seen) {
    if (!arm || arm->runs < least_runs || arm->output == reference->output) continue;
    return DifferenceAt(
        spec_, arm->first,
        spec.arms[base].name + ": " +
            DescribeDifference(distinct[reference->output], distinct[arm->output]),
        "omit --check-output if the difference is intended, or print what differs, such as times, "
        "to stderr");
  }
  return std::nullopt;
}

std::optional<Failure> OutputCheck::Remaining() const {
  for (std::size_t benchmark = 0; benchmark < benchmarks_.size(); ++benchmark) {
    std::optional<Failure> failure = FindDifference(benchmark, 1);
    if (failure) return failure;
  }
  return std::nullopt;
}

}  // namespace benchd
