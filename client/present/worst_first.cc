#include "client/present/worst_first.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "client/present/verdict_words.h"

namespace benchd::client {
namespace {

enum class Urgency { kRegression, kUndecided, kImproved, kOther };

Urgency UrgencyOf(const v1::Comparison& gate) {
  switch (gate.verdict()) {
    case v1::VERDICT_REGRESSION:
      return Urgency::kRegression;
    case v1::VERDICT_PASS:
      return IsImproved(gate) ? Urgency::kImproved : Urgency::kOther;
    default:
      return Urgency::kUndecided;
  }
}

// Returns the relative change, positive for the worse. Without a relative change, returns the
// difference in units of the margin, or infinity if there are no numbers.
double WorseBy(const v1::Comparison& gate) {
  const double sign = gate.better() == v1::BETTER_HIGHER ? -1 : 1;
  double change = std::numeric_limits<double>::infinity();
  if (gate.has_change()) {
    change = sign * gate.change().estimate();
  } else if (gate.has_difference()) {
    const double margin = std::abs(gate.margin_absolute());
    change = sign * gate.difference().estimate() / (margin > 0 ? margin : 1);
  }
  return std::isnan(change) ? std::numeric_limits<double>::infinity() : change;
}

}  // namespace

bool IsNotable(const v1::Comparison& gate) { return UrgencyOf(gate) != Urgency::kOther; }

void SortWorstFirst(Comparisons* gates) {
  std::ranges::stable_sort(*gates, {}, [](const v1::Comparison* gate) {
    const Urgency urgency = UrgencyOf(*gate);
    const double worse = WorseBy(*gate);
    return std::pair(urgency, urgency == Urgency::kImproved ? worse : -worse);
  });
}

}  // namespace benchd::client
