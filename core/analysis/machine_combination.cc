#include "core/analysis/machine_combination.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/geometric_mean.h"
#include "core/base/text.h"
#include "core/stats/combination.h"
#include "core/stats/decision.h"

namespace benchd {
namespace {

static_assert(kFewestMachines == kFewestUnits);
/// One is that many times as fast as another: worth a word, as it is another kind of machine.
constexpr double kOtherSpeed = 1.5;
constexpr Nanoseconds kApart = std::chrono::hours(1);

bool IsRatio(const Comparison& gate) { return gate.margin_kind == MarginKind::kRatio; }
bool IsRate(const Comparison& gate) { return gate.better == Better::kHigher; }

/// Worse positive: the log ratio, or the difference.
double ValueOf(const Comparison& gate) {
  const double value =
      IsRatio(gate) ? std::log1p(gate.change->estimate) : gate.difference->estimate;
  return IsRate(gate) ? -value : value;
}

/// The inverse, as it is shown.
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

// ---- the same comparison ----

bool IsSameGate(const Comparison& a, const Comparison& b) {
  return a.benchmark == b.benchmark && a.reference == b.reference && a.candidate == b.candidate &&
         a.metric == b.metric;
}

const Comparison* Find(const std::vector<Comparison>& gates, const Comparison& one) {
  const auto found =
      std::ranges::find_if(gates, [&one](const Comparison& gate) { return IsSameGate(gate, one); });
  return found == gates.end() ? nullptr : &*found;
}

Error Differs(const MachineSession& first, const MachineSession& other, const std::string& what) {
  return InvalidArgument(other.source, "not the comparison of " + first.source + ": " + what,
                         "combine sessions that were asked for alike on every machine");
}

/// What of two gates with the same subject is not the same; empty where all is.
std::string DifferenceOf(const Comparison& a, const Comparison& b) {
  // Two sums that stand for one level may differ in their last digits.
  constexpr double kRounding = 1e-9;
  if (a.unit != b.unit) return "unit '" + b.unit + "' instead of '" + a.unit + "'";
  if (a.better != b.better) return "another direction is better";
  if (a.margin_kind != b.margin_kind || a.margin != b.margin) return "another margin";
  if (!(a.estimator == b.estimator)) return "another estimator";
  if (std::abs(a.confidence - b.confidence) > kRounding) return "another confidence";
  return "";
}

Result<void> CheckSame(const MachineSession& first, const MachineSession& other) {
  for (const auto& [one, two] : {std::pair(&first, &other), std::pair(&other, &first)}) {
    for (const Comparison& gate : one->gates) {
      if (Find(two->gates, gate) == nullptr) {
        return Differs(first, other, "only " + one->source + " has " + NameOfGate(gate));
      }
    }
  }
  for (const Comparison& gate : first.gates) {
    const std::string what = DifferenceOf(gate, *Find(other.gates, gate));
    if (!what.empty()) return Differs(first, other, what + " for " + NameOfGate(gate));
  }
  if (first.sided != other.sided) return Differs(first, other, "--sided is another one");
  for (const auto& [arm, commit] : first.commits) {
    const auto found = other.commits.find(arm);
    if (found == other.commits.end() || found->second != commit) {
      return Differs(first, other, "arm " + arm.second + " was built from another commit");
    }
  }
  return {};
}

// ---- sessions to machines ----

/// Takes out what is there a second time; says so.
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
    warnings.push_back(MakeWarning("counted_once", session.source + ": session " + session.session +
                                                       ", as in " + same->source +
                                                       ": counted once"));
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

std::optional<double> MeanOver(const SessionsOfMachine& sessions, const Comparison& gate,
                               std::optional<double> Comparison::*figure) {
  double sum = 0;
  for (const MachineSession* session : sessions) {
    const std::optional<double>& value = Find(session->gates, gate)->*figure;
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum / static_cast<double>(sessions.size());
}

/// One machine's unit: its sessions averaged.
UnitEffect UnitOf(const SessionsOfMachine& sessions, const Comparison& gate) {
  UnitEffect unit{0, 0.0};
  double variance = 0;
  for (const MachineSession* session : sessions) {
    const Comparison& own = *Find(session->gates, gate);
    unit.value += ValueOf(own);
    const auto error = StandardErrorOf(own);
    if (!error) unit.standard_error.reset();
    variance += error.value_or(0) * error.value_or(0);
  }
  const auto n = static_cast<double>(sessions.size());
  unit.value /= n;
  if (unit.standard_error) unit.standard_error = std::sqrt(variance) / n;
  return unit;
}

Comparison OfMachine(const SessionsOfMachine& sessions, const Comparison& gate, double value) {
  Comparison own = *Find(sessions.front()->gates, gate);
  if (sessions.size() == 1) return own;
  own.n_reference = own.n_candidate = 0;
  for (const MachineSession* session : sessions) {
    own.n_reference += Find(session->gates, gate)->n_reference;
    own.n_candidate += Find(session->gates, gate)->n_candidate;
  }
  own.mean_reference = MeanOver(sessions, gate, &Comparison::mean_reference);
  own.mean_candidate = MeanOver(sessions, gate, &Comparison::mean_candidate);
  EffectOf(own) = ShownEffect(own, value, std::nullopt);
  return own;
}

// ---- what the sessions refused ----

/// The session's words that take this gate's values back.
std::vector<const Warning*> RefusalsOf(const MachineSession& session, const Comparison& gate) {
  std::vector<const Warning*> refusals;
  const Verdict own = Find(session.gates, gate)->verdict.value_or(Verdict::kUndecided);
  if (own != Verdict::kUndecided) return refusals;
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

std::vector<std::string> RefusedBy(const std::vector<MachineSession>& sessions,
                                   const Comparison& gate) {
  std::vector<std::string> sources;
  for (const MachineSession& session : sessions) {
    if (!RefusalsOf(session, gate).empty()) sources.push_back(session.source);
  }
  return sources;
}

/// Each word of each session once.
std::vector<Warning> WarnOfRefusals(const std::vector<MachineSession>& sessions) {
  std::vector<Warning> warnings;
  for (const MachineSession& session : sessions) {
    for (const Comparison& gate : session.gates) {
      for (const Warning* refusal : RefusalsOf(session, gate)) {
        Warning said = MakeWarning("session_refused", session.source + ": " + refusal->message,
                                   refusal->benchmark, refusal->arm);
        const bool known = std::ranges::find(warnings, said) != warnings.end();
        if (!known) warnings.push_back(std::move(said));
      }
    }
  }
  return warnings;
}

// ---- a gate over machines ----

// What no interval says of a session, no mean of sessions says either.
void TakeReasons(const std::vector<SessionsOfMachine>& machines, Comparison& mean) {
  for (const SessionsOfMachine& sessions : machines) {
    for (const MachineSession* session : sessions) {
      const Comparison* const own = Find(session->gates, mean);
      const bool regressed = own != nullptr && own->verdict == Verdict::kRegression;
      if (own == nullptr || own->reason.empty() || !(mean.reason.empty() || regressed)) continue;
      mean.reason = own->reason;
      mean.verdict = own->verdict;
      mean.decided.reset();
    }
  }
}

Result<CombinedGate> CombineGate(const std::vector<SessionsOfMachine>& machines,
                                 const Comparison& gate, bool one_sided, bool may_decide) {
  CombinedGate combined;
  std::vector<UnitEffect> units;
  for (const SessionsOfMachine& sessions : machines) {
    units.push_back(UnitOf(sessions, gate));
    combined.of_machine.push_back(OfMachine(sessions, gate, units.back().value));
  }
  const double alpha = (one_sided ? 2 : 1) * (1 - gate.confidence);
  const Result<Combination> together = CombineUnits(units, alpha);
  if (!together) return together.error();
  Comparison& mean = combined.comparison;
  mean = {.benchmark = gate.benchmark,
          .reference = gate.reference,
          .candidate = gate.candidate,
          .metric = gate.metric,
          .unit = gate.unit,
          .role = ComparisonRole::kGate,
          .better = gate.better,
          .margin = gate.margin,
          .margin_kind = gate.margin_kind,
          .confidence = gate.confidence,
          .method = Method::kFixed,
          .estimator = gate.estimator,
          .n_reference = machines.size(),
          .n_candidate = machines.size()};
  EffectOf(mean) = ShownEffect(gate, together->centre, together->interval);
  mean.verdict = Verdict::kUndecided;
  if (may_decide && together->interval) {
    const LookDecision decision = DecideAgainst(*together->interval, Threshold(gate));
    if (decision == LookDecision::kPass) mean.verdict = Verdict::kPass;
    if (decision == LookDecision::kRegression) mean.verdict = Verdict::kRegression;
    if (mean.verdict != Verdict::kUndecided) {
      mean.decided = Decision{machines.size(), EffectOf(mean)->lo, EffectOf(mean)->hi};
    }
  }
  TakeReasons(machines, mean);
  combined.tau_squared = together->tau_squared;
  combined.outliers = together->outliers;
  if (together->prediction) {
    const Interval shown = Shown(gate, *together->prediction);
    combined.prediction = {shown.lo, shown.hi};
  }
  return combined;
}

Verdict VerdictOf(const std::vector<CombinedGate>& gates) {
  Verdict verdict = Verdict::kPass;
  for (const CombinedGate& gate : gates) {
    if (gate.comparison.verdict == Verdict::kRegression) return Verdict::kRegression;
    if (gate.comparison.verdict != Verdict::kPass) verdict = Verdict::kUndecided;
  }
  return verdict;
}

// ---- what a reader should know ----

void Warn(WarningCode code, std::string message, std::vector<Warning>& warnings) {
  warnings.push_back(MakeWarning(code, std::move(message)));
}

void WarnOfOutliers(const MachineCombination& all, std::vector<Warning>& warnings) {
  for (const CombinedGate& gate : all.gates) {
    for (const std::size_t machine : gate.outliers) {
      warnings.push_back(MakeWarning("machine_differs",
                                     all.machines[machine].sources.front() + ": its change in " +
                                         gate.comparison.metric +
                                         " lies outside of what the other machines predict",
                                     gate.comparison.benchmark, gate.comparison.candidate));
    }
  }
}

/// By the first gate in seconds; ratios do not mind, but who reads the table should know.
void WarnOfSpeeds(const MachineCombination& all, std::vector<Warning>& warnings) {
  for (const CombinedGate& gate : all.gates) {
    if (gate.comparison.unit != "s") continue;
    const auto mean = [&gate](std::size_t machine) {
      return gate.of_machine[machine].mean_reference.value_or(0);
    };
    std::size_t fastest = 0;
    std::size_t slowest = 0;
    for (std::size_t i = 1; i < gate.of_machine.size(); ++i) {
      if (mean(i) < mean(fastest)) fastest = i;
      if (mean(i) > mean(slowest)) slowest = i;
    }
    if (!(mean(fastest) > 0) || mean(slowest) < kOtherSpeed * mean(fastest)) return;
    const double tenths = std::round(10 * mean(slowest) / mean(fastest));
    const std::string times = std::to_string(static_cast<long>(tenths) / 10) + "." +
                              std::to_string(static_cast<long>(tenths) % 10);
    return Warn("machine_speed",
                all.machines[fastest].sources.front() + " is " + times + " times as fast as " +
                    all.machines[slowest].sources.front() +
                    (IsRatio(gate.comparison)
                         ? ": their ratios are combined, never their times"
                         : ": differences do not compare; give the margin in per cent"),
                warnings);
  }
}

void WarnOfTimes(const std::vector<MachineSession>& sessions, std::vector<Warning>& warnings) {
  const auto [first, last] = std::ranges::minmax_element(sessions, {}, &MachineSession::started_at);
  const Nanoseconds apart = last->started_at - first->started_at;
  if (apart < kApart) return;
  const auto hours = std::chrono::round<std::chrono::hours>(apart).count();
  Warn("measured_apart",
       last->source + " began " + Counted(static_cast<std::uint64_t>(hours), "hour") + " after " +
           first->source + ", by the clocks of their machines, which need not agree",
       warnings);
}

void WarnOfStopping(const std::vector<MachineSession>& sessions, std::vector<Warning>& warnings) {
  const auto watched = [](const MachineSession& session) {
    return std::ranges::any_of(session.gates, [](const Comparison& gate) {
      return gate.method != Method::kFixed && gate.decided;
    });
  };
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(sessions, watched));
  if (count == 0) return;
  Warn("stopped_early",
       Counted(count, "session") +
           " stopped at their own verdict, which makes changes look larger than they are; for "
           "combine, measure a fixed number: --runs N",
       warnings);
}

}  // namespace

Result<MachineCombination> CombineMachines(std::vector<MachineSession> sessions,
                                           std::optional<std::size_t> expected) {
  if (sessions.empty()) return InvalidArgument("exports", "none is complete");
  for (const MachineSession& session : sessions) {
    if (Result<void> same = CheckSame(sessions.front(), session); !same) return same.error();
  }
  MachineCombination all;
  all.warnings = KeepOnce(sessions);
  const std::vector<SessionsOfMachine> machines = ByMachine(sessions);
  for (const SessionsOfMachine& own : machines) {
    CombinedMachine& machine = all.machines.emplace_back();
    machine.machine = own.front()->machine;
    for (const MachineSession* session : own) {
      machine.sources.push_back(session->source);
      machine.sessions.push_back(session->session);
    }
  }
  const bool may_decide = machines.size() >= std::max(kFewestMachines, expected.value_or(0));
  for (const Comparison& gate : sessions.front().gates) {
    std::vector<std::string> refused_by = RefusedBy(sessions, gate);
    Result<CombinedGate> combined = CombineGate(
        machines, gate, sessions.front().sided == Sided::kOne, may_decide && refused_by.empty());
    if (!combined) return combined.error();
    combined->refused_by = std::move(refused_by);
    all.gates.push_back(*std::move(combined));
  }
  all.verdict = VerdictOf(all.gates);
  for (Warning& refusal : WarnOfRefusals(sessions)) all.warnings.push_back(std::move(refusal));
  WarnOfOutliers(all, all.warnings);
  WarnOfSpeeds(all, all.warnings);
  WarnOfTimes(sessions, all.warnings);
  WarnOfStopping(sessions, all.warnings);
  return all;
}

}  // namespace benchd
