#include <algorithm>
#include <utility>
#include <vector>

#include "daemon/system/doctor_checks.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/sample_change.h"

namespace benchd::doctor {
namespace {

constexpr std::size_t kNamed = 3;        // of processes and interrupts
constexpr double kFewestTicks_s = 0.02;  // two ticks: one may be anybody's wake-up
/// Half of the smallest margin that is worth asking for on a common machine (1 %).
constexpr double kWorthTelling = 0.005;
constexpr double kInterruptsWorthTelling = 10;  // a second; at some 5 us each 0.005 % of a CPU

CpuChange ChangeOf(const Patient& patient) {
  return benchd::ChangeOf(patient.before, patient.after, patient.cpus.benchmark);
}

/// Those of others that used most, as shares of the benchmark CPUs' time.
std::string NameBusiest(const Patient& patient, double seconds) {
  std::string text;
  std::size_t named = 0;
  double kernel_s = 0;
  for (const BusyProcess& one :
       BusyProcesses(patient.before, patient.after, patient.cpus.benchmark)) {
    if (one.kernel) kernel_s += one.seconds;
    if (one.kernel || named == kNamed) continue;
    AppendItem(
        text, ", ",
        one.name + " (pid " + std::to_string(one.pid) + ") " + Percent(one.seconds / seconds));
    ++named;
  }
  if (kernel_s > 0) AppendItem(text, ", ", "kernel threads " + Percent(kernel_s / seconds));
  return text.empty() ? "by processes that have ended" : text;
}

/// "210/s by nvme0q1 (IRQ 41), 90/s by eth0 (IRQ 33)", the most frequent ones, and how many there
/// are a second in all.
struct InterruptRates {
  double total = 0;
  std::string text;
};
using Counts = std::map<std::string, std::uint64_t>;
InterruptRates RatesOf(const Counts& before, const Counts& after, double seconds) {
  std::vector<std::pair<std::uint64_t, std::string>> rises;
  std::uint64_t sum = 0;
  for (const auto& [name, count] : after) {
    const auto from = before.find(name);
    if (from == before.end()) continue;
    const std::uint64_t rise = Rise(from->second, count);
    sum += rise;
    if (rise > 0) rises.emplace_back(rise, name);
  }
  std::stable_sort(rises.begin(), rises.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  InterruptRates rates{.total = static_cast<double>(sum) / seconds, .text = {}};
  for (std::size_t i = 0; i < std::min(kNamed, rises.size()); ++i) {
    AppendItem(rates.text, ", ",
               RateText(static_cast<double>(rises[i].first) / seconds) + " by " + rises[i].second);
  }
  return rates;
}

}  // namespace

std::optional<Symptom> OtherLoad(const Patient& patient) {
  const CpuChange change = ChangeOf(patient);
  // Interrupts are told by themselves.
  const double others_s = change.busy_s - change.irq_s - OwnSeconds(patient.before, patient.after);
  if (others_s < kFewestTicks_s || others_s < kWorthTelling * change.seconds) return {};
  const double share = others_s / change.seconds;
  return Symptom{
      "others used " + Percent(share) + " of " + CpusText(change.cpus) + " in the last " +
          SecondsText(SecondsBetween(patient.before, patient.after)) + ": " +
          NameBusiest(patient, change.seconds),
      {std::string("end them, or keep them on the other CPUs: an isolated cpuset does; ") +
       kGateOnCpuTime},
      share};
}

std::optional<Symptom> Steal(const Patient& patient) {
  const CpuChange change = ChangeOf(patient);
  const double share = change.seconds > 0 ? change.steal_s / change.seconds : 0;
  double since_start = 0;
  double total = 0;
  for (const auto& [cpu, counters] : patient.after.cpus) {
    since_start += static_cast<double>(counters.steal_ticks);
    total += static_cast<double>(counters.total_ticks);
  }
  since_start = total > 0 ? since_start / total : 0;
  if (share <= 0 && since_start < kWorthTelling) return {};
  return Symptom{"the host of this virtual machine took " + Percent(share) +
                     " of the benchmark CPUs' time in the last " +
                     SecondsText(SecondsBetween(patient.before, patient.after)) + ", " +
                     Percent(since_start) + " since the start",
                 {"ask the host for CPUs that nobody else has (dedicated ones, no bursting); "
                  "nothing inside this machine helps"},
                 share};
}

std::optional<Symptom> Interrupts(const Patient& patient) {
  const CpuChange change = ChangeOf(patient);
  const double seconds = SecondsBetween(patient.before, patient.after);
  if (seconds <= 0) return {};
  const InterruptRates devices =
      RatesOf(patient.before.interrupts, patient.after.interrupts, seconds);
  const double share = change.seconds > 0 ? change.irq_s / change.seconds : 0;
  if (devices.total < kInterruptsWorthTelling && share < kWorthTelling) return {};
  std::string finding = "devices interrupt " + CpusText(patient.cpus.benchmark) + " " +
                        RateText(devices.total) +
                        (devices.text.empty() ? "" : " (" + devices.text + ")");
  if (share > 0) {
    const InterruptRates own =
        RatesOf(patient.before.cpu_interrupts, patient.after.cpu_interrupts, seconds);
    finding += "; interrupts of all kinds took " + Percent(share) + " of the time";
    if (!own.text.empty()) finding += ", with the CPUs' own: " + own.text;
  }
  return Symptom{std::move(finding),
                 RemedyFor(patient, {.setting = "irqs",
                                     .line = "irqs = \"housekeeping\"",
                                     .by_hand = "stop irqbalance, then write the housekeeping "
                                                "CPUs into /proc/irq/NUMBER/smp_affinity_list",
                                     .when_held = "the kernel keeps these where they are "
                                                  "('benchctl machine status' lists them): use "
                                                  "another device, or fewer of its queues"}),
                 share};
}

std::optional<Symptom> Throttling(const Patient& patient) {
  std::uint64_t most = 0;
  std::uint64_t lately = 0;
  int worst = 0;
  // A package's event is counted by each of its CPUs: the worst CPU is told, not the sum.
  for (const int cpu : patient.cpus.benchmark) {
    const auto to = patient.after.cpus.find(cpu);
    if (to == patient.after.cpus.end() || to->second.throttled.value_or(0) <= most) continue;
    most = *to->second.throttled;
    worst = cpu;
    const auto from = patient.before.cpus.find(cpu);
    const bool known = from != patient.before.cpus.end() && from->second.throttled;
    lately = known ? Rise(*from->second.throttled, most) : 0;
  }
  if (most == 0) return {};
  return Symptom{"CPU " + std::to_string(worst) + " has been slowed down for heat " +
                     std::to_string(most) + (most == 1 ? " time" : " times") +
                     " since the start, " + std::to_string(lately) + " of them in the last " +
                     SecondsText(SecondsBetween(patient.before, patient.after)),
                 {"cool the machine better (fans, dust, a lower room temperature), "
                  "or put a lower max_frequency_khz into the machine profile"}};
}

}  // namespace benchd::doctor
