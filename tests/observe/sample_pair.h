#pragma once

#include <unistd.h>

#include <string>

#include "daemon/observe/sample.h"

namespace benchd {

/// Two hand-made samples, some seconds apart, on CPUs without any activity yet.
struct SamplePair {
  explicit SamplePair(const std::vector<int>& cpus, double elapsed_s = 10) : elapsed(elapsed_s) {
    after.at_ns = static_cast<std::int64_t>(elapsed_s * 1e9);
    for (const int cpu : cpus) {
      before.cpus[cpu].total_ticks = 1000;
      after.cpus[cpu].total_ticks = 1000 + Ticks(elapsed_s);
    }
  }

  static std::uint64_t Ticks(double seconds) {
    return static_cast<std::uint64_t>(seconds * static_cast<double>(sysconf(_SC_CLK_TCK)) + 0.5);
  }

  void Busy(int cpu, double seconds) { after.cpus[cpu].busy_ticks += Ticks(seconds); }
  void Interrupted(int cpu, double seconds) {
    Busy(cpu, seconds);
    after.cpus[cpu].irq_ticks += Ticks(seconds);
  }
  void Stolen(int cpu, double seconds) { after.cpus[cpu].steal_ticks += Ticks(seconds); }
  void Waited(int cpu, double seconds) {
    before.cpus[cpu].waited_ns = 5;
    after.cpus[cpu].waited_ns = 5 + static_cast<std::uint64_t>(seconds * 1e9);
  }
  void Throttled(int cpu, std::uint64_t from, std::uint64_t to) {
    before.cpus[cpu].throttled = from;
    after.cpus[cpu].throttled = to;
  }
  void Frequency(int cpu, std::uint64_t from_khz, std::uint64_t to_khz) {
    before.cpus[cpu].frequency_khz = from_khz;
    after.cpus[cpu].frequency_khz = to_khz;
  }
  /// Adds CPU time of our own children.
  void Own(double seconds) {
    after.own_children_us += static_cast<std::int64_t>(seconds * 1e6 + 0.5);
  }
  /// Adds a process that exists in both samples.
  void Process(std::int32_t pid, const std::string& name, int cpu, double seconds,
               bool kernel = false) {
    ProcessCounters process{
        .name = name, .busy_ticks = 500, .started_ticks = 77, .cpu = cpu, .kernel = kernel};
    before.processes[pid] = process;
    process.busy_ticks += Ticks(seconds);
    after.processes[pid] = process;
  }

  double elapsed;
  MachineSample before;
  MachineSample after;
};

}  // namespace benchd
