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

/// What has happened on some CPUs since the machine started; what the kernel does not tell is
/// absent. The difference of two of these is what disturbed the run between them.
struct Disturbances {
  std::optional<std::uint64_t> interrupts;
  std::optional<std::uint64_t> stolen_ticks;  ///< by the host of a virtual machine; USER_HZ
  /// How often a thread other than the idle one came onto a CPU.
  std::optional<std::uint64_t> timeslices;
  std::uint64_t forks = 0;  ///< of the whole machine, threads included
};

/// The files of the kernel that count disturbances, open from the runner's start to its end.
///
/// Reading one costs: proc/stat 7 us on a machine of two CPUs, proc/interrupts 50 us, and both grow
/// with CPUs and devices. So each is read a few times at first; one that costs more than
/// kCheapEnough is left out where the caller cannot afford it. Between runs only, never while a
/// child is measured. Single-threaded.
///
/// Sources: proc_stat(5); Documentation/filesystems/proc.rst, "interrupts";
/// Documentation/scheduler/sched-stats.rst, of a CPU the ninth figure since version 15.
class DisturbanceFiles {
 public:
  explicit DisturbanceFiles(const KernelFiles& files);

  /// Of two readings, before a run and after it.
  static constexpr std::int64_t kCheapEnough = 20'000;  // ns
  /// A file is read for runs that take so many times as long as its two readings do: ½ %, and twice
  /// that or more after a run that has emptied the caches.
  static constexpr std::int64_t kRunsOfReading = 200;

  /// @param cpus       ascending
  /// @param length_ns  how long the run takes, as far as it is known: decides which files are read.
  Disturbances Read(const std::vector<int>& cpus, std::int64_t length_ns) const;

  /// Empty, or why the metric of that name is never to be had here.
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

  static constexpr std::size_t kBufferBytes = 16 * 1024;  // a line of a thousand CPUs
  std::unique_ptr<char[]> buffer_;
  File stat_;
  File interrupts_;
  File schedstat_;
  bool steal_told_ = false;
};

}  // namespace benchd
