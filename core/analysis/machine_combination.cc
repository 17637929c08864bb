#include "core/analysis/machine_combination.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "core/analysis/geometric_mean.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/verdict_reason.h"
#include "core/stats/combination.h"
#include "core/stats/decision.h"

namespace benchd {
namespace {

static_assert(kFewestMachines == kFewestUnits);
/// The speed ratio from which a warning is given, because the machines are probably of different
/// kinds.
constexpr double kOtherSpeed = 1.5;
constexpr Nanoseconds kApart = std::chrono::hours(1);

bool IsRatio(const Comparison& gate) { return gate.margin_kind == MarginKind::kRatio; }
bool IsRate(const Comparison& gate) { return gate.better == Better::kHigher; }

/// Returns the log ratio or the difference of a gate. Positive is worse.
double ValueOf(const Comparison& gate) {
  const double value =
      IsRatio(gate) ? std::log1p(gate.change->estimate) : gate.difference->estimate;
  return IsRate(gate) ? -value : value;
}

/// Converts a result of ValueOf() back for display.
double Shown(const Comparison& gate, double value) {
  const double turned = IsRate(gate) ? -value : value;
  return IsRatio(gate) ? std::expm1(turned) : turned;
}

Interval Shown(const Comparison& gate, const Interval& interval) {
  const auto [lo, hi] = std::minmax({Shown(gate, interval.lo), Shown(gate, interval.hi)});
  return {lo, hi};
}

Effect ShownEffect(const Comparison& gate, double value, const std::optional<Interval>& interval) {
  Effect effect{Shown(gate, value), {}, {}};
  if (!interval) return effect;
  const Interval shown = Shown(gate, *interval);
  effect.lo = shown.lo;
  effect.hi = shown.hi;
  return effect;
}

double Threshold(const Comparison& gate) {
  if (!IsRatio(gate)) return *gate.margin;
  return IsRate(gate) ? RateThreshold(*gate.margin) : LowerIsBetterThreshold(*gate.margin);
}

std::optional<Effect>& EffectOf(Comparison& gate) {
  return IsRatio(gate) ? gate.change : gate.difference;
}

std::string NameOfGate(const Comparison& gate) {
  return gate.benchmark + ": " + gate.candidate + " against " + gate.reference + " in " +
         gate.metric;
}

// ---- check that all sessions make the same comparison ----

bool IsSameGate(const Comparison& a, const Comparison& b) {
  return a.benchmark == b.benchmark && a.reference == b.reference && a.candidate == b.candidate &&
         a.metric == b.metric;
}

/// Returns the gate with the same subject, or nullptr.
const Comparison* Find(const std::vector<Comparison>& gates, const Comparison& one) {
  const auto found =
      std::ranges::find_if(gates, [&one](const Comparison& gate) { return IsSameGate(gate, one); });
  return found == gates.end() ? nullptr : &*found;
}

// Returns whether a gate has only a reason, but no estimate. Other sessions may lack such a gate,
// because it depends on the output of the runs: a metric that is always 0 gates only after it has
// left 0.
bool IsByReasonAlone(const Comparison& gate) { return !gate.reason.empty() && !HasEstimate(gate); }

/// Returns the gates of all sessions without duplicates, in the order of first appearance.
std::vector<Comparison> GatesOfAll(const std::vector<MachineSession>& sessions) {
  std::vector<Comparison> gates;
  for (const MachineSession& session : sessions) {
    for (const Comparison& gate : session.gates) {
      if (Find(gates, gate) == nullptr) gates.push_back(gate);
    }
  }
  return gates;
}

Error Differs(const MachineSession& first, const MachineSession& other, const std::string& what) {
  return InvalidArgument(other.source, "not the same comparison as " + first.source + ": " + what,
                         "combine sessions with the same options on every machine");
}

/// Describes the difference between two gates with the same subject. Returns "" if they are equal.
std::string DifferenceOf(const Comparison& a, const Comparison& b) {
  // Different computations of the same level may differ in their last digits.
  constexpr double kRounding = 1e-9;
  if (a.unit != b.unit) return "unit '" + b.unit + "' instead of '" + a.unit + "'";
  if (a.better != b.better) return "the opposite direction";
  const bool exact = a.basis == Basis::kExact && b.basis == Basis::kExact;
  // The margin of constant values did not matter.
  if (!exact && (a.margin_kind != b.margin_kind || a.margin != b.margin)) return "another margin";
  if (!(a.estimator == b.estimator)) return "another estimator";
  if (std::abs(a.confidence - b.confidence) > kRounding) return "another confidence";
  const auto of_pass = [](const Comparison& gate) { return gate.pass_confidence.value_or(0); };
  if (std::abs(of_pass(a) - of_pass(b)) > kRounding) return "another confidence of a pass";
  return "";
}

Result<void> CheckSame(const MachineSession& first, const MachineSession& other) {
  for (const auto& [one, two] : {std::pair(&first, &other), std::pair(&other, &first)}) {
    for (const Comparison& gate : one->gates) {
      if (Find(two->gates, gate) == nullptr && !IsByReasonAlone(gate)) {
        return Differs(first, other, "only " + one->source + " has " + NameOfGate(gate));
      }
    }
  }
  for (const Comparison& gate : first.gates) {
    const Comparison* const own = Find(other.gates, gate);
    const std::string what = own == nullptr ? "" : DifferenceOf(gate, *own);
    if (!what.empty()) return Differs(first, other, what + " for " + NameOfGate(gate));
  }
  if (first.sided != other.sided) return Differs(first, other, "--sided differs");
  for (const auto& [arm, commit] : first.commits) {
    const auto found = other.commits.find(arm);
    if (found == other.commits.end() || found->second != commit) {
      return Differs(first, other, "arm " + arm.second + " was built from another commit");
    }
  }
  return {};
}

// ---- combine sessions into machines ----

/// Removes duplicate sessions and returns warnings about them.
std::vector<Warning> KeepOnce(std::vector<MachineSession>& sessions) {
  std::vector<Warning> warnings;
  std::vector<MachineSession> kept;
  for (MachineSession& session : sessions) {
    const auto same = std::ranges::find_if(kept, [&session](const MachineSession& known) {
      return known.session == session.session ||
             (known.machine == session.machine && known.started_at == session.started_at);
    });
    if (same == kept.end()) {
      kept.push_back(std::move(session));
      continue;
    }
    warnings.push_back(MakeWarning("counted_once", session.source + ": same session as in " +
                                                       same->source + " (" + session.session +
                                                       "), so it is counted once"));
  }
  sessions = std::move(kept);
  return warnings;
}

using SessionsOfMachine = std::vector<const MachineSession*>;

std::vector<SessionsOfMachine> ByMachine(const std::vector<MachineSession>& sessions) {
  std::vector<SessionsOfMachine> machines;
  for (const MachineSession& session : sessions) {
    const auto known = std::ranges::find_if(machines, [&session](const SessionsOfMachine& one) {
      return one.front()->machine == session.machine;
    });
    if (known == machines.end()) {
      machines.push_back({&session});
    } else {
      known->push_back(&session);
    }
  }
  return machines;
}

/// Returns the sessions' comparisons for a gate. There are fewer comparisons than sessions if a
/// session lacks the gate.
std::vector<const Comparison*> OwnOf(const SessionsOfMachine& sessions, const Comparison& gate) {
  std::vector<const Comparison*> own;
  for (const MachineSession* session : sessions) {
    const Comparison* const one = Find(session->gates, gate);
    if (one != nullptr) own.push_back(one);
  }
  return own;
}

std::optional<double> MeanOver(const std::vector<const Comparison*>& gates,
                               std::optional<double> Comparison::*figure) {
  double sum = 0;
  for (const Comparison* gate : gates) {
    const std::optional<double>& value = gate->*figure;
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum / static_cast<double>(gates.size());
}

/// Returns the largest error of the session's value that the metric's steps can cause, on the scale
/// of the value. A mean over machines does not reduce this error, because it may have the same sign
/// on all of them, as in the benchmarks of a suite (ChangesOverBenchmarks()).
double AllowanceOf(const Comparison& gate) {
  const double relative = gate.change_allowance.value_or(0);
  if (relative > 0 && IsRatio(gate)) return relative;
  if (gate.difference_allowance && !IsRatio(gate)) return *gate.difference_allowance;
  // Older exports have only the allowance of the ratio, which is one step per arm's mean; that of a
  // difference is two steps.
  const double reference = gate.mean_reference.value_or(0);
  const double candidate = gate.mean_candidate.value_or(0);
  if (relative > 0 && reference > 0 && candidate > 0) {
    return 2 * relative / (1 / reference + 1 / candidate);
  }
  // Some older exports have neither. If the spread of both arms is 0, the session's own interval
  // consists of the steps alone.
  const Effect& own = IsRatio(gate) ? *gate.change : *gate.difference;
  if (gate.sd_reference != 0 || gate.sd_candidate != 0 || !own.lo || !own.hi) return 0;
  const double width =
      IsRatio(gate) ? std::log1p(*own.hi) - std::log1p(*own.lo) : *own.hi - *own.lo;
  return std::isfinite(width) ? width / 2 : 0;
}

/// Returns the unit of one machine: the mean of its sessions that have an estimate. Returns nothing
/// if there are no such sessions.
std::optional<UnitEffect> UnitOf(const SessionsOfMachine& sessions, const Comparison& gate) {
  UnitEffect unit{0, 0.0};
  double variance = 0;
  double n = 0;
  for (const Comparison* own : OwnOf(sessions, gate)) {
    if (!HasEstimate(*own)) continue;
    ++n;
    unit.value += ValueOf(*own);
    unit.allowance += AllowanceOf(*own);
    const auto error = StandardErrorOf(*own);
    if (!error) unit.standard_error.reset();
    variance += error.value_or(0) * error.value_or(0);
  }
  if (n == 0) return std::nullopt;
  unit.value /= n;
  unit.allowance /= n;
  if (unit.standard_error) unit.standard_error = std::sqrt(variance) / n;
  return unit;
}

/// Returns the gate without its results.
Comparison SubjectOf(const Comparison& gate) {
  return {.benchmark = gate.benchmark,
          .reference = gate.reference,
          .candidate = gate.candidate,
          .metric = gate.metric,
          .unit = gate.unit,
          .role = ComparisonRole::kGate,
          .better = gate.better,
          .margin = gate.margin,
          .margin_kind = gate.margin_kind,
          .confidence = gate.confidence,
          .pass_confidence = gate.pass_confidence,
          .method = Method::kFixed,
          .estimator = gate.estimator};
}

Comparison OfMachine(const SessionsOfMachine& sessions, const Comparison& gate,
                     const std::optional<UnitEffect>& unit) {
  const std::vector<const Comparison*> found = OwnOf(sessions, gate);
  if (found.empty()) return SubjectOf(gate);
  Comparison own = *found.front();
  if (found.size() == 1) return own;
  own.n_reference = own.n_candidate = 0;
  for (const Comparison* one : found) {
    own.n_reference += one->n_reference;
    own.n_candidate += one->n_candidate;
    if (own.reason.empty()) own.reason = one->reason;
  }
  own.mean_reference = MeanOver(found, &Comparison::mean_reference);
  own.mean_candidate = MeanOver(found, &Comparison::mean_candidate);
  EffectOf(own).reset();
  if (unit) EffectOf(own) = ShownEffect(own, unit->value, std::nullopt);
  return own;
}

// ---- refusals of the sessions ----

bool IsRegression(const Comparison& gate) { return gate.verdict == Verdict::kRegression; }

/// Returns the session's warnings that invalidate this gate.
std::vector<const Warning*> RefusalsOf(const MachineSession& session, const Comparison& gate) {
  std::vector<const Warning*> refusals;
  for (const Warning& warning : session.warnings) {
    if (warning.severity != Severity::kInvalidates) continue;
    const bool here = warning.benchmark.empty() || warning.benchmark == gate.benchmark;
    const bool of_arm =
        warning.arm.empty() || warning.arm == gate.candidate || warning.arm == gate.reference;
    const bool of_metric = warning.metric.empty() || warning.metric == gate.metric;
    const bool of_reference = warning.reference.empty() || warning.reference == gate.reference;
    if (here && of_arm && of_metric && of_reference) refusals.push_back(&warning);
  }
  return refusals;
}

/// Returns the reasons why the session could not judge its gate, in the words of the session.
/// Returns an empty list if the session could judge it, even without a verdict.
std::vector<Warning> WhyNotJudged(const MachineSession& session, const Comparison& gate) {
  std::vector<Warning> why;
  if (IsRegression(gate)) return why;
  const auto say = [&](const std::string& text, const std::string& arm) {
    why.push_back(
        MakeWarning("session_refused", session.source + ": " + text, gate.benchmark, arm));
  };
  if (gate.verdict != Verdict::kPass) {
    for (const Warning* refusal : RefusalsOf(session, gate)) {
      say(refusal->message, refusal->arm);
      why.back().benchmark = refusal->benchmark;
    }
  }
  if (!why.empty()) return why;
  if (!gate.reason.empty()) {
    say(SentenceOf(gate.reason, {gate.reference, gate.candidate, gate.metric}), gate.candidate);
  } else if (!HasEstimate(gate)) {
    say("there is no estimate of " + gate.metric, gate.candidate);
  }
  return why;
}

std::vector<std::string> RefusedBy(const std::vector<MachineSession>& sessions,
                                   const Comparison& gate) {
  std::vector<std::string> sources;
  for (const MachineSession& session : sessions) {
    const Comparison* const own = Find(session.gates, gate);
    if (own != nullptr && !WhyNotJudged(session, *own).empty()) sources.push_back(session.source);
  }
  return sources;
}

/// Returns the warnings about all sessions that could not judge a gate, without duplicates.
std::vector<Warning> WarnOfRefusals(const std::vector<MachineSession>& sessions) {
  std::vector<Warning> warnings;
  for (const MachineSession& session : sessions) {
    for (const Comparison& gate : session.gates) {
      for (Warning& said : WhyNotJudged(session, gate)) {
        const bool known = std::ranges::find(warnings, said) != warnings.end();
        if (!known) warnings.push_back(std::move(said));
      }
    }
  }
  return warnings;
}

std::vector<std::string> HiddenIn(const std::vector<LeftOutSession>& left_out) {
  std::vector<std::string> sources;
  for (const LeftOutSession& one : left_out) {
    if (one.warning.severity == Severity::kInvalidates) sources.push_back(one.source);
  }
  return sources;
}

/// Returns the regressions without an interval, which a mean of sessions cannot contradict.
std::vector<ReasonedRegression> RegressedIn(const std::vector<MachineSession>& sessions,
                                            const Comparison& gate) {
  std::vector<ReasonedRegression> regressed;
  for (const MachineSession& session : sessions) {
    const Comparison* const own = Find(session.gates, gate);
    if (own == nullptr || !IsRegression(*own)) continue;
    if (!own->reason.empty() || !HasEstimate(*own)) {
      regressed.push_back({session.source, session.machine, own->reason});
    }
  }
  return regressed;
}

/// Returns the first reason that a session has for not judging the gate.
std::string ReasonOfRefusal(const std::vector<MachineSession>& sessions, const Comparison& gate) {
  for (const MachineSession& session : sessions) {
    const Comparison* const own = Find(session.gates, gate);
    if (own != nullptr && !own->reason.empty()) return own->reason;
  }
  return "";
}

// ---- combine a gate over machines ----

Result<void> TakeMean(const std::vector<UnitEffect>& units, double alpha, CombinedGate& gate) {
  TRY(Combination together, CombineUnits(units, alpha));
  Comparison& mean = gate.comparison;
  if (mean.pass_confidence && together.interval) {
    TRY(const Combination of_pass, CombineUnits(units, 2 * (1 - *mean.pass_confidence)));
    together.interval->hi = of_pass.interval->hi;
  }
  EffectOf(mean) = ShownEffect(mean, together.centre, together.interval);
  gate.tau_squared = together.tau_squared;
  gate.outliers = together.outliers;
  if (together.prediction) {
    const Interval shown = Shown(mean, *together.prediction);
    gate.prediction = {shown.lo, shown.hi};
  }
  if (!together.interval) return {};
  const LookDecision decision = DecideAgainst(*together.interval, Threshold(mean));
  if (decision == LookDecision::kPass) mean.verdict = Verdict::kPass;
  if (decision == LookDecision::kRegression) mean.verdict = Verdict::kRegression;
  if (mean.verdict != Verdict::kUndecided) {
    mean.decided = Decision{units.size(), EffectOf(mean)->lo, EffectOf(mean)->hi};
  }
  return {};
}

/// Decides a gate whose sessions were decided on constant values. A constant count is not a sample
/// of a distribution, so an increase on one machine is an increase, whatever the mean of the
/// machines is, and no increase on any machine is a pass.
void DecideOnConstants(const std::vector<SessionsOfMachine>& machines, std::size_t units,
                       Comparison& mean) {
  bool all = units > 0;
  bool regressed = false;
  for (const SessionsOfMachine& machine : machines) {
    for (const Comparison* own : OwnOf(machine, mean)) {
      const bool exact = own->basis == Basis::kExact;
      all = all && exact;
      regressed = regressed || (exact && IsRegression(*own));
    }
  }
  if (!all && !regressed) return;
  mean.verdict = regressed ? Verdict::kRegression : Verdict::kPass;
  mean.basis = Basis::kExact;
  const double estimate = EffectOf(mean)->estimate;
  mean.decided = Decision{units, estimate, estimate};
}

Result<CombinedGate> CombineGate(const std::vector<SessionsOfMachine>& machines,
                                 const Comparison& gate, bool one_sided) {
  CombinedGate combined;
  combined.comparison = SubjectOf(gate);
  combined.comparison.verdict = Verdict::kUndecided;
  std::vector<UnitEffect> units;
  std::vector<std::size_t> machine_of_unit;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const std::optional<UnitEffect> unit = UnitOf(machines[i], gate);
    combined.of_machine.push_back(OfMachine(machines[i], gate, unit));
    if (!unit) continue;
    units.push_back(*unit);
    machine_of_unit.push_back(i);
  }
  combined.comparison.n_reference = combined.comparison.n_candidate = units.size();
  if (units.empty()) return combined;
  const double alpha = (one_sided ? 2 : 1) * (1 - gate.confidence);
  TRY_VOID(TakeMean(units, alpha, combined));
  DecideOnConstants(machines, units.size(), combined.comparison);
  for (std::size_t& outlier : combined.outliers) outlier = machine_of_unit[outlier];
  return combined;
}

/// Replaces the verdict of the mean if there are too few machines, if a session found a regression
/// without an interval, or if a session could not judge the gate.
void Overrule(const std::vector<MachineSession>& sessions, bool enough, CombinedGate& gate) {
  Comparison& mean = gate.comparison;
  const bool regressed = !gate.regressed_in.empty();
  if (enough && !regressed && gate.refused_by.empty()) return;
  mean.verdict = enough && regressed ? Verdict::kRegression : Verdict::kUndecided;
  mean.reason = regressed ? gate.regressed_in.front().reason : ReasonOfRefusal(sessions, mean);
  mean.decided.reset();
  mean.basis.reset();
}

Verdict VerdictOf(const std::vector<CombinedGate>& gates) {
  Verdict verdict = Verdict::kPass;
  for (const CombinedGate& gate : gates) {
    if (gate.comparison.verdict == Verdict::kRegression) return Verdict::kRegression;
    if (gate.comparison.verdict != Verdict::kPass) verdict = Verdict::kUndecided;
  }
  return verdict;
}

// ---- warnings ----

void Warn(WarningCode code, std::string message, std::vector<Warning>& warnings) {
  warnings.push_back(MakeWarning(code, std::move(message)));
}

void WarnOfOutliers(const MachineCombination& all, std::vector<Warning>& warnings) {
  for (const CombinedGate& gate : all.gates) {
    for (const std::size_t machine : gate.outliers) {
      warnings.push_back(MakeWarning("machine_differs",
                                     all.machines[machine].sources.front() + ": its change in " +
                                         gate.comparison.metric +
                                         " lies outside the prediction of the other machines",
                                     gate.comparison.benchmark, gate.comparison.candidate));
    }
  }
}

/// Warns if the machines differ in speed, by the first gate in seconds. Ratios are unaffected, but
/// readers of the table should know about the difference.
void WarnOfSpeeds(const MachineCombination& all, std::vector<Warning>& warnings) {
  for (const CombinedGate& gate : all.gates) {
    if (gate.comparison.unit != "s") continue;
    const auto mean = [&gate](std::size_t machine) {
      return gate.of_machine[machine].mean_reference.value_or(0);
    };
    std::size_t fastest = 0;
    std::size_t slowest = 0;
    for (std::size_t i = 1; i < gate.of_machine.size(); ++i) {
      // The speed of a machine without a mean is unknown.
      const bool faster = mean(i) > 0 && (mean(i) < mean(fastest) || !(mean(fastest) > 0));
      if (faster) fastest = i;
      if (mean(i) > mean(slowest)) slowest = i;
    }
    if (!(mean(fastest) > 0) || mean(slowest) < kOtherSpeed * mean(fastest)) return;
    const auto tenths = static_cast<long>(std::round(10 * mean(slowest) / mean(fastest)));
    const std::string times = fmt::format("{}.{}", tenths / 10, tenths % 10);
    return Warn("machine_speed",
                all.machines[fastest].sources.front() + " is " + times + " times as fast as " +
                    all.machines[slowest].sources.front() +
                    (IsRatio(gate.comparison)
                         ? ": their ratios are combined, never their times"
                         : ": differences are not comparable; give the margin in per cent"),
                warnings);
  }
}

/// Copies warnings about failures and omissions in the sessions, which a mean over the rest would
/// hide.
void WarnOfUncompared(const std::vector<MachineSession>& sessions, std::vector<Warning>& warnings) {
  constexpr std::string_view kCodes[] = {"metric_missing", "no_ratio", "failed_runs"};
  for (const MachineSession& session : sessions) {
    for (const Warning& warning : session.warnings) {
      const bool counts = warning.severity == Severity::kCaution &&
                          std::ranges::find(kCodes, warning.code) != std::end(kCodes);
      if (!counts) continue;
      warnings.push_back(warning);
      warnings.back().message = session.source + ": " + warning.message;
    }
  }
}

void WarnOfTimes(const std::vector<MachineSession>& sessions, std::vector<Warning>& warnings) {
  const auto [first, last] = std::ranges::minmax_element(sessions, {}, &MachineSession::started_at);
  const Nanoseconds apart = last->started_at - first->started_at;
  if (apart < kApart) return;
  const auto hours = std::chrono::round<std::chrono::hours>(apart).count();
  Warn("measured_apart",
       last->source + " began " + Counted(static_cast<std::uint64_t>(hours), "hour") + " after " +
           first->source + ", by the clocks of their machines, which may differ",
       warnings);
}

void WarnOfStopping(const std::vector<MachineSession>& sessions, std::vector<Warning>& warnings) {
  const auto watched = [](const MachineSession& session) {
    return std::ranges::any_of(session.gates, [](const Comparison& gate) {
      // What is constant does not depend on when a session stopped.
      return gate.method != Method::kFixed && gate.decided && gate.basis != Basis::kExact;
    });
  };
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(sessions, watched));
  if (count == 0) return;
  Warn("stopped_early",
       Counted(count, "session") +
           " stopped at their own verdict, which makes changes look larger than they are; to "
           "combine sessions, measure a fixed number of runs: --runs N",
       warnings);
}

/// Withdraws a pass, but no other verdict, if an export that was left out may hide a regression.
void Withhold(const std::vector<LeftOutSession>& left_out, CombinedGate& gate) {
  const std::vector<std::string> hidden = HiddenIn(left_out);
  if (hidden.empty() || IsRegression(gate.comparison)) return;
  std::ranges::copy(hidden, std::back_inserter(gate.refused_by));
  gate.comparison.verdict = Verdict::kUndecided;
  gate.comparison.decided.reset();
  gate.comparison.basis.reset();
}

/// Removes the controls, which say nothing about the code. A session whose control changed has
/// judged none of its gates, and refuses them by its warning.
void ApplyControls(std::vector<MachineSession>& sessions) {
  for (MachineSession& session : sessions) {
    std::erase_if(session.gates, [](const Comparison& gate) { return gate.control.has_value(); });
    const bool changed = std::ranges::find(session.warnings, "control_changed", &Warning::code) !=
                         session.warnings.end();
    for (Comparison& gate : session.gates) {
      if (changed) gate.verdict = Verdict::kUndecided;
    }
  }
}

std::vector<CombinedMachine> MachinesOf(const std::vector<SessionsOfMachine>& machines) {
  std::vector<CombinedMachine> named;
  for (const SessionsOfMachine& own : machines) {
    CombinedMachine& machine = named.emplace_back();
    machine.machine = own.front()->machine;
    for (const MachineSession* session : own) {
      machine.sources.push_back(session->source);
      machine.sessions.push_back(session->session);
    }
  }
  return named;
}

}  // namespace

