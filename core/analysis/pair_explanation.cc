#include "core/analysis/pair_explanation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "core/analysis/family_decision.h"
#include "core/analysis/profile_samples.h"
#include "core/base/text.h"
#include "core/stats/descriptive.h"
#include "core/stats/paired.h"
#include "core/stats/tails.h"
#include "core/stats/welch.h"

namespace benchd {
namespace {

/// The approximate number of bytes of a function without its names.
constexpr std::size_t kFunctionBytes = 200;
constexpr std::size_t kLongestName = 1000;
/// The minimum number of functions of an explanation, if there are so many.
constexpr std::size_t kFewestFunctions = 5;

/// The difference of two means with its standard error.
struct MeanDifference {
  double reference = 0;
  double candidate = 0;
  double estimate = 0;  ///< candidate - reference
  double se = 0;        ///< 0 if the values do not vary
  double dof = 0;
};

/// The values of both arms: pairs, or independent units.
class DifferenceSums {
 public:
  void AddPair(double reference, double candidate) { pairs_.Add(reference, candidate); }
  void AddReference(double value) { reference_.Add(value); }
  void AddCandidate(double value) { candidate_.Add(value); }

  MeanDifference Get(bool paired) const {
    if (!paired) return OfUnits();
    const CentredMoments moments = pairs_.Centred();
    const PairedEstimate estimate = moments.n > 0 ? EstimateDifference(moments) : PairedEstimate();
    const auto n = static_cast<double>(moments.n);
    return {moments.mean_b, moments.mean_c, estimate.centre, estimate.se, n - 1};
  }

 private:
  MeanDifference OfUnits() const {
    MeanDifference difference{reference_.mean(), candidate_.mean(), 0, 0, 0};
    difference.estimate = difference.candidate - difference.reference;
    if (reference_.count() < 2 || candidate_.count() < 2) return difference;
    const WelchEstimate estimate = EstimateWelchDifference(reference_, candidate_);
    difference.se = estimate.se;
    difference.dof = estimate.dof;
    return difference;
  }

  PairedMoments pairs_;
  Moments reference_;
  Moments candidate_;
};

/// Returns the effect with its interval, whose ends are missed with at most `level` / 2 each.
/// Without spread, there is only an interval for values that do not differ at all.
Effect EffectAt(const MeanDifference& difference, double level) {
  Effect effect{difference.estimate, std::nullopt, std::nullopt};
  if (difference.dof < 1) return effect;
  if (difference.se == 0 && difference.estimate != 0) return effect;
  const double t = difference.se == 0 ? 0 : StudentTUpperQuantile(level / 2, difference.dof);
  effect.lo = difference.estimate - t * difference.se;
  effect.hi = difference.estimate + t * difference.se;
  return effect;
}

/// Returns the evidence of a function: the one-sided p-values of an increase and of a decrease.
GateEvidence EvidenceOf(const MeanDifference& difference) {
  if (difference.dof < 1 || difference.se == 0) return {};
  const double t = difference.estimate / difference.se;
  return {StudentTUpperTail(t, difference.dof), StudentTUpperTail(-t, difference.dof)};
}

/// The figures of one arm in the units that are compared.
struct SideTotals {
  SeenVariants seen;
  double samples = 0;
  double lost = 0;
  double unnamed = 0;
};

SideTotals TotalsOf(const ProfileUnits& units, std::size_t variants) {
  SideTotals totals;
  totals.seen.resize(variants);
  for (const auto& unit : units) {
    for (const RunProfile* const run : unit) {
      totals.samples += run->samples;
      totals.lost += run->lost;
      totals.unnamed += run->unnamed;
      for (const auto& [variant, how] : run->seen) totals.seen[variant] |= how;
    }
  }
  return totals;
}

/// Returns the number of samples that a run would have in the kernel if that were sampled.
double KernelSamples(const RunProfile& run) {
  if (run.sampled_seconds <= 0) return 0;
  return run.samples * (run.seconds / run.sampled_seconds - 1);
}

constexpr std::uint32_t kNotCompared = std::numeric_limits<std::uint32_t>::max();

/// A function that is compared, by its own time, with its callees, or both.
struct ComparedFunction {
  std::size_t number = 0;  ///< index among the matched functions
  bool self_compared = false;
  bool total_compared = false;
  DifferenceSums self;
  DifferenceSums total;
  std::optional<double> instructions[2];  ///< of the reference and of the candidate, in a run
  std::optional<double> cache_misses[2];
};

/// The values of one unit.
struct UnitValues {
  explicit UnitValues(std::size_t compared) : self(compared), total(compared) {}
  double seconds = 0;
  double kernel = 0;
  double rest = 0;
  std::vector<double> self;
  std::vector<double> total;
};

/// Explains one pair of arms.
class PairExplanation {
 public:
  PairExplanation(const FunctionTable& table, const FunctionMatcher& matcher,
                  const ExplainOptions& options)
      : table_(table),
        matcher_(matcher),
        paired_(options.paired),
        alpha_(options.alpha),
        most_bytes_(options.most_bytes) {}

