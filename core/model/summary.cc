#include "core/model/summary.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/base/cpu_list.h"
#include "core/base/fnv.h"
#include "core/model/labels.h"

namespace benchd {
namespace {

std::string TextOf(const Environment& environment, std::string_view fact) {
  const std::string* const value = FactOf(environment, fact);
  return value == nullptr ? std::string() : *value;
}

std::string SettingsOf(const MachineReport& machine) {
  std::set<std::string> held;
  if (!machine.benchmark_cpus.empty()) held.insert("cpus=" + FormatCpuList(machine.benchmark_cpus));
  for (const SettingState& setting : machine.isolation) {
    if (setting.held) held.insert(setting.setting + "=" + setting.actual);
  }
  std::string text;
  for (const std::string& one : held) text += (text.empty() ? "" : " ") + one;
  return text;
}

const Arm* ArmOf(const SessionSpec& spec, const std::string& benchmark, const std::string& name) {
  for (const Benchmark& one : spec.benchmarks) {
    if (one.name != benchmark) continue;
    const auto arm = std::find_if(one.arms.begin(), one.arms.end(),
                                  [&name](const Arm& each) { return each.name == name; });
    if (arm != one.arms.end()) return &*arm;
  }
  return nullptr;
}

void AddArms(const SessionSpec& spec, GateSummary& summary) {
  if (const Arm* const arm = ArmOf(spec, summary.benchmark, summary.reference)) {
    summary.reference_commit = arm->commit;
  }
  const Arm* const arm = ArmOf(spec, summary.benchmark, summary.candidate);
  if (arm == nullptr) return;
  summary.candidate_commit = arm->commit;
  summary.command = arm->command;
  if (summary.benchmark != Benchmark().name) return;
  // Another interpreter takes another time for the same command.
  summary.series =
      Fnv1aHex(arm->interpreter.empty() ? arm->command : arm->interpreter + '\0' + arm->command);
}

// Adds what does not depend on the gate: the session, its commands and its machine.
void AddSession(const SessionRecord& record, std::size_t position, GateSummary& summary) {
  const SessionSnapshot& snapshot = record.snapshot;
  summary.session = snapshot.id;
  summary.position = static_cast<std::uint32_t>(position);
  summary.uid = record.spec.caller.uid;
  summary.ended_at = snapshot.ended_at.value_or(snapshot.submitted_at);
  summary.labels = record.spec.labels;
  summary.control_changed = snapshot.report->control_changed;
  AddArms(record.spec, summary);
  if (!snapshot.machine) return;
  const Environment& environment = snapshot.machine->environment;
  summary.machine = TextOf(environment, "cpu");
  const std::string cpus = TextOf(environment, "cpus");
  if (!cpus.empty()) summary.machine += (summary.machine.empty() ? "CPUs " : ", CPUs ") + cpus;
  summary.kernel = TextOf(environment, "kernel");
  summary.settings = SettingsOf(*snapshot.machine);
}

GateSummary SummaryOf(const Comparison& gate) {
  GateSummary summary;
  summary.benchmark = gate.benchmark;
  summary.metric = gate.metric;
  summary.unit = gate.unit;
  summary.better = gate.better;
  summary.reference = gate.reference;
  summary.candidate = gate.candidate;
  summary.n_reference = gate.n_reference;
  summary.n_candidate = gate.n_candidate;
  summary.mean_reference = gate.mean_reference;
  summary.mean_candidate = gate.mean_candidate;
  summary.change = gate.change;
  summary.verdict = gate.verdict.value_or(Verdict::kUndecided);
  return summary;
}

GateSummary SummaryOf(const Estimate& estimate) {
  GateSummary summary;
  summary.benchmark = estimate.benchmark;
  summary.metric = estimate.metric;
  summary.unit = estimate.unit;
  summary.better = estimate.better;
  summary.candidate = estimate.arm;
  summary.n_candidate = estimate.n;
  summary.value = estimate.value;
  if (estimate.value) summary.mean_candidate = estimate.value->estimate;
  summary.verdict = estimate.precise.value_or(false) ? Verdict::kPass : Verdict::kUndecided;
  return summary;
}

}  // namespace

std::vector<GateSummary> SummariesOf(const SessionRecord& record) {
  const SessionSnapshot& snapshot = record.snapshot;
  std::vector<GateSummary> summaries;
  if (snapshot.state != SessionState::kDone || !snapshot.report) return summaries;
  if (record.spec.labels.contains(kCalibrationLabel) || record.spec.profile) return summaries;
  for (const Comparison& comparison : snapshot.report->comparisons) {
    if (comparison.role != ComparisonRole::kGate || !comparison.verdict) continue;
    summaries.push_back(SummaryOf(comparison));
  }
  for (const Estimate& estimate : snapshot.report->estimates) {
    if (estimate.asked) summaries.push_back(SummaryOf(estimate));
  }
  for (std::size_t i = 0; i < summaries.size(); ++i) AddSession(record, i, summaries[i]);
  if (!snapshot.report->control_changed) return summaries;
  // The session is undecided, whatever its gates show.
  for (GateSummary& summary : summaries) summary.verdict = Verdict::kUndecided;
  return summaries;
}

}  // namespace benchd
