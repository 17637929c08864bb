#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace benchd {

/// The columns of a CPU in proc/stat. The columns user and nice already include the time of
/// virtual machines that run on this CPU.
enum TickColumn : std::size_t {
  kUserTicks,
  kNiceTicks,
  kSystemTicks,
  kIdleTicks,
  kIoWaitTicks,
  kIrqTicks,
  kSoftIrqTicks,
  kStealTicks,  ///< taken by the host of a virtual machine
  kTickColumns
};

/// The time of a CPU since boot, by TickColumn. A tick is 1/USER_HZ, which is 10 ms on nearly all
/// machines (sysconf(_SC_CLK_TCK)). Columns that are missing or malformed are empty.
using CpuTicks = std::array<std::optional<std::uint64_t>, kTickColumns>;

/// A line of proc/stat, such as "cpu3 100 0 20 ..." or "processes 4711". Parses only what is asked
/// for, because some lines have thousands of numbers. The text must outlive this object.
///
/// Source: proc_stat(5).
class StatLine {
 public:
  explicit StatLine(std::string_view line);

  /// Returns true for the line with the sum of all CPUs.
  bool IsOfAllCpus() const { return name_ == "cpu"; }
  /// Returns the CPU that the line describes; empty for any other line.
  std::optional<int> cpu() const;
  CpuTicks ticks() const;

  /// Returns true for the line with the number of forks.
  bool IsOfForks() const { return name_ == "processes"; }
  /// Returns the number of processes and threads that were created since boot.
  std::uint64_t forks() const;

 private:
  std::string_view figures_;
  std::string_view name_;
};

}  // namespace benchd