bool HasEstimate(const Comparison& gate) {
  const std::optional<Effect>& effect = IsRatio(gate) ? gate.change : gate.difference;
  return effect && std::isfinite(effect->estimate) && (!IsRatio(gate) || effect->estimate > -1);
}

Result<MachineCombination> CombineMachines(std::vector<MachineSession> sessions,
                                           std::optional<std::size_t> expected,
                                           const std::vector<LeftOutSession>& left_out) {
  if (sessions.empty()) return InvalidArgument("exports", "no export is complete");
  ApplyControls(sessions);
  for (const MachineSession& session : sessions) {
    TRY_VOID(CheckSame(sessions.front(), session));
  }
  MachineCombination all;
  for (const LeftOutSession& one : left_out) all.warnings.push_back(one.warning);
  for (Warning& twice : KeepOnce(sessions)) all.warnings.push_back(std::move(twice));
  const std::vector<SessionsOfMachine> machines = ByMachine(sessions);
  all.machines = MachinesOf(machines);
  const bool enough = machines.size() >= std::max(kFewestMachines, expected.value_or(0));
  for (const Comparison& gate : GatesOfAll(sessions)) {
    TRY(CombinedGate combined, CombineGate(machines, gate, sessions.front().sided == Sided::kOne));
    combined.regressed_in = RegressedIn(sessions, gate);
    combined.refused_by = RefusedBy(sessions, gate);
    Overrule(sessions, enough, combined);
    Withhold(left_out, combined);
    all.gates.push_back(std::move(combined));
  }
  all.verdict = VerdictOf(all.gates);
  for (Warning& refusal : WarnOfRefusals(sessions)) all.warnings.push_back(std::move(refusal));
  WarnOfUncompared(sessions, all.warnings);
  WarnOfOutliers(all, all.warnings);
  WarnOfSpeeds(all, all.warnings);
  WarnOfTimes(sessions, all.warnings);
  WarnOfStopping(sessions, all.warnings);
  return all;
}

}  // namespace benchd