  Explanation Explain(const ProfileUnits& reference, const ProfileUnits& candidate);

 private:
  void Index();
  void ChooseFamilies(const ProfileUnits& reference, const ProfileUnits& candidate);
  void Choose(const std::vector<double>& pooled, double all, bool ComparedFunction::*chosen);
  UnitValues ValuesOf(const std::vector<const RunProfile*>& unit, std::size_t side) const;
  // Returns the index of a function of an arm in compared_, or kNotCompared.
  std::uint32_t ComparedIndex(std::size_t side, std::uint32_t function) const {
    const std::uint32_t matched = matched_of_[side][function];
    return matched == kNotCompared ? kNotCompared : compared_of_[matched];
  }
  void AddEvents(const ProfileUnits& units, std::size_t side);
  void AddUnits(const ProfileUnits& reference, const ProfileUnits& candidate);
  void AddSeconds(const UnitValues* reference, const UnitValues* candidate);
  void FillInTimes(Explanation& explanation) const;
  std::vector<FunctionChange> Functions(Explanation& explanation) const;
  std::vector<bool> DecideChanges() const;
  FunctionChange ChangeOf(const ComparedFunction& function, std::size_t selves,
                          std::size_t totals) const;

  const FunctionTable& table_;
  const FunctionMatcher& matcher_;
  const bool paired_;
  const double alpha_;
  const std::size_t most_bytes_;
  std::uint64_t units_ = 0;
  SideTotals sides_[2];
  std::vector<MatchedFunction> matched_;
  // By side and function: index into matched_, or kNotCompared, as for a function of which there
  // are only events, and no samples.
  std::vector<std::uint32_t> matched_of_[2];
  std::vector<std::uint32_t> compared_of_;  // by index into matched_: index into compared_
  std::vector<ComparedFunction> compared_;
  DifferenceSums seconds_;
  DifferenceSums kernel_;
  DifferenceSums rest_;
};

/// Notes which matched function each function of an arm is.
void PairExplanation::Index() {
  for (auto& side : matched_of_) side.assign(table_.functions(), kNotCompared);
  for (std::uint32_t i = 0; i < matched_.size(); ++i) {
    const MatchedFunction& one = matched_[i];
    if (one.reference != MatchedFunction::kAbsent) matched_of_[0][one.reference] = i;
    if (one.candidate != MatchedFunction::kAbsent) matched_of_[1][one.candidate] = i;
  }
}

/// Chooses the functions that are compared, by the samples of both arms together.
void PairExplanation::ChooseFamilies(const ProfileUnits& reference, const ProfileUnits& candidate) {
  std::vector<double> self(matched_.size());
  std::vector<double> total(matched_.size());
  const ProfileUnits* const units[] = {&reference, &candidate};
  for (std::size_t side = 0; side < 2; ++side) {
    for (const auto& unit : *units[side]) {
      for (const RunProfile* const run : unit) {
        if (const double kernel = KernelSamples(*run); kernel > 0) {
          self[matched_of_[side][FunctionTable::kKernel]] += kernel;
          total[matched_of_[side][FunctionTable::kKernel]] += kernel;
        }
        for (const FunctionCount& count : run->functions) {
          const std::uint32_t number = matched_of_[side][count.function];
          if (number == kNotCompared || table_.NameOf(count.function) == kOtherFunctions) continue;
          self[number] += count.self;
          total[number] += count.total;
        }
      }
    }
  }
  compared_of_.assign(matched_.size(), kNotCompared);
  const double all = sides_[0].samples + sides_[1].samples;
  Choose(self, all, &ComparedFunction::self_compared);
  Choose(total, all, &ComparedFunction::total_compared);
}

void PairExplanation::Choose(const std::vector<double>& pooled, double all,
                             bool ComparedFunction::*chosen) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < pooled.size(); ++i) {
    if (pooled[i] >= kLeastSamples && pooled[i] >= kLeastShare * all) order.push_back(i);
  }
  std::ranges::stable_sort(
      order, [&pooled](std::uint32_t a, std::uint32_t b) { return pooled[a] > pooled[b]; });
  order.resize(std::min(order.size(), kMostCompared));
  for (const std::uint32_t number : order) {
    std::uint32_t& index = compared_of_[number];
    if (index == kNotCompared) {
      index = static_cast<std::uint32_t>(compared_.size());
      compared_.emplace_back().number = number;
    }
    compared_[index].*chosen = true;
  }
}

