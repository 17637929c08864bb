#include "core/analysis/confirmed_analysis.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/analysis/control_report.h"
#include "core/analysis/forecast.h"
#include "core/base/try.h"
#include "core/model/verdict_reason.h"

namespace benchd {
namespace {

bool Regressed(const Comparison& gate) {
  return gate.role == ComparisonRole::kGate && gate.verdict == Verdict::kRegression;
}

bool Waits(const Comparison& gate) { return gate.reason == Reason("confirming"); }

bool IsPlacebo(const Comparison& one) { return one.control && one.role == ComparisonRole::kInfo; }

bool RegressedIn(const std::string& benchmark, const Report& report) {
  return std::ranges::any_of(report.comparisons, [&benchmark](const Comparison& one) {
    return Regressed(one) && one.benchmark == benchmark;
  });
}

// Returns the gates of the second phase: those that regressed, and the controls that show whether
// the machine is then the same. None if there is nothing to confirm.
std::vector<GateSubject> GatesToConfirm(const Report& report) {
  std::vector<GateSubject> gates;
  if (report.control_changed || std::ranges::none_of(report.comparisons, Regressed)) return gates;
  for (const Comparison& one : report.comparisons) {
    const bool controls = one.control && (!IsPlacebo(one) || RegressedIn(one.benchmark, report));
    if (Regressed(one) || controls) gates.push_back(GateSubjectOf(one));
  }
  return gates;
}

const Comparison* FindGate(const std::vector<Comparison>& gates, const GateSubject& subject) {
  const auto found = std::ranges::find_if(gates, [&subject](const Comparison& one) {
    return one.role == ComparisonRole::kGate && GateSubjectOf(one) == subject;
  });
  return found == gates.end() ? nullptr : &*found;
}

// Returns the control of the second phase that a comparison of the first one is.
const Comparison* FindControl(const Report& second, const Comparison& control) {
  const auto found = std::ranges::find_if(second.comparisons, [&control](const Comparison& one) {
    return one.control && GateSubjectOf(one) == GateSubjectOf(control);
  });
  return found == second.comparisons.end() ? nullptr : &*found;
}

// Makes a gate that regressed undecided. Its decision in the first phase stays visible.
void Withdraw(std::string_view reason, Comparison& gate) {
  gate.verdict = Verdict::kUndecided;
  gate.reason = reason;
}

// Returns whether two regressions have the same cause: a missing metric, failed runs, or values. A
// program that was slower and now fails is not confirmed to be slower.
bool HaveSameCause(std::string_view one, std::string_view other) {
  const auto missing = [](std::string_view reason) {
    return reason == Reason("missing_in_candidate");
  };
  const auto failed = [](std::string_view reason) {
    return reason == Reason("failed_in_candidate") || reason == Reason("candidate_always_failed");
  };
  return missing(one) == missing(other) && failed(one) == failed(other);
}

void UpdateVerdict(Report& report) {
  if (report.verdict != Verdict::kRegression) return;
  if (std::ranges::none_of(report.comparisons, Regressed)) report.verdict = Verdict::kUndecided;
}

// Returns whether a warning of the second phase is news about a gate that entered it. What is known
// from the first phase is not repeated.
bool IsNews(const Warning& warning, const Report& report) {
  if (warning.severity == Severity::kNote) return false;
  // What the controls of the second phase show is news, whatever those of the first one did.
  if (warning.code == "control_changed" || warning.code == "control_open") return true;
  const bool known = std::ranges::any_of(report.warnings, [&warning](const Warning& one) {
    return one.code == warning.code && one.benchmark == warning.benchmark &&
           one.arm == warning.arm && one.metric == warning.metric;
  });
  if (known) return false;
  return std::ranges::any_of(report.comparisons, [&warning](const Comparison& one) {
    return one.confirmation && one.benchmark == warning.benchmark &&
           (warning.metric.empty() || warning.metric == one.metric) &&
           (warning.arm.empty() || warning.arm == one.candidate || warning.arm == one.reference);
  });
}

}  // namespace

Result<ConfirmedAnalysis> ConfirmedAnalysis::Create(const SessionSpec& spec, DataSource source) {
  TRY(SessionAnalysis first, SessionAnalysis::Create(spec, source));
  std::vector<std::string> names;
  for (const Benchmark& benchmark : spec.benchmarks) names.push_back(benchmark.name);
  std::optional<SessionAnalysis> second;
  if (spec.confirm) {
    if (spec.limits.at_limit == AtLimit::kEstimate) {
      return InvalidArgument("confirm",
                             "at_limit = estimate decides by estimates, which cannot confirm a "
                             "regression",
                             source == DataSource::kTable
                                 ? "omit --at-limit: this session confirmed its regressions"
                                 : "omit --at-limit or --confirm");
    }
    TRY(SessionAnalysis made, SessionAnalysis::Create(spec, source));
    second = std::move(made);
  }
  return ConfirmedAnalysis(std::move(first), std::move(second), std::move(names));
}

void ConfirmedAnalysis::AddWarmup(std::span<const Run> block) {
  first_.AddWarmup(block);
  if (second_) second_->AddWarmup(block);
}

Result<void> ConfirmedAnalysis::Add(std::span<const Run> block,
                                    std::span<const std::uint32_t> ended, std::size_t sharing) {
  return confirming_ ? second_->Add(block, ended, sharing) : first_.Add(block, ended, sharing);
}

bool ConfirmedAnalysis::BeginConfirmation() {
  if (!second_ || confirming_) return confirming_;
  first_report_ = first_.Conclude();
  const std::vector<GateSubject> gates = GatesToConfirm(*first_report_);
  if (gates.empty()) return false;
  second_->RestrictTo(gates);
  confirming_ = true;
  return true;
}

std::vector<std::uint32_t> ConfirmedAnalysis::BenchmarksOfPhase() const {
  std::vector<std::uint32_t> measured;
  for (std::uint32_t i = 0; i < benchmarks_.size(); ++i) {
    const auto is_control = [&](const Comparison& one) {
      return one.control && !IsPlacebo(one) && one.benchmark == benchmarks_[i];
    };
    if (!confirming_ || RegressedIn(benchmarks_[i], *first_report_) ||
        std::ranges::any_of(first_report_->comparisons, is_control)) {
      measured.push_back(i);
    }
  }
  return measured;
}

Report ConfirmedAnalysis::Look() const {
  if (!second_) return first_.Look();
  if (confirming_) return Merged(second_->Look(), /*last=*/false);
  Report report = first_report_ ? *first_report_ : first_.Look();
  // Nothing is left to confirm if a control changed.
  const bool ended = first_report_ && report.control_changed;
  for (Comparison& one : report.comparisons) {
    if (Regressed(one)) Withdraw(ended ? Reason("unconfirmed") : Reason("confirming"), one);
  }
  UpdateVerdict(report);
  return report;
}

Report ConfirmedAnalysis::Conclude() {
  if (!second_) return first_.Conclude();
  if (!BeginConfirmation()) return Look();
  return Merged(second_->Conclude(), /*last=*/true);
}

Confirmation ConfirmedAnalysis::ConfirmationOf(const Comparison& gate, const Report& second) const {
  Confirmation confirmation;
  confirmation.first_reason = gate.reason;
  const auto name = std::ranges::find(benchmarks_, gate.benchmark);
  if (name != benchmarks_.end()) {
    confirmation.blocks = second_->BlocksOf(static_cast<std::size_t>(name - benchmarks_.begin()));
  }
  const Comparison* const own = FindGate(second.comparisons, GateSubjectOf(gate));
  if (own == nullptr) return confirmation;
  confirmation.verdict = own->verdict.value_or(Verdict::kUndecided);
  confirmation.change = own->change;
  confirmation.difference = own->difference;
  confirmation.reason = own->reason;
  confirmation.confidence = own->confidence;
  return confirmation;
}

// Combines the reports of the two phases.
Report ConfirmedAnalysis::Merged(const Report& second, bool last) const {
  Report report = *first_report_;
  for (Comparison& gate : report.comparisons) {
    if (!Regressed(gate)) continue;
    gate.confirmation = ConfirmationOf(gate, second);
    const Confirmation& found = *gate.confirmation;
    const bool regressed = found.verdict == Verdict::kRegression;
    if (regressed && HaveSameCause(gate.reason, found.reason)) continue;
    const bool open = !last && found.verdict == Verdict::kUndecided;
    Withdraw(open ? Reason("confirming") : Reason("not_confirmed"), gate);
  }
  UpdateVerdict(report);
  for (Comparison& control : report.comparisons) {
    const Comparison* const own = control.control ? FindControl(second, control) : nullptr;
    if (own != nullptr && control.control == ControlState::kUnchanged)
      control.control = own->control;
  }
  if (second.control_changed) {
    report.control_changed = true;
    report.verdict = Verdict::kUndecided;
  }
  for (const Warning& warning : second.warnings) {
    if (!IsNews(warning, report)) continue;
    report.warnings.push_back(warning);
    report.warnings.back().message = "second phase: " + warning.message;
  }
  return report;
}

void ConfirmedAnalysis::Forecast(const SessionSpec& spec, Nanoseconds elapsed, Report& report,
                                 const BenchmarkGroups& groups) const {
  if (!confirming_) {
    ForecastVerdict(spec, GroupedOutlooks(first_.Outlook(), groups), report, groups);
    const bool waits = std::ranges::any_of(report.comparisons, Waits);
    if (!second_ || (!waits && !report.time_left)) return;
    // The length of the second phase is unknown, except for its limit.
    report.eta.reset();
    report.time_left =
        std::max(Nanoseconds::zero(), spec.limits.max_time - elapsed) + spec.limits.max_time;
    return;
  }
  Report second = second_->Look();
  std::erase_if(second.comparisons, [&report](const Comparison& one) {
    const Comparison* const gate = FindGate(report.comparisons, GateSubjectOf(one));
    return gate == nullptr || !Waits(*gate);
  });
  second.elapsed = elapsed;
  ForecastVerdict(spec, second_->Outlook(), second);
  report.eta = second.eta;
  report.time_left = second.time_left;
  for (Comparison& gate : report.comparisons) {
    const Comparison* const own = FindGate(second.comparisons, GateSubjectOf(gate));
    if (own != nullptr) gate.eta = own->eta;
  }
}

}  // namespace benchd
