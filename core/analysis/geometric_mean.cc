#include "core/analysis/geometric_mean.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/stats/descriptive.h"
#include "core/stats/tails.h"

namespace benchd {
namespace {

/// The squared standard error of a benchmark's log ratio, and its degrees of freedom.
struct LogRatioError {
  double variance = 0;
  double dof = 0;
};

std::optional<double> RelativeVariance(std::optional<double> mean, std::optional<double> sd,
                                       std::uint64_t n) {
  if (!mean || !sd || !(*mean > 0) || !(*sd > 0) || n < 2) return std::nullopt;
  const double relative = *sd / *mean;
  return relative * relative / static_cast<double>(n);
}

/// Computes the error by the delta method with Welch's degrees of freedom (docs/statistics.md
/// section 4), reduced for pairs by the gain of pairing. Returns nothing if a spread is 0, because
/// then the metric's step limits the interval.
std::optional<LogRatioError> ErrorOf(const Comparison& one) {
  const auto reference = RelativeVariance(one.mean_reference, one.sd_reference, one.n_reference);
  const auto candidate = RelativeVariance(one.mean_candidate, one.sd_candidate, one.n_candidate);
  if (!reference || !candidate) return std::nullopt;
  const auto dof_of = [](std::uint64_t n) { return static_cast<double>(n - 1); };
  const double sum = *reference + *candidate;
  if (one.pairing_gain) {
    return LogRatioError{sum * *one.pairing_gain * *one.pairing_gain, dof_of(one.n_candidate)};
  }
  return LogRatioError{sum, sum * sum /
                                (*reference * *reference / dof_of(one.n_reference) +
                                 *candidate * *candidate / dof_of(one.n_candidate))};
}

using Gates = std::vector<const Comparison*>;

bool IsOneLookAtMeans(const Gates& gates) {
  return std::all_of(gates.begin(), gates.end(), [](const Comparison* gate) {
    return gate->method == Method::kFixed && gate->estimator.kind == EstimatorKind::kMean;
  });
}

/// Source for the sum of variances: F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
std::optional<Effect> ByStandardErrors(const Gates& gates, double estimate, double alpha) {
  double variances = 0;
  double by_dof = 0;
  double allowances = 0;  // the errors of steps may have the same sign everywhere
  for (const Comparison* gate : gates) {
    const auto error = ErrorOf(*gate);
    if (!error || !(error->variance > 0)) return std::nullopt;
    variances += error->variance;
    by_dof += error->variance * error->variance / error->dof;
    allowances += gate->change_allowance.value_or(0);
  }
  const double t = StudentTUpperQuantile(alpha / 2, variances * variances / by_dof);
  const double half = (t * std::sqrt(variances) + allowances) / static_cast<double>(gates.size());
  const double centre = std::log1p(estimate);
  return Effect{estimate, std::expm1(centre - half), std::expm1(centre + half)};
}

/// Returns the gate's change with an interval that holds together with those of all other gates.
/// A decision together (Decision::by) cut the interval at the margin. Such cuts hold together, but
/// not together with the intervals: the interval of the last look then has the end that was cut.
Effect WithOwnInterval(const Comparison& gate) {
  Effect own = *gate.change;
  const bool together = gate.decided && !gate.decided->by.empty() && gate.decided->by != kEarlyLook;
  const bool cut = together && gate.margin && gate.margin_kind == MarginKind::kRatio;
  if (!cut) return own;
  const bool rate = gate.better == Better::kHigher;
  const double margin = rate ? -*gate.margin : *gate.margin;
  const bool at_hi = (gate.verdict == Verdict::kPass) != rate;
  std::optional<double>& end = at_hi ? own.hi : own.lo;
  // An interval that is narrower than its cut is the gate's own.
  constexpr double kRounding = 1e-9;
  if (!end || std::abs(*end - margin) > kRounding * (1 + margin)) return own;
  const Effect last = gate.last_change.value_or(Effect{});
  end = at_hi ? last.hi : last.lo;
  return own;
}

/// Returns the mean of the ends. The ends are absent if one of the gates lacks an interval.
Effect ByEnds(const Gates& gates, double estimate) {
  std::vector<double> lows;
  std::vector<double> highs;
  for (const Comparison* gate : gates) {
    const Effect own = WithOwnInterval(*gate);
    if (!own.lo || !own.hi) return {estimate, {}, {}};
    lows.push_back(1 + *own.lo);
    highs.push_back(1 + *own.hi);
  }
  const auto lo = GeometricMean(lows);
  const auto hi = GeometricMean(highs);
  if (!lo || !hi) return {estimate, {}, {}};
  return {estimate, *lo - 1, *hi - 1};
}

/// @param passes  the one-sided level of a pass of all gates together, if it has one of its own
std::optional<SuiteChange> MeanOf(const Gates& gates, double alpha, std::optional<double> passes) {
  std::vector<double> ratios;
  for (const Comparison* gate : gates) ratios.push_back(1 + gate->change->estimate);
  const auto mean = GeometricMean(ratios);
  if (gates.size() < 2 || !mean) return std::nullopt;
  const Comparison& first = *gates.front();
  SuiteChange change{first.reference, first.candidate, first.metric, gates.size(), 1 - alpha, {}};
  std::optional<Effect> effect;
  if (IsOneLookAtMeans(gates) && alpha > 0) effect = ByStandardErrors(gates, *mean - 1, alpha);
  change.change = effect ? *effect : ByEnds(gates, *mean - 1);
  // Each end has its own level. The lower one errs with alpha at most.
  if (!effect && passes) change.confidence = 1 - alpha - *passes;
  return change;
}

bool SameSubject(const Comparison& a, const Comparison& b) {
  return a.reference == b.reference && a.candidate == b.candidate && a.metric == b.metric;
}

}  // namespace

std::optional<double> StandardErrorOf(const Comparison& gate) {
  if (gate.estimator.kind != EstimatorKind::kMean) return std::nullopt;
  if (gate.margin_kind == MarginKind::kRatio) {
    const auto error = ErrorOf(gate);
    return error ? std::optional(std::sqrt(error->variance)) : std::nullopt;
  }
  if (!gate.sd_reference || !gate.sd_candidate || gate.n_reference < 2 || gate.n_candidate < 2) {
    return std::nullopt;
  }
  return gate.pairing_gain.value_or(1) *
         std::hypot(*gate.sd_reference / std::sqrt(static_cast<double>(gate.n_reference)),
                    *gate.sd_candidate / std::sqrt(static_cast<double>(gate.n_candidate)));
}

std::vector<SuiteChange> ChangesOverBenchmarks(std::span<const Comparison> comparisons) {
  std::vector<Gates> subjects;
  double gates = 0;
  for (const Comparison& one : comparisons) {
    if (one.role != ComparisonRole::kGate && !one.control) continue;
    ++gates;
    // A control takes its share of alpha, but its change is not one of the code.
    if (one.control || !one.change) continue;
    const auto known = std::find_if(subjects.begin(), subjects.end(), [&one](const Gates& subject) {
      return SameSubject(*subject.front(), one);
    });
    if (known == subjects.end()) {
      subjects.push_back({&one});
    } else {
      known->push_back(&one);
    }
  }
  std::vector<SuiteChange> changes;
  for (const Gates& subject : subjects) {
    // Rounding removes the digits that binary arithmetic adds to 1 - 0.99.
    constexpr double kDigits = 1e12;
    const double level = gates * (1 - subject.front()->confidence);
    const double alpha = std::round(level * kDigits) / kDigits;
    std::optional<double> passes;
    if (const auto& own = subject.front()->pass_confidence) passes = gates * (1 - *own);
    if (auto change = MeanOf(subject, alpha, passes)) changes.push_back(*std::move(change));
  }
  return changes;
}

}  // namespace benchd
