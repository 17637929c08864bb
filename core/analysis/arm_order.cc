#include "core/analysis/arm_order.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/try.h"

namespace benchd {
namespace {

// Returns -1 if the second arm of the pair is clearly lower than the first, 1 if it is clearly
// higher, and 0 otherwise.
int SideOf(const Comparison& pair) {
  const std::optional<Effect>& effect = pair.change ? pair.change : pair.difference;
  if (!effect) return 0;
  // An interval that is unbounded at one end may lie wholly on one side.
  return effect->lo && *effect->lo > 0 ? 1 : effect->hi && *effect->hi < 0 ? -1 : 0;
}

bool IsBetter(const ArmPairs& pairs, const std::string& arm, const std::string& other) {
  for (const Comparison& pair : pairs.comparisons) {
    const int good = pair.better == Better::kHigher ? 1 : -1;
    if (pair.candidate == arm && pair.reference == other) return SideOf(pair) == good;
    if (pair.candidate == other && pair.reference == arm) return SideOf(pair) == -good;
  }
  return false;
}

bool HasInterval(const ArmPairs& pairs, const std::string& arm, const std::string& other) {
  return std::ranges::any_of(pairs.comparisons, [&](const Comparison& pair) {
    const bool both = (pair.reference == arm && pair.candidate == other) ||
                      (pair.reference == other && pair.candidate == arm);
    const std::optional<Effect>& effect = pair.change ? pair.change : pair.difference;
    return both && effect && (effect->lo || effect->hi);
  });
}

// A matrix of whether the arm of the row is clearly better than the arm of the column.
using Relation = std::vector<std::vector<bool>>;

Relation RelationOf(const ArmPairs& pairs) {
  Relation better(pairs.arms.size(), std::vector<bool>(pairs.arms.size()));
  for (std::size_t i = 0; i < pairs.arms.size(); ++i) {
    for (std::size_t k = 0; k < pairs.arms.size(); ++k) {
      better[i][k] = i != k && IsBetter(pairs, pairs.arms[i], pairs.arms[k]);
    }
  }
  return better;
}

ArmGroup GroupOf(const ArmPairs& pairs, const Relation& better, std::vector<std::size_t> members) {
  std::ranges::sort(members);
  ArmGroup group;
  for (const std::size_t arm : members) {
    group.arms.push_back(pairs.arms[arm]);
    for (const std::size_t other : members) {
      if (better[arm][other]) group.clear.push_back({pairs.arms[arm], pairs.arms[other]});
      if (arm < other && !HasInterval(pairs, pairs.arms[arm], pairs.arms[other])) {
        group.without_interval.push_back({pairs.arms[arm], pairs.arms[other]});
      }
    }
  }
  return group;
}

// Returns the reciprocal of an end of a factor. The end 0 has none.
std::optional<double> ReciprocalOf(std::optional<double> end) {
  return end && *end > 0 ? std::optional(1 / *end) : std::nullopt;
}

// Returns the factor of an arm to another one, from the relative change of their pair. The interval
// of a ratio is the set of ratios that are not rejected, so that of the inverse ratio has the
// reciprocal ends.
std::optional<Effect> FactorOf(const ArmPairs& pairs, const std::string& arm,
                               const std::string& to) {
  const auto plus_one = [](std::optional<double> end) {
    return end ? std::optional(1 + *end) : std::nullopt;
  };
  for (const Comparison& pair : pairs.comparisons) {
    if (!pair.change || pair.change->estimate <= -1) continue;
    const Effect ratio{1 + pair.change->estimate, plus_one(pair.change->lo),
                       plus_one(pair.change->hi)};
    if (pair.candidate == arm && pair.reference == to) return ratio;
    if (pair.candidate == to && pair.reference == arm) {
      return Effect{1 / ratio.estimate, ReciprocalOf(ratio.hi), ReciprocalOf(ratio.lo)};
    }
  }
  return std::nullopt;
}

std::vector<ArmFactor> FactorsOf(const ArmPairs& pairs, std::span<const ArmGroup> groups) {
  std::vector<ArmFactor> factors;
  const std::string& first = groups.front().arms.front();
  for (const ArmGroup& group : groups) {
    for (const std::string& arm : group.arms) {
      if (arm == first) continue;
      if (auto factor = FactorOf(pairs, arm, first)) factors.push_back({arm, *factor});
    }
  }
  return factors;
}

}  // namespace

ArmOrder OrderArms(const ArmPairs& pairs) {
  ArmOrder order{.benchmark = pairs.benchmark, .metric = {}, .groups = {}, .factors = {}};
  order.confidence = pairs.confidence;
  if (pairs.comparisons.empty()) return order;
  order.metric = pairs.comparisons.front().metric;
  order.better = pairs.comparisons.front().better.value_or(Better::kLower);

  const Relation better = RelationOf(pairs);
  std::vector<std::size_t> sorted(pairs.arms.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
  std::ranges::stable_sort(sorted, std::ranges::greater(), [&better](std::size_t arm) {
    return std::ranges::count(better[arm], true);
  });
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    members.push_back(sorted[i]);
    // A group ends where every arm before is clearly better than every arm behind.
    bool cut = true;
    for (std::size_t before = 0; before <= i; ++before) {
      for (std::size_t behind = i + 1; behind < sorted.size(); ++behind) {
        cut = cut && better[sorted[before]][sorted[behind]];
      }
    }
    if (cut) order.groups.push_back(GroupOf(pairs, better, std::exchange(members, {})));
  }
  order.factors = FactorsOf(pairs, order.groups);
  return order;
}

ArmOrderAnalysis::ArmOrderAnalysis(const SessionSpec& spec, const Report& report,
                                   DataSource source) {
  for (std::size_t i = 0; i < spec.benchmarks.size(); ++i) {
    const auto gate = std::ranges::find_if(report.comparisons, [&](const Comparison& one) {
      return one.role == ComparisonRole::kGate && one.benchmark == spec.benchmarks[i].name;
    });
    if (gate == report.comparisons.end()) continue;
    // The gate of the final report has the direction that the runs printed.
    const Gate by{gate->metric, gate->margin_kind, gate->margin.value_or(0), gate->better};
    auto made = ArmPairsAnalysis::Create(spec, i, by, source);
    if (!made || !*made) continue;
    benchmarks_.push_back(**std::move(made));
    benchmarks_.back().SetRetired(report.runs);
  }
}

void ArmOrderAnalysis::AddWarmup(std::span<const Run> block) {
  for (ArmPairsAnalysis& one : benchmarks_) one.AddWarmup(block);
}

Result<void> ArmOrderAnalysis::Add(std::span<const Run> block) {
  for (ArmPairsAnalysis& one : benchmarks_) {
    TRY_VOID(one.Add(block));
  }
  return {};
}

std::vector<ArmOrder> ArmOrderAnalysis::Conclude() {
  std::vector<ArmOrder> orders;
  for (ArmPairsAnalysis& one : benchmarks_) {
    ArmOrder order = OrderArms(one.Conclude());
    if (!order.groups.empty()) orders.push_back(std::move(order));
  }
  return orders;
}

}  // namespace benchd
