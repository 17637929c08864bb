#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <span>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/split_mix.h"
#include "core/model/profile.h"
#include "daemon/launch/event_loop.h"
#include "daemon/launch/perf_counters.h"
#include "daemon/launch/profile_file.h"
#include "daemon/launch/sample_buffer.h"
#include "daemon/wire/profile_stream.h"

namespace benchd {

/// A function that puts the records of `event` into the buffer of `owner`
/// (PERF_EVENT_IOC_SET_OUTPUT). Returns whether that was possible. Tests replace it.
using ShareSampleBuffer = std::function<bool(int event, int owner)>;
bool ShareBuffer(int event, int owner);

/// Samples the runs of a child, one after another: which functions a process and its descendants
/// execute, from execve on, in user mode only.
///
/// The events are opened while the child waits at its gate, as for PerfCounters, and write into one
/// buffer for each CPU that the child may use. (The kernel refuses a buffer to an event that is
/// inherited and not bound to a CPU.) While the child runs, the event loop moves full halves of the
/// buffers to a file in memory, which benchd-helper reads as the caller after the run.
///
/// The first sample of a thread on a CPU follows a whole period of its CPU time there. Threads and
/// processes that are shorter are never sampled.
///
/// Each run has a period of its own, near the nominal one. With the same period, a program that
/// does the same in every run would be sampled at the same points of all runs. The share of a
/// function of 0.5 ms would then depend on where it lies between two samples. (A function with 4.6
/// % of a run of 11 ms had 5.4 to 9.8 % of the samples at 1 kHz, depending on the length of the
/// work before it, with standard errors of 0.3 %.)
class Profiler final : public EventSink {
 public:
  /// @param loop  empties the buffers while the child runs; nullptr: only Stop() does
  Profiler(EventLoop* loop, const PerfSupport& support, ShareSampleBuffer share = ShareBuffer);
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Opens the events for a process that has not reached execve, after Close(). CPUs that are
  /// offline are left out, and so are events that the CPUs do not have. If the process is dead,
  /// does nothing.
  ///
  /// @param pid  0: this process, to find out whether sampling is possible
  /// @errors kFailedPrecondition if the kernel does not let this user sample programs;
  ///         kInvalidArgument for a frequency out of range; kResourceExhausted if there is no
  ///         memory for the buffers
  Result<void> Open(const Profile& profile, pid_t pid, std::span<const int> cpus);

  /// Collects the remaining records and closes the events. Call this when the process and its
  /// descendants have ended.
  void Stop();

  /// Returns the stream of the run (wire/profile_stream.h), rewound to its start. Requires Stop().
  ///
  /// @param cpu_us  the CPU time of the run
  /// @errors kFailedPrecondition if the kernel did not sample the program
  Result<UniqueFd> Take(std::int64_t cpu_us);

  /// Closes the events and drops what they recorded.
  void Close();

 private:
  /// The events on one CPU. The first one owns the buffer.
  struct CpuEvents {
    UniqueFd clock;
    std::vector<UniqueFd> others;
    SampleBuffer buffer;
    std::optional<Watch> watch;
  };

  void OnReady(int fd, std::uint32_t events) override;

  std::uint64_t DrawPeriod(std::uint64_t nominal_ns);
  Result<void> OpenAll(const Profile& profile, pid_t pid, std::span<const int> cpus);
  Result<void> AddClock(pid_t pid, int cpu);
  void AddOthers(const Profile& profile, pid_t pid, int cpu);

  EventLoop* const loop_;
  const PerfSupport& support_;
  ShareSampleBuffer share_;
  SplitMix64 numbers_;
  std::uint64_t period_ns_ = 0;
  std::size_t buffer_bytes_ = 0;
  wire::ProfileHeader header_;
  std::vector<wire::ProfileEvent> table_;
  std::optional<ProfileFile> file_;
  std::list<CpuEvents> cpus_;
  std::uint64_t watched_ns_ = 0;  ///< the CPU time that the events covered
};

}  // namespace benchd
