#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "daemon/kernel/kernel_files.h"

namespace benchd {

/// Counts of events on some CPUs since boot; absent if the kernel does not report them. The
/// difference between the counts before and after a run shows what disturbed it.
struct Disturbances {
  std::optional<std::uint64_t> interrupts;
  std::optional<std::uint64_t> stolen_ticks;  ///< taken by the host of a virtual machine; USER_HZ
  /// The number of times that a CPU switched to a thread other than the idle thread.
  std::optional<std::uint64_t> timeslices;
  std::uint64_t forks = 0;  ///< of the whole machine, threads included
};

/// The kernel files that count disturbances. They stay open for the runner's lifetime.
///
/// Reading takes time: on a machine with two CPUs 7 us for proc/stat and 50 us for proc/interrupts,
/// and more with more CPUs and devices. The constructor therefore times each file. A file that
/// costs more than kCheapEnough is skipped for short runs (kRunsOfReading). Use between runs only,
/// never while a child is measured. Single-threaded.
///
/// Sources: proc_stat(5); Documentation/filesystems/proc.rst, "interrupts";
/// Documentation/scheduler/sched-stats.rst (the ninth number of each CPU since version 15).
class DisturbanceFiles {
 public:
  explicit DisturbanceFiles(const KernelFiles& files);

  /// The cost of two readings (before and after a run) up to which a file is always read.
  static constexpr std::int64_t kCheapEnough = 20'000;  // ns
  /// A more expensive file is read only for runs that take at least this many times as long as its
  /// two readings. The readings then add 0.5 %, or at least twice that if the run has emptied the
  /// caches.
  static constexpr std::int64_t kRunsOfReading = 200;

  /// Reads the counts.
  /// @param cpus       the CPUs to count on, in ascending order
  /// @param length_ns  expected length of the run; determines which files are read
  Disturbances Read(const std::vector<int>& cpus, std::int64_t length_ns) const;

  /// Returns the reason why this metric is never available on this machine; empty if it is.
  std::string_view WhyNot(std::string_view metric) const;

 private:
  struct File {
    UniqueFd fd;
    std::int64_t cost_ns = 0;  ///< time of two readings
    bool Affordable(std::int64_t length_ns) const {
      return fd && (cost_ns <= kCheapEnough || length_ns >= kRunsOfReading * cost_ns);
    }
  };
  using Reader = void (DisturbanceFiles::*)(const std::vector<int>&, Disturbances&) const;

  void Open(File& file, const KernelFiles& files, std::string_view path, Reader reader);
  template <typename Take>
  void EachLine(const File& file, Take take) const;
  void ReadStat(const std::vector<int>& cpus, Disturbances& found) const;
  void ReadInterrupts(const std::vector<int>& cpus, Disturbances& found) const;
  void ReadTimeslices(const std::vector<int>& cpus, Disturbances& found) const;

  static constexpr std::size_t kBufferBytes = 16 * 1024;  // enough for one line of a thousand CPUs
  std::unique_ptr<char[]> buffer_;
  File stat_;
  File interrupts_;
  File schedstat_;
  bool steal_told_ = false;
};

}  // namespace benchd
