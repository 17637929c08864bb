#include "core/analysis/early_order.h"

#include <algorithm>

#include "core/analysis/compared_arms.h"

namespace benchd {

EarlyOrder::EarlyOrder(const Benchmark& benchmark, const SequentialDesign& design,
                       const PlannedGate& gate, bool rate)
    : metric_(gate.metric) {
  const std::vector<std::size_t> arms = ComparedArms(benchmark);
  const Subject subject{rate, gate};
  for (std::size_t i = 0; i < arms.size(); ++i) {
    for (std::size_t k = i + 1; k < arms.size(); ++k) {
      pairs_.push_back({arms[i], arms[k], MetricComparison(subject, design.ForInfo())});
    }
  }
}

void EarlyOrder::Add(const BlockValues& values, const SignificanceLevel& level,
                     const LookContext& context) {
  for (Pair& pair : pairs_) {
    const auto reference = values.At(pair.first, metric_);
    const auto candidate = values.At(pair.second, metric_);
    if (!reference || !candidate) continue;
    pair.comparison.Add({&*reference, 1}, {&*candidate, 1});
    pair.comparison.Watch(level, context, true);
  }
}

bool EarlyOrder::Needs(std::size_t arm) const {
  return std::ranges::any_of(pairs_, [arm](const Pair& pair) {
    return (pair.first == arm || pair.second == arm) && !pair.comparison.decided();
  });
}

bool EarlyOrder::open() const {
  return std::ranges::any_of(pairs_, [](const Pair& pair) { return !pair.comparison.decided(); });
}

}  // namespace benchd
