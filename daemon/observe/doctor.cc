#include "daemon/observe/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "daemon/observe/doctor_checks.h"

namespace benchd {
namespace doctor {
namespace {

/// A check, with the name and the weight of its source of noise.
struct WeightedCheck {
  const char* name;
  Check* check;
  /// A rough estimate of the effect on a run's time, in per cent. It determines only the order of
  /// sources without a measured effect.
  int weight;
};

constexpr WeightedCheck kChecks[] = {
    {"other_load", OtherLoad, 100},     // competes for the CPU itself
    {"steal", Steal, 100},              // competes for the CPU, invisible inside the machine
    {"throttling", Throttling, 60},     // at least halves the frequency while it lasts
    {"no_settings", NoSettings, 55},    // none of the settings below is applied
    {"no_isolation", NoIsolation, 50},  // any process may use the CPUs at any time
    {"shared_smt", SharedSmt, 40},      // the other thread takes up to half of a core
    {"shared_cpus", SharedCpus, 35},    // benchd itself runs on the CPUs
    {"mixed_cores", MixedCores, 32},    // a slow core takes 1.5 to 2 times as long
    {"governor", Governor, 30},         // from the lowest to the highest frequency within one run
    {"turbo", Turbo, 20},               // depends on heat and on the load of the other CPUs
    {"interrupts", Interrupts, 10},     // take time and evict caches
    {"virtual_machine", VirtualMachine, 9},  // depends on the host
    {"aslr_off", AslrOff, 8},  // bias of one layout, worse than noise (Mytkowicz et al. 2009)
    {"swap", Swap, 7},         // reading a page back from disk takes milliseconds
    {"c_states", CStates, 5},  // up to about 100 us each time a program waits
    {"competing_daemons", CompetingDaemons, 4},  // undo settings
    {"apt_timers", AptTimers, 3},                // minutes of load, twice a day
    {"clocksource", Clocksource, 2},             // the cost and resolution of the clock
    {"sched_ext", ForeignScheduler, 2},          // depends on its policy
    {"one_cpu", OneCpu, 1},                      // affects only programs with several threads
    {"piled_threads", PiledThreads, 1},          // affects only programs with several threads
};

}  // namespace

const SettingState* FindState(const Patient& patient, std::string_view setting) {
  const auto found =
      std::find_if(patient.settings.begin(), patient.settings.end(),
                   [setting](const SettingState& state) { return state.setting == setting; });
  return found == patient.settings.end() ? nullptr : &*found;
}

bool IsHeld(const Patient& patient, std::string_view setting) {
  const SettingState* state = FindState(patient, setting);
  return state != nullptr && state->held;
}

Remedy RemedyFor(const Patient& patient, const Cure& cure) {
  const std::string by_hand = "by hand: " + cure.by_hand;
  const std::string line(cure.line);
  if (NoSettings(patient)) return {by_hand, false};  // NoSettings reports the reason
  const SettingState* state = FindState(patient, cure.setting);
  if (state == nullptr) {
    return {"set " + line + " in the machine profile; " + by_hand, false};
  }
  if (!cure.value.empty() && state->wanted != cure.value) {
    return {
        "the machine profile has another value ('" + state->wanted + "'): set " + line + " there",
        false};
  }
  if (state->held) return {std::string(cure.when_held), false};
  if (!state->why.empty()) {
    return {"benchd could not set " + state->setting + " (" + state->why + "); " + by_hand, false};
  }
  return {
      "no action needed: a session sets it when it starts; 'benchctl machine apply' sets it now",
      true};
}

// ---- effects measured between the samples ----

namespace {

constexpr std::size_t kNamed = 3;        // number of processes or interrupts that are named
constexpr double kFewestTicks_s = 0.02;  // two ticks; any wake-up can cause a single one
/// The smallest reported share: half of the smallest useful margin on a common machine (1 %).
constexpr double kWorthTelling = 0.005;
/// The smallest reported rate, per second. At about 5 us each, this takes 0.005 % of a CPU.
constexpr double kInterruptsWorthTelling = 10;

CpuChange ChangeOf(const Patient& patient) {
  return benchd::ChangeOf(patient.before, patient.after, patient.cpus.benchmark);
}

/// Returns the busiest other processes, with their shares of the benchmark CPUs' time.
std::string NameBusiest(const Patient& patient, double seconds) {
  std::string text;
  std::size_t named = 0;
  double kernel_s = 0;
  for (const BusyProcess& one :
       BusyProcesses(patient.before, patient.after, patient.cpus.benchmark)) {
    if (one.kernel) kernel_s += one.seconds;
    if (one.kernel || named == kNamed) continue;
    AppendItem(text, ", ",
               fmt::format("{} (pid {}) {}", one.name, one.pid, Percent(one.seconds / seconds)));
    ++named;
  }
  if (kernel_s > 0) AppendItem(text, ", ", "kernel threads " + Percent(kernel_s / seconds));
  return text.empty() ? "processes that have ended" : text;
}

/// The total rate of interrupts per second, and the most frequent ones as text: "210/s by nvme0q1
/// (IRQ 41), 90/s by eth0 (IRQ 33)".
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
  InterruptRates rates{.total = static_cast<double>(sum) / seconds};
  for (std::size_t i = 0; i < std::min(kNamed, rises.size()); ++i) {
    AppendItem(rates.text, ", ",
               RateText(static_cast<double>(rises[i].first) / seconds) + " by " + rises[i].second);
  }
  return rates;
}

}  // namespace

std::optional<Symptom> OtherLoad(const Patient& patient) {
  const CpuChange change = ChangeOf(patient);
  // Interrupts have a separate check.
  const double others_s = change.busy_s - change.irq_s - OwnSeconds(patient.before, patient.after);
  if (others_s < kFewestTicks_s || others_s < kWorthTelling * change.seconds) return {};
  const double share = others_s / change.seconds;
  return Symptom{"other programs used " + Percent(share) + " of " + CpusText(change.cpus) +
                     " in the last " + SecondsText(SecondsBetween(patient.before, patient.after)) +
                     ": " + NameBusiest(patient, change.seconds),
                 {std::string("stop them, or keep them off these CPUs with an isolated cpuset; ") +
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
  return Symptom{
      "the host of this virtual machine took " + Percent(share) +
          " of the benchmark CPUs' time in the last " +
          SecondsText(SecondsBetween(patient.before, patient.after)) + ", " + Percent(since_start) +
          " since boot",
      {"request dedicated CPUs without bursting from the host; no setting inside this machine "
       "helps"},
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
  std::string finding = "devices interrupt " + CpusText(patient.cpus.benchmark) + " at " +
                        RateText(devices.total) +
                        (devices.text.empty() ? "" : " (" + devices.text + ")");
  if (share > 0) {
    const InterruptRates own =
        RatesOf(patient.before.cpu_interrupts, patient.after.cpu_interrupts, seconds);
    finding += "; interrupts of all kinds took " + Percent(share) + " of the time";
    if (!own.text.empty()) finding += ", including those of the CPUs: " + own.text;
  }
  return Symptom{std::move(finding),
                 RemedyFor(patient, {.setting = "irqs",
                                     .line = "irqs = \"housekeeping\"",
                                     .by_hand = "stop irqbalance, then write the housekeeping "
                                                "CPUs into /proc/irq/NUMBER/smp_affinity_list",
                                     .when_held = "the kernel does not move these interrupts "
                                                  "('benchctl machine status' lists them): use "
                                                  "another device, or fewer of its queues"}),
                 share};
}

std::optional<Symptom> Throttling(const Patient& patient) {
  std::uint64_t most = 0;
  std::uint64_t lately = 0;
  int worst = 0;
  // Reports the worst CPU. The sum would be wrong, because all CPUs of a package count the
  // package's events.
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
  return Symptom{
      fmt::format(
          "CPU {} has been slowed down because of heat {} since boot, {} of them in the last {}",
          worst, Counted(most, "time"), lately,
          SecondsText(SecondsBetween(patient.before, patient.after))),
      {"cool the machine better (fans, dust, a lower room temperature), "
       "or set a lower max_frequency_khz in the machine profile"}};
}

}  // namespace doctor

std::vector<NoiseSource> Diagnose(const KernelFiles& files, const ProfileCpus& cpus,
                                  const std::vector<SettingState>& settings,
                                  const MachineSample& before, const MachineSample& after) {
  const doctor::Patient patient{files, cpus, settings, before, after};
  struct Found {
    NoiseSource source;
    bool by_session;
    int weight;
  };
  std::vector<Found> found;
  for (const auto& [name, check, weight] : doctor::kChecks) {
    auto symptom = check(patient);
    if (!symptom) continue;
    auto& [finding, remedy, effect] = *symptom;
    found.push_back({{.name = name,
                      .finding = std::move(finding),
                      .advice = std::move(remedy.advice),
                      .effect = effect > 0 ? std::optional(effect) : std::nullopt},
                     remedy.by_session,
                     weight});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (a.source.effect != b.source.effect) {
      return a.source.effect.value_or(-1) > b.source.effect.value_or(-1);
    }
    if (a.by_session != b.by_session) return b.by_session;
    return a.weight > b.weight;
  });
  std::vector<NoiseSource> sources;
  for (Found& one : found) sources.push_back(std::move(one.source));
  return sources;
}

}  // namespace benchd