/// Returns the seconds of a unit: the mean over its runs.
UnitValues PairExplanation::ValuesOf(const std::vector<const RunProfile*>& unit,
                                     std::size_t side) const {
  UnitValues values(compared_.size());
  const auto runs = static_cast<double>(unit.size());
  for (const RunProfile* const run : unit) {
    values.seconds += run->seconds / runs;
    const auto add = [&](std::uint32_t function, double self, double total) {
      const std::uint32_t index = ComparedIndex(side, function);
      if (index == kNotCompared) {
        values.rest += self;
      } else {
        values.self[index] += self;
        values.total[index] += total;
      }
    };
    const double scale = run->sampled_seconds / run->samples / runs;
    for (const FunctionCount& one : run->functions) {
      add(one.function, one.self * scale, one.total * scale);
    }
    const double kernel = (run->seconds - run->sampled_seconds) / runs;
    if (kernel > 0) add(FunctionTable::kKernel, kernel, kernel);
    values.kernel += kernel;
  }
  return values;
}

/// Adds the means of the events that the CPU counted, over the runs in which it did.
void PairExplanation::AddEvents(const ProfileUnits& units, std::size_t side) {
  const auto add = [&](std::vector<FunctionEvents> RunProfile::*events,
                       std::optional<double>(ComparedFunction::*means)[2]) {
    double runs = 0;
    std::vector<double> sums(compared_.size());
    for (const auto& unit : units) {
      for (const RunProfile* const run : unit) {
        if (!(run->*events).empty()) ++runs;
        for (const FunctionEvents& one : run->*events) {
          const std::uint32_t index = ComparedIndex(side, one.function);
          if (index != kNotCompared) sums[index] += one.events;
        }
      }
    }
    if (runs == 0) return;
    for (std::size_t i = 0; i < sums.size(); ++i) (compared_[i].*means)[side] = sums[i] / runs;
  };
  add(&RunProfile::instructions, &ComparedFunction::instructions);
  add(&RunProfile::cache_misses, &ComparedFunction::cache_misses);
}

