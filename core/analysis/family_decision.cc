#include "core/analysis/family_decision.h"

#include <algorithm>

namespace benchd {
namespace {

double HarmonicSum(std::size_t count) {
  double sum = 0;
  for (std::size_t i = 1; i <= count; ++i) sum += 1 / static_cast<double>(i);
  return sum;
}

// Takes the smallest p-values, in ascending order, while they suffice for the number of gates that
// the list then lacks. Returns how many it takes.
std::size_t StepDown(std::span<const double> ascending, double level) {
  std::size_t taken = 0;
  while (taken < ascending.size() &&
         ascending[taken] <= level / static_cast<double>(ascending.size() - taken)) {
    ++taken;
  }
  return taken;
}

// Returns the largest k of which the k-th smallest p-value is at most k / divisor of the level.
std::size_t StepUp(std::span<const double> ascending, double level, double divisor) {
  std::size_t taken = ascending.size();
  while (taken > 0 && ascending[taken - 1] > level * static_cast<double>(taken) / divisor) --taken;
  return taken;
}

// Returns which gates are in the list of one verdict. A gate that is already in it stays there, as
// if its p-value were 0: a decision by an interval may differ from that by its p-value in the last
// bit.
std::vector<bool> ListOf(Verdict verdict, std::span<const GateEvidence> family, ErrorRate rate,
                         double level) {
  std::vector<double> values;
  values.reserve(family.size());
  for (const GateEvidence& gate : family) {
    const double p = verdict == Verdict::kPass ? gate.p_pass : gate.p_regression;
    values.push_back(gate.decided == verdict ? 0 : p);
  }
  std::vector<double> ascending = values;
  std::ranges::sort(ascending);
  const std::size_t taken = rate == ErrorRate::kFdr
                                ? StepUp(ascending, level, ShareDivisor(rate, family.size()))
                                : StepDown(ascending, level);
  std::vector<bool> in_list(family.size());
  if (taken == 0) return in_list;
  for (std::size_t i = 0; i < values.size(); ++i) in_list[i] = values[i] <= ascending[taken - 1];
  return in_list;
}

// Returns whether a gate may be new in the list: whether any open gate has a p-value of at most the
// level, which every gate of a list has.
bool MayGrow(std::span<const GateEvidence> family, const FamilyLevels& levels) {
  return std::ranges::any_of(family, [&levels](const GateEvidence& gate) {
    return gate.decided == Verdict::kUndecided &&
           (gate.p_regression <= levels.regressions || gate.p_pass <= levels.passes);
  });
}

}  // namespace

double ShareDivisor(ErrorRate rate, std::size_t gates) {
  const auto count = static_cast<double>(gates);
  return rate == ErrorRate::kFdr ? count * HarmonicSum(gates) : count;
}

std::vector<Verdict> DecideFamily(std::span<const GateEvidence> family, ErrorRate rate,
                                  const FamilyLevels& levels) {
  std::vector<Verdict> decisions(family.size(), Verdict::kUndecided);
  if (!MayGrow(family, levels)) return decisions;
  const std::vector<bool> regressions =
      ListOf(Verdict::kRegression, family, rate, levels.regressions);
  const std::vector<bool> passes = ListOf(Verdict::kPass, family, rate, levels.passes);
  for (std::size_t i = 0; i < family.size(); ++i) {
    if (family[i].decided != Verdict::kUndecided) continue;
    if (regressions[i]) decisions[i] = Verdict::kRegression;
    if (passes[i] && !regressions[i]) decisions[i] = Verdict::kPass;
  }
  return decisions;
}

}  // namespace benchd
