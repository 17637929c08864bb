#include "daemon/system/sample_change.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace benchd {
namespace {

double TickSeconds() {
  const long ticks_per_second = sysconf(_SC_CLK_TCK);
  return 1.0 / static_cast<double>(ticks_per_second > 0 ? ticks_per_second : 100);
}

double Seconds(std::uint64_t ticks) { return static_cast<double>(ticks) * TickSeconds(); }

/// By ticks the kernel looks now and then whether the CPU is busy: `total` looks of which a share p
/// finds it so are off by sqrt(total p (1 - p)), the binomial distribution's standard deviation.
/// It looks HZ times a second, which is USER_HZ at least: the error is this or less.
double BusyError(std::uint64_t busy, std::uint64_t total) {
  if (total == 0) return 0;
  const double share = std::min(1.0, static_cast<double>(busy) / static_cast<double>(total));
  return std::sqrt(static_cast<double>(total) * share * (1 - share)) * TickSeconds();
}

/// The ticks since `before`; all of them for a process that was not there then.
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

}  // namespace benchd
