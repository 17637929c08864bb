#include "daemon/analysis/look_plan.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "daemon/base/error.h"
#include "daemon/stats/paired_interval.h"

namespace benchd {
namespace {

constexpr std::uint64_t kFewestLooks = 8;
// Leaves room for a division by the number of gates above the 1e-300 of the boundaries.
constexpr double kSmallestAlpha = 1e-250;

Error NotOffered(std::string_view field, std::string_view what) {
  std::string message(field);
  message.append(": ").append(what).append(" is not offered yet");
  return Error{ErrorCode::kUnimplemented, std::move(message), {}};
}

std::string_view NameOf(EstimatorKind kind) {
  switch (kind) {
    case EstimatorKind::kMean:
      return "mean";
    case EstimatorKind::kHodgesLehmann:
      return "hl";
    case EstimatorKind::kMedian:
      return "median";
    case EstimatorKind::kQuantile:
      return "quantile";
    case EstimatorKind::kLognormalMean:
      return "lognormal-mean";
    case EstimatorKind::kSubselection:
      return "subselection";
  }
  return "this estimator";
}

Result<void> CheckOffered(const SessionSpec& spec) {
  if (spec.method == Method::kWelch) return NotOffered("method", "welch");
  if (spec.method == Method::kExactT) return NotOffered("method", "exact-t");
  if (spec.estimator.kind != EstimatorKind::kMean) {
    return NotOffered("estimator", NameOf(spec.estimator.kind));
  }
  if (spec.rule.kind == RuleKind::kPrecision) return NotOffered("rule", "precision");
  if (spec.schedule.kind == ScheduleKind::kCoin) return NotOffered("schedule", "coin");
  if (spec.placebo) return NotOffered("placebo", "a hidden copy of the reference");
  return {};
}

Result<void> CheckLevel(const SessionSpec& spec) {
  const bool one_sided = spec.sided == Sided::kOne;
  if (!(spec.alpha >= kSmallestAlpha && spec.alpha < (one_sided ? 0.5 : 1.0))) {
    return InvalidArgument("alpha",
                           one_sided ? "must lie between 0 and 0.5 (confidence above 50 %) when "
                                       "one-sided"
                                     : "must lie between 0 and 1 (confidence between 0 and 100 %)",
                           "such as --confidence 99%");
  }
  return {};
}

Result<void> CheckLimits(const SessionSpec& spec) {
  const Limits& limits = spec.limits;
  if (limits.runs && limits.max_runs) {
    return InvalidArgument("runs", "excludes max_runs",
                           "--runs N takes exactly N blocks, --max-runs N at most N");
  }
  if (limits.runs && *limits.runs < 2) {
    return InvalidArgument("runs", "one block has no spread to judge by", "use --runs 2 or more");
  }
  if (limits.max_runs && *limits.max_runs < 2) {
    return InvalidArgument("max-runs", "one block has no spread to judge by",
                           "use --max-runs 2 or more");
  }
  if (spec.method == Method::kFixed && !limits.runs) {
    return InvalidArgument("method", "fixed needs a number of runs chosen beforehand",
                           "add --runs N");
  }
  if (!limits.runs && limits.min_runs < kFewestLooks) {
    return InvalidArgument("min-runs", "must be at least 8 for a method that looks repeatedly",
                           "use --runs N for one look at few runs");
  }
  return {};
}

}  // namespace

Result<LookPlan> PlanLooks(const SessionSpec& spec) {
  if (Result<void> offered = CheckOffered(spec); !offered) return offered.error();
  if (Result<void> level = CheckLevel(spec); !level) return level.error();
  if (Result<void> limits = CheckLimits(spec); !limits) return limits.error();

  LookPlan plan;
  plan.alpha = spec.alpha;
  plan.one_sided = spec.sided == Sided::kOne;
  plan.first_look = std::max(kFewestLooks, spec.limits.min_runs);
  plan.fixed_blocks = spec.limits.runs;
  if (const auto& largest = spec.limits.max_runs) {
    // Before its first look a horizon leaves room for one look only, at its end.
    (*largest <= plan.first_look ? plan.fixed_blocks : plan.horizon) = largest;
  }
  if (plan.horizon) {
    const auto boundary =
        SequentialBoundary::Horizon(plan.TwoSided(plan.alpha), plan.first_look, *plan.horizon);
    if (!boundary) return boundary.error();
  }
  return plan;
}

namespace {

SequentialBoundary MakeBoundary(const LookPlan& plan, double two_sided) {
  // PlanLooks() has tried the largest level, so that none below it can fail.
  return plan.horizon
             ? SequentialBoundary::Horizon(two_sided, plan.first_look, *plan.horizon).value()
             : SequentialBoundary::Robbins(two_sided, plan.first_look).value();
}

}  // namespace

Level::Level(const LookPlan& plan, double stated)
    : stated_(stated),
      two_sided_(plan.TwoSided(stated)),
      boundary_(MakeBoundary(plan, two_sided_)) {}

double Level::CriticalT(std::uint64_t n) {
  Slot& slot = recent_[n % recent_.size()];
  if (slot.n != n) slot = {n, boundary_.CriticalT(n)};
  return slot.t;
}

double Level::FixedT(std::uint64_t n) const { return FixedCriticalT(two_sided_, n); }

}  // namespace benchd