void PairExplanation::AddSeconds(const UnitValues* reference, const UnitValues* candidate) {
  const auto add = [&](DifferenceSums& sums, auto value_of) {
    if (reference != nullptr && candidate != nullptr) {
      sums.AddPair(value_of(*reference), value_of(*candidate));
    } else if (reference != nullptr) {
      sums.AddReference(value_of(*reference));
    } else {
      sums.AddCandidate(value_of(*candidate));
    }
  };
  add(seconds_, [](const UnitValues& values) { return values.seconds; });
  add(kernel_, [](const UnitValues& values) { return values.kernel; });
  add(rest_, [](const UnitValues& values) { return values.rest; });
  for (std::size_t i = 0; i < compared_.size(); ++i) {
    add(compared_[i].self, [i](const UnitValues& values) { return values.self[i]; });
    add(compared_[i].total, [i](const UnitValues& values) { return values.total[i]; });
  }
}

void PairExplanation::AddUnits(const ProfileUnits& reference, const ProfileUnits& candidate) {
  units_ = std::min(reference.size(), candidate.size());
  if (paired_) {
    for (std::size_t i = 0; i < reference.size(); ++i) {
      const UnitValues first = ValuesOf(reference[i], 0);
      const UnitValues second = ValuesOf(candidate[i], 1);
      AddSeconds(&first, &second);
    }
  } else {
    for (const auto& unit : reference) {
      const UnitValues values = ValuesOf(unit, 0);
      AddSeconds(&values, nullptr);
    }
    for (const auto& unit : candidate) {
      const UnitValues values = ValuesOf(unit, 1);
      AddSeconds(nullptr, &values);
    }
  }
  AddEvents(reference, 0);
  AddEvents(candidate, 1);
}

/// Decides by Holm's step-down which functions take more, and which take less, each at a quarter of
/// alpha. By compared function.
std::vector<bool> PairExplanation::DecideChanges() const {
  std::vector<bool> changed(compared_.size());
  if (units_ < kLeastUnits) return changed;
  std::vector<GateEvidence> family;
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < compared_.size(); ++i) {
    if (!compared_[i].self_compared) continue;
    members.push_back(i);
    family.push_back(EvidenceOf(compared_[i].self.Get(paired_)));
  }
  const std::vector<Verdict> decisions =
      DecideFamily(family, ErrorRate::kFamily, {.regressions = alpha_ / 4, .passes = alpha_ / 4});
  for (std::size_t i = 0; i < members.size(); ++i) {
    changed[members[i]] = decisions[i] != Verdict::kUndecided;
  }
  return changed;
}

/// @param selves, totals  the numbers of functions that are compared by these times
FunctionChange PairExplanation::ChangeOf(const ComparedFunction& function, std::size_t selves,
                                         std::size_t totals) const {
  FunctionChange change;
  matcher_.Describe(matched_[function.number], sides_[0].seen, sides_[1].seen, change);
  for (std::string* const name : {&change.function, &change.matched}) {
    *name = Utf8Prefix(*name, kLongestName);
  }
  const MeanDifference self = function.self.Get(paired_);
  const MeanDifference total = function.total.Get(paired_);
  const auto effect = [this](const MeanDifference& difference, bool compared, std::size_t family) {
    const double level = alpha_ / 2 / static_cast<double>(family);
    return compared ? EffectAt(difference, level) : Effect{difference.estimate, {}, {}};
  };
  change.self_reference = self.reference;
  change.self_candidate = self.candidate;
  change.self = effect(self, function.self_compared, selves);
  change.total_reference = total.reference;
  change.total_candidate = total.candidate;
  change.total = effect(total, function.total_compared, totals);
  change.instructions_reference = function.instructions[0];
  change.instructions_candidate = function.instructions[1];
  change.cache_misses_reference = function.cache_misses[0];
  change.cache_misses_candidate = function.cache_misses[1];
  return change;
}

/// Cuts the interval of a function that changed at zero.
void CutAtZero(Effect& effect) {
  if (effect.estimate > 0 && effect.lo) effect.lo = std::max(*effect.lo, 0.0);
  if (effect.estimate < 0 && effect.hi) effect.hi = std::min(*effect.hi, 0.0);
}

