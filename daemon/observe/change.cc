#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/observe/sample.h"

namespace benchd {
namespace {

double TickSeconds() {
  const long ticks_per_second = sysconf(_SC_CLK_TCK);
  return 1.0 / static_cast<double>(ticks_per_second > 0 ? ticks_per_second : 100);
}

double Seconds(std::uint64_t ticks) { return static_cast<double>(ticks) * TickSeconds(); }

/// Returns an upper bound of the standard error of the busy time. The kernel checks at each tick
/// whether the CPU is busy. If a share p of `total` ticks is busy, the standard deviation of the
/// binomial distribution is sqrt(total p (1 - p)). The kernel ticks HZ times per second, and HZ is
/// at least USER_HZ.
double BusyError(std::uint64_t busy, std::uint64_t total) {
  if (total == 0) return 0;
  const double share = std::min(1.0, static_cast<double>(busy) / static_cast<double>(total));
  return std::sqrt(static_cast<double>(total) * share * (1 - share)) * TickSeconds();
}

/// Returns the ticks of a process since `before`; all its ticks if it did not exist then.
std::uint64_t NewTicks(const MachineSample& before, std::int32_t pid,
                       const ProcessCounters& process) {
  const auto found = before.processes.find(pid);
  if (found == before.processes.end() || found->second.started_ticks != process.started_ticks) {
    return process.busy_ticks;
  }
  return Rise(found->second.busy_ticks, process.busy_ticks);
}

}  // namespace

CpuChange ChangeOf(const MachineSample& before, const MachineSample& after,
                   const std::vector<int>& cpus) {
  CpuChange change;
  double variance = 0;
  for (const int cpu : cpus) {
    const auto from = before.cpus.find(cpu);
    const auto to = after.cpus.find(cpu);
    if (from == before.cpus.end() || to == after.cpus.end()) continue;
    const std::uint64_t total = Rise(from->second.total_ticks, to->second.total_ticks);
    if (total == 0) continue;
    const std::uint64_t busy = Rise(from->second.busy_ticks, to->second.busy_ticks);
    change.cpus.push_back(cpu);
    change.seconds += Seconds(total);
    change.busy_s += Seconds(busy);
    change.irq_s += Seconds(Rise(from->second.irq_ticks, to->second.irq_ticks));
    change.steal_s += Seconds(Rise(from->second.steal_ticks, to->second.steal_ticks));
    variance += std::pow(BusyError(busy, total), 2);
  }
  change.busy_error_s = std::sqrt(variance);
  return change;
}

double SecondsBetween(const MachineSample& before, const MachineSample& after) {
  return after.at_ns > before.at_ns ? static_cast<double>(after.at_ns - before.at_ns) * 1e-9 : 0;
}

double OwnSeconds(const MachineSample& before, const MachineSample& after) {
  return static_cast<double>(
             std::max<std::int64_t>(0, after.own_children_us - before.own_children_us)) *
         1e-6;
}

std::vector<BusyProcess> BusyProcesses(const MachineSample& before, const MachineSample& after,
                                       const std::vector<int>& cpus) {
  std::vector<BusyProcess> busy;
  for (const auto& [pid, process] : after.processes) {
    if (std::find(cpus.begin(), cpus.end(), process.cpu) == cpus.end()) continue;
    const std::uint64_t ticks = NewTicks(before, pid, process);
    if (ticks > 0) busy.push_back({pid, process.name, Seconds(ticks), process.kernel});
  }
  std::stable_sort(busy.begin(), busy.end(), [](const BusyProcess& a, const BusyProcess& b) {
    return a.seconds > b.seconds;
  });
  return busy;
}

namespace {

/// The threshold for a change of the frequency. The kernel reports a short-term average, which
/// fluctuates. One hardware step (100 MHz) is 2.5 % of 4 GHz and 5 % of 2 GHz. A larger change
/// means a different frequency, and exceeds the default margin of 2 %.
constexpr double kFrequencyChange = 0.05;
/// The threshold for stolen time: half of the default margin. In a session of one second, which has
/// a hundred ticks, two stolen ticks exceed it.
constexpr double kStealShare = 0.01;
/// The thresholds for the time of other programs: the default margin, but at least 100 ms. A
/// shorter time is less than ten ticks, which a few wake-ups of kernel threads can cause.
constexpr double kOthersShare = 0.02;
constexpr double kOthersSeconds = 0.1;
/// A third threshold for the time of other programs, in standard deviations of the tick-based
/// counting. With three standard deviations, one quiet session in 740 gets a false warning (the
/// upper tail of the normal distribution). At 90 % load on one CPU, this is 2.8 % of 10 s, which
/// exceeds kOthersShare, and 0.4 % of 10 minutes.
constexpr double kTickErrors = 3;
/// The threshold for the waiting time of threads. Kernel threads wait briefly whenever they wake up
/// on the CPU of a busy program: a hundred waits of 0.2 ms per second are 2 %. Two busy threads on
/// one CPU cause 100 %.
constexpr double kWaitedShare = 0.05;

/// Two samples, the CPUs in use, and the time between the samples.
struct Interval {
  const MachineSample& before;
  const MachineSample& after;
  const std::vector<int>& used;
  double elapsed_s;
};

/// Returns the counters of a used CPU in both samples; empty if either is missing.
std::optional<std::pair<const CpuCounters*, const CpuCounters*>> BothEnds(const Interval& interval,
                                                                          int cpu) {
  const auto from = interval.before.cpus.find(cpu);
  const auto to = interval.after.cpus.find(cpu);
  if (from == interval.before.cpus.end() || to == interval.after.cpus.end()) return {};
  return std::pair(&from->second, &to->second);
}

/// Reports the CPU whose frequency changed most.
std::optional<std::string> Frequency(const Interval& interval) {
  double most = kFrequencyChange;
  std::optional<std::string> message;
  for (const int cpu : interval.used) {
    const auto ends = BothEnds(interval, cpu);
    if (!ends) continue;
    const auto start_khz = ends->first->frequency_khz;
    const auto end_khz = ends->second->frequency_khz;
    if (!start_khz || !end_khz || *start_khz == 0) continue;
    const double start = static_cast<double>(*start_khz);
    const double change = std::abs(static_cast<double>(*end_khz) - start) / start;
    if (change <= most) continue;
    most = change;
    message = fmt::format(
        "CPU {} ran at {} at the start and at {} at the end: fix its frequency with governor and "
        "boost in the machine profile ('benchctl machine status' lists the settings in effect)",
        cpu, FrequencyText(*start_khz), FrequencyText(*end_khz));
  }
  return message;
}

/// Reports the CPU that was throttled most often. The sum would be wrong, because all CPUs of a
/// package count the package's events.
std::optional<std::string> Throttling(const Interval& interval) {
  std::uint64_t most = 0;
  int worst = 0;
  for (const int cpu : interval.used) {
    const auto ends = BothEnds(interval, cpu);
    if (!ends || !ends->first->throttled || !ends->second->throttled) continue;
    const std::uint64_t times = Rise(*ends->first->throttled, *ends->second->throttled);
    if (times <= most) continue;
    most = times;
    worst = cpu;
  }
  if (most == 0) return {};
  return fmt::format(
      "CPU {} was slowed down because of heat {} while the session ran: cool the machine better, "
      "or lower max_frequency_khz in the machine profile",
      worst, Counted(most, "time"));
}

std::optional<std::string> Steal(const Interval& interval) {
  const CpuChange change = ChangeOf(interval.before, interval.after, interval.used);
  if (change.seconds <= 0 || change.steal_s <= kStealShare * change.seconds) return {};
  return "the host of this virtual machine stole " + Percent(change.steal_s / change.seconds) +
         " of CPU time on " + CpusText(change.cpus) +
         ": use dedicated CPUs, or repeat the session when the host is less busy";
}

/// Returns the busiest programs, as far as they are known: "stress (pid 42) used 1.20 s, kernel
/// threads used 80 ms".
std::string Culprits(const Interval& interval, const std::vector<int>& cpus) {
  const auto busy = BusyProcesses(interval.before, interval.after, cpus);
  const auto worst =
      std::find_if(busy.begin(), busy.end(), [](const BusyProcess& one) { return !one.kernel; });
  double kernel_s = 0;
  for (const BusyProcess& one : busy) kernel_s += one.kernel ? one.seconds : 0;
  std::string text;
  if (worst != busy.end()) {
    text = fmt::format("{} (pid {}) used {}", worst->name, worst->pid, SecondsText(worst->seconds));
  }
  if (kernel_s > 0) {
    const auto thread =
        std::find_if(busy.begin(), busy.end(), [](const BusyProcess& one) { return one.kernel; });
    text += std::string(text.empty() ? "" : ", ") + "kernel threads used " + SecondsText(kernel_s) +
            " (mainly " + thread->name + ")";
  }
  return text.empty() ? "processes that have ended" : text;
}

std::optional<std::string> OtherProcess(const Interval& interval) {
  const CpuChange change = ChangeOf(interval.before, interval.after, interval.used);
  const double others_s = change.busy_s - OwnSeconds(interval.before, interval.after);
  const double limit = std::max(
      {kOthersShare * interval.elapsed_s, kOthersSeconds, kTickErrors * change.busy_error_s});
  if (interval.elapsed_s <= 0 || others_s <= limit) return {};
  std::string text = "other programs used " + SecondsText(others_s) + " of CPU time on " +
                     CpusText(change.cpus) + " in " + SecondsText(interval.elapsed_s) + ": " +
                     Culprits(interval, change.cpus);
  if (change.irq_s > others_s / 10) text += ", interrupts " + SecondsText(change.irq_s);
  return text + "; stop them or move them to other CPUs";
}

std::optional<std::string> Contention(const Interval& interval) {
  double waited_s = 0;
  std::vector<int> cpus;
  for (const int cpu : interval.used) {
    const auto ends = BothEnds(interval, cpu);
    if (!ends || !ends->first->waited_ns || !ends->second->waited_ns) continue;
    waited_s += static_cast<double>(Rise(*ends->first->waited_ns, *ends->second->waited_ns)) * 1e-9;
    cpus.push_back(cpu);
  }
  const double had_s = interval.elapsed_s * static_cast<double>(cpus.size());
  if (had_s <= 0 || waited_s <= kWaitedShare * had_s) return {};
  return "there were more runnable threads than CPUs: threads on " + CpusText(cpus) +
         " waited for " + SecondsText(waited_s) + ", " + Percent(waited_s / had_s) +
         " of the time; use fewer threads or more CPUs (--cpus)";
}

}  // namespace

std::vector<Warning> CompareSamples(const MachineSample& before, const MachineSample& after,
                                    const std::vector<int>& used) {
  const Interval interval{before, after, used, SecondsBetween(before, after)};
  std::vector<Warning> warnings;
  const auto add = [&warnings](WarningCode code, std::optional<std::string> message) {
    if (message) warnings.push_back(MakeWarning(code, *std::move(message)));
  };
  add("frequency", Frequency(interval));
  add("throttling", Throttling(interval));
  add("steal", Steal(interval));
  add("other_process", OtherProcess(interval));
  add("contention", Contention(interval));
  return warnings;
}

}  // namespace benchd
