#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "daemon/system/kernel_files.h"

namespace benchd {

/// Counts of events on some CPUs since boot; those that the kernel does not report are absent. The
/// difference of two of these shows what disturbed the run between them.
struct Disturbances {
  std::optional<std::uint64_t> interrupts;
  std::optional<std::uint64_t> stolen_ticks;  ///< by the host of a virtual machine; USER_HZ
  /// Number of times that a thread other than the idle thread was scheduled onto a CPU.
  std::optional<std::uint64_t> timeslices;
  std::uint64_t forks = 0;  ///< of the whole machine, threads included
};

/// The kernel files that count disturbances, open for the runner's lifetime.
///
/// Reading one has a cost: 7 us for proc/stat on a machine of two CPUs and 50 us for
/// proc/interrupts, more with more CPUs and devices. The constructor therefore times each file. A
/// file that costs more than kCheapEnough is skipped for runs that are too short for it. Use
/// between runs only, never while a child is measured. Single-threaded.
///
/// Sources: proc_stat(5); Documentation/filesystems/proc.rst, "interrupts";
/// Documentation/scheduler/sched-stats.rst, the ninth figure of a CPU since version 15.
class DisturbanceFiles {
 public:
  explicit DisturbanceFiles(const KernelFiles& files);

  /// The cost of two readings, before a run and after it.
  static constexpr std::int64_t kCheapEnough = 20'000;  // ns
  /// A file is read for runs that take at least this many times as long as its two readings. The
  /// readings then cost 0.5 %, or at least twice that after a run that has emptied the caches.
  static constexpr std::int64_t kRunsOfReading = 200;

  /// @param cpus       ascending
  /// @param length_ns  expected length of the run; decides which files are read
  Disturbances Read(const std::vector<int>& cpus, std::int64_t length_ns) const;

  /// Empty, or why this metric is never available on this machine.
  std::string_view WhyNot(std::string_view metric) const;

 private:
  struct File {
    UniqueFd fd;
    std::int64_t cost_ns = 0;  ///< of two readings
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