std::vector<FunctionChange> PairExplanation::Functions(Explanation& explanation) const {
  const auto selves = static_cast<std::size_t>(
      std::ranges::count(compared_, true, &ComparedFunction::self_compared));
  const auto totals = static_cast<std::size_t>(
      std::ranges::count(compared_, true, &ComparedFunction::total_compared));
  explanation.compared = selves;
  const std::vector<bool> changed = DecideChanges();
  std::vector<FunctionChange> functions;
  for (std::size_t i = 0; i < compared_.size(); ++i) {
    FunctionChange& one = functions.emplace_back(ChangeOf(compared_[i], selves, totals));
    if (!changed[i]) continue;
    one.changed = true;
    CutAtZero(one.self);
    explanation.explained_seconds += one.self.estimate;
  }
  const auto rank = [](const FunctionChange& one) {
    return std::tuple(!one.changed, -std::abs(one.self.estimate), -std::abs(one.total.estimate));
  };
  std::ranges::stable_sort(functions, [&rank](const FunctionChange& a, const FunctionChange& b) {
    return std::tuple_cat(rank(a), std::tie(a.function)) <
           std::tuple_cat(rank(b), std::tie(b.function));
  });
  return functions;
}

void PairExplanation::FillInTimes(Explanation& explanation) const {
  const MeanDifference seconds = seconds_.Get(paired_);
  explanation.seconds_reference = seconds.reference;
  explanation.seconds_candidate = seconds.candidate;
  explanation.change = EffectAt(seconds, alpha_);
  const MeanDifference kernel = kernel_.Get(paired_);
  explanation.kernel_reference = kernel.reference;
  explanation.kernel_candidate = kernel.candidate;
  const MeanDifference rest = rest_.Get(paired_);
  explanation.rest_reference = rest.reference;
  explanation.rest_candidate = rest.candidate;
}

/// Keeps as many functions as may be sent.
void KeepFirst(std::vector<FunctionChange>& functions, std::size_t most_bytes) {
  std::size_t kept = 0;
  std::size_t bytes = 0;
  while (kept < std::min(functions.size(), kMostFunctions)) {
    bytes += kFunctionBytes + functions[kept].function.size() + functions[kept].matched.size();
    if (bytes > most_bytes && kept >= kFewestFunctions) break;
    ++kept;
  }
  functions.resize(kept);
}

Explanation PairExplanation::Explain(const ProfileUnits& reference, const ProfileUnits& candidate) {
  sides_[0] = TotalsOf(reference, table_.variants());
  sides_[1] = TotalsOf(candidate, table_.variants());
  matched_ = matcher_.Match(sides_[0].seen, sides_[1].seen);
  Index();
  ChooseFamilies(reference, candidate);
  AddUnits(reference, candidate);

  Explanation explanation;
  explanation.blocks = units_;
  explanation.samples_reference = static_cast<std::uint64_t>(sides_[0].samples);
  explanation.samples_candidate = static_cast<std::uint64_t>(sides_[1].samples);
  explanation.lost = static_cast<std::uint64_t>(sides_[0].lost + sides_[1].lost);
  explanation.confidence = 1 - alpha_;
  const double samples = sides_[0].samples + sides_[1].samples;
  if (samples > 0) explanation.unnamed = (sides_[0].unnamed + sides_[1].unnamed) / samples;
  FillInTimes(explanation);
  explanation.functions = Functions(explanation);
  explanation.left_out = explanation.functions.size();
  KeepFirst(explanation.functions, most_bytes_);
  explanation.left_out -= explanation.functions.size();
  const Effect& change = explanation.change;
  const bool shown = change.lo && change.hi && (*change.lo > 0 || *change.hi < 0);
  if (shown) explanation.explained = explanation.explained_seconds / change.estimate;
  return explanation;
}

}  // namespace

Explanation ExplainPair(const FunctionTable& table, const FunctionMatcher& matcher,
                        const ProfileUnits& reference, const ProfileUnits& candidate,
                        const ExplainOptions& options) {
  return PairExplanation(table, matcher, options).Explain(reference, candidate);
}

}  // namespace benchd
