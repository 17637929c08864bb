#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/base/cpu_list.h"
#include "core/model/machine_profile.h"
#include "daemon/kernel/cgroup.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/topology.h"
#include "daemon/observe/doctor_checks.h"

namespace benchd::doctor {
namespace {

using Cpus = std::vector<int>;

/// The threads of the cores that the benchmark CPUs belong to, by their use.
struct SiblingSets {
  Cpus outside;     ///< threads that are not benchmark CPUs, although work on them slows runs down
  Cpus used_twice;  ///< threads of cores on which children may run on both threads
  Cpus unused;      ///< threads that benchd leaves idle
};

SiblingSets FindSiblings(const Patient& patient) {
  SiblingSets siblings;
  const auto topology = ReadTopology(patient.files);
  if (!topology) return siblings;
  const auto append = [](Cpus& to, const Cpus& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  for (const PhysicalCore& core : topology->cores) {
    const Cpus used = CpusInBoth(core.cpus, patient.cpus.used);
    if (used.empty() || core.cpus.size() < 2) continue;
    append(siblings.outside, CpusWithout(core.cpus, patient.cpus.benchmark));
    append(siblings.unused, CpusWithout(CpusInBoth(core.cpus, patient.cpus.benchmark), used));
    if (used.size() > 1) append(siblings.used_twice, used);
  }
  for (Cpus* cpus : {&siblings.outside, &siblings.used_twice, &siblings.unused}) {
    std::sort(cpus->begin(), cpus->end());
  }
  return siblings;
}

std::optional<bool> TurboIsOn(const Patient& patient) {
  // Since Linux 6.11, a CPU may have a separate switch, which takes precedence.
  std::string boost = patient.files.Text(paths::kBoost);
  for (const int cpu : patient.cpus.benchmark) {
    const std::string own = patient.files.Text(CpuFile(cpu, paths::kCpuBoost));
    if (!own.empty()) boost = own;
    if (own == "1") break;
  }
  if (!boost.empty()) return boost == "1";
  const std::string no_turbo = patient.files.Text(paths::kNoTurbo);
  if (no_turbo.empty()) return {};
  return no_turbo == "0";
}

std::optional<std::uint64_t> Khz(const Patient& patient, std::string_view pattern) {
  if (patient.cpus.benchmark.empty()) return {};
  return patient.files.Count(CpuFile(patient.cpus.benchmark.front(), pattern));
}

struct IdleState {
  std::string name;
  std::uint64_t latency_us = 0;
};

/// Returns the enabled idle state of a CPU with the longest exit latency.
/// Source: Documentation/admin-guide/pm/cpuidle.rst, "Representation of Idle States".
IdleState DeepestState(const Patient& patient, int cpu) {
  IdleState deepest;
  const std::string folder = CpuFile(cpu, paths::kIdleStates);
  for (const std::string& state : patient.files.List(folder)) {
    const std::string path = folder + "/" + state + "/";
    if (patient.files.Text(path + paths::kIdleStateDisabled) == "1") continue;
    const auto latency_us = patient.files.Count(path + paths::kIdleStateLatency);
    if (!latency_us || *latency_us < deepest.latency_us) continue;
    deepest = {Printable(patient.files.Text(path + paths::kIdleStateName)), *latency_us};
  }
  return deepest;
}

}  // namespace

std::optional<Symptom> NoSettings(const Patient& patient) {
  if (patient.settings.empty()) return {};
  const bool none =
      std::all_of(patient.settings.begin(), patient.settings.end(),
                  [](const SettingState& state) { return !state.held && !state.why.empty(); });
  if (!none) return {};
  const SettingState* cpuset = FindState(patient, "cpuset");
  const SettingState& told = cpuset != nullptr ? *cpuset : patient.settings.front();
  return Symptom{fmt::format("benchd cannot apply any of the {} settings here: {}",
                             patient.settings.size(), told.why),
                 {std::string("use the system's benchd (systemctl enable --now benchd.socket); ") +
                  kGateOnCpuTime}};
}

std::optional<Symptom> NoIsolation(const Patient& patient) {
  if (IsHeld(patient, "cpuset")) return {};
  const SettingState* state = FindState(patient, "cpuset");
  const std::string finding =
      "other programs may run on " + CpusText(patient.cpus.benchmark) +
      (state != nullptr && !state->actual.empty() ? " (cpuset: " + state->actual + ")" : "");
  const std::string version1 = WhyVersion1(patient.files, "cpuset");
  if (!version1.empty()) {
    return Symptom{finding,
                   {version1 + "; limits on a run's memory and processes also require this"}};
  }
  const std::string housekeeping = FormatCpuList(patient.cpus.housekeeping);
  return Symptom{
      finding,
      RemedyFor(patient, {.setting = "cpuset",
                          .line = "cpuset = \"auto\"",
                          .by_hand = "systemctl set-property --runtime system.slice AllowedCPUs=" +
                                     housekeeping + ", and likewise user.slice and init.scope"})};
}

std::optional<Symptom> SharedSmt(const Patient& patient) {
  const SiblingSets siblings = FindSiblings(patient);
  if (!siblings.outside.empty()) {
    return Symptom{CpusText(siblings.outside) + (siblings.outside.size() == 1 ? " is" : " are") +
                       " on the same cores as benchmark CPUs, but not in benchmark_cpus: work "
                       "there takes up to half of a core",
                   {"list whole cores in benchmark_cpus; 'lscpu --extended' shows the "
                    "cores"}};
  }
  const Cure cure{.setting = "smt",
                  .line = "smt = \"idle\"",
                  .by_hand = std::string("echo off > /") + paths::kSmtControl};
  if (!siblings.used_twice.empty()) {
    return Symptom{"programs may run on both threads of a core (" + CpusText(siblings.used_twice) +
                       ") and slow each other down",
                   RemedyFor(patient, cure)};
  }
  if (siblings.unused.empty() || IsHeld(patient, "smt") || IsHeld(patient, "cpuset")) return {};
  return Symptom{"the second threads of the benchmark cores (" + CpusText(siblings.unused) +
                     ") are unused by benchd, but other programs may run on them",
                 RemedyFor(patient, cure)};
}

std::optional<Symptom> Turbo(const Patient& patient) {
  if (!TurboIsOn(patient).value_or(false)) return {};
  std::string finding = "turbo is on: the frequency depends on heat and on the number of busy CPUs";
  const auto highest_khz = Khz(patient, paths::kHighestFrequency);
  const auto base_khz = Khz(patient, paths::kBaseFrequency);
  if (highest_khz && base_khz) {
    finding += ", between " + FrequencyText(*base_khz) + " and " + FrequencyText(*highest_khz);
  } else if (highest_khz) {
    finding += ", up to " + FrequencyText(*highest_khz);
  }
  const bool intel = patient.files.Exists(paths::kNoTurbo);
  return Symptom{std::move(finding),
                 RemedyFor(patient, {.setting = "boost",
                                     .line = "boost = \"off\"",
                                     .by_hand = std::string(intel ? "echo 1 > /" : "echo 0 > /") +
                                                (intel ? paths::kNoTurbo : paths::kBoost),
                                     .value = "off"})};
}

std::optional<Symptom> Governor(const Patient& patient) {
  std::map<std::string, Cpus> others;
  for (const int cpu : patient.cpus.benchmark) {
    const std::string governor = patient.files.Text(CpuFile(cpu, paths::kGovernor));
    if (!governor.empty() && governor != "performance") others[governor].push_back(cpu);
  }
  if (others.empty()) return {};
  std::string finding = "the frequency depends on the load:";
  for (const auto& [governor, cpus] : others) {
    finding += (finding.ends_with(':') ? " governor " : ", ") + Printable(governor) + " on " +
               CpusText(cpus);
  }
  return Symptom{
      std::move(finding),
      RemedyFor(patient, {.setting = "governor",
                          .line = "governor = \"performance\"",
                          .by_hand = "cpupower -c " + FormatCpuList(patient.cpus.benchmark) +
                                     " frequency-set -g performance",
                          .value = "performance"})};
}

std::optional<Symptom> CStates(const Patient& patient) {
  if (IsHeld(patient, "c_states")) return {};
  const auto limit_us = static_cast<std::uint64_t>(MachineProfile{}.c_state_latency_us.value_or(0));
  IdleState deepest;
  int worst = 0;
  for (const int cpu : patient.cpus.benchmark) {
    IdleState state = DeepestState(patient, cpu);
    if (state.latency_us <= deepest.latency_us) continue;
    deepest = std::move(state);
    worst = cpu;
  }
  if (deepest.latency_us <= limit_us) return {};
  const std::string line = fmt::format("c_state_latency_us = {}", limit_us);
  return Symptom{
      fmt::format("CPU {} may enter {}, which takes {} us to leave: a program that waits may "
                  "resume that much later",
                  worst, deepest.name.empty() ? "a sleep state" : deepest.name, deepest.latency_us),
      RemedyFor(patient, {.setting = "c_states",
                          .line = line,
                          .by_hand = fmt::format("cpupower idle-set -D {}", limit_us)})};
}

}  // namespace benchd::doctor
