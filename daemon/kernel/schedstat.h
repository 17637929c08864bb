#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace benchd {

/// A line of proc/schedstat, which does not exist without CONFIG_SCHEDSTATS. The text must outlive
/// this object.
///
/// Source: the kernel's Documentation/scheduler/sched-stats.rst, "CPU statistics". Since version
/// 15, a CPU's line has nine numbers.
class SchedstatLine {
 public:
  explicit SchedstatLine(std::string_view line);

  /// Returns true for the file's first line, "version 15".
  bool IsVersion() const { return name_ == "version"; }
  /// Returns true if the lines of such a version have the numbers below.
  bool IsSupportedVersion() const;

  /// Returns the CPU that the line describes; empty for any other line.
  std::optional<int> cpu() const;
  /// Returns the "sum of all time spent waiting to run by tasks on this processor". The unit is
  /// documented since version 17, but it is nanoseconds in all versions (rq_sched_info.run_delay).
  std::optional<std::uint64_t> waited_ns() const;
  /// Returns the "# of timeslices run on this cpu": the number of times that the CPU switched to a
  /// thread other than the idle thread.
  std::optional<std::uint64_t> timeslices() const;

 private:
  std::string_view figures_;
  std::string_view name_;
};

}  // namespace benchd
