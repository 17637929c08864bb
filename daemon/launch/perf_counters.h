#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/model/profile.h"
#include "daemon/kernel/kernel_files.h"
#include "daemon/kernel/tree_group.h"
#include "daemon/launch/host.h"
#include "daemon/observe/disturbances.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// A function that calls perf_event_open(2) for one CPU, or for any (-1). It returns a descriptor
/// that is closed on exec, or the negative error number. Tests replace it.
using PerfEventOpen = std::function<int(const perf_event_attr& attributes, pid_t pid, int cpu)>;
int OpenPerfEvent(const perf_event_attr& attributes, pid_t pid, int cpu);

/// Returns whether the kernel removed an event that covered `watched_ns` of a run, which used
/// `cpu_us` of CPU time. It removes the events of a program that the user may not observe.
bool WasUnwatched(std::uint64_t watched_ns, std::int64_t cpu_us);

/// An event that the kernel or the CPU can count.
struct PerfEvent {
  const char* metric = nullptr;  ///< model/metric.h
  bool hardware = false;
  std::uint64_t config = 0;  ///< the event's number within its type
  /// Every program has a value above 0. A value of 0 means that the counter of a virtual machine
  /// does not count.
  bool never_zero = false;
  /// The event occurs only in kernel mode. Without permission to count in that mode, its value
  /// would always be 0.
  bool kernel_only = false;
};

/// Returns all events that benchd supports, beginning with instructions.
std::span<const PerfEvent> PerfEvents();

/// The counters that are available to this process. To find them, the constructor opens each
/// counter on the process itself.
///
/// Created once by main(). If kernel.perf_event_paranoid forbids counting in kernel mode, the
/// counters count user mode only, and Describe() reports that.
class PerfSupport {
 public:
  PerfSupport(PerfEventOpen open, const KernelFiles& files);

  bool any() const { return !events_.empty(); }
  bool user_only() const { return user_only_; }
  /// Returns why the counter is unavailable; empty if it is available.
  std::string WhyNot(std::string_view metric) const;
  /// Returns a description for the record of the machine: "instructions, cycles; user mode only
  /// ...; no branch_misses (...)".
  std::string Describe() const;

  /// Opens an event that is not one of PerfEvents(), as PerfEventOpen does.
  int OpenOther(const perf_event_attr& attributes, pid_t pid, int cpu) const {
    return open_(attributes, pid, cpu);
  }
  /// Returns the value of kernel.perf_event_paranoid; empty if it could not be read.
  const std::string& paranoia() const { return paranoia_; }

 private:
  friend class PerfCounters;
  struct Refusal {
    const char* metric = nullptr;
    std::string why;
  };

  /// Opens a counter, which is one for each type of core. Returns 0 or the error number.
  int Open(const PerfEvent& event, bool user_only, pid_t pid, std::vector<UniqueFd>& files) const;
  int Probe(const PerfEvent& event, bool user_only) const;
  std::string WhyRefused(const PerfEvent& event, int error) const;

  PerfEventOpen open_;
  std::string paranoia_;
  /// The counters of each type of core, as perf_event_attr::type; empty if there is only one.
  std::vector<std::uint64_t> core_types_;
  bool user_only_ = false;
  std::vector<PerfEvent> events_;
  std::vector<Refusal> refusals_;
};

/// The counters of one run. They count the events of a process and its descendants from execve on.
///
/// The counters are opened while the child waits at its gate, so that neither its start nor its
/// clock includes the cost. Opening and closing a counter takes about 30 us (Linux 6.18), so a run
/// has counters only on request.
class PerfCounters {
 public:
  explicit PerfCounters(const PerfSupport& support) : support_(support) {}

  /// Opens the counters for a process, after closing those that are open. A counter that the kernel
  /// refuses now is omitted.
  void Open(pid_t pid);
  void Close() { open_.clear(); }
  bool open() const { return !open_.empty(); }

  /// Adds the values to `figures`. Adds a counter without a value to `missing`: either it does not
  /// count, or the kernel removed it because the user may not observe the program. A removed
  /// counter is recognised by comparing it with the CPU time, which must already be in `figures`.
  void Read(wire::RunFigures& figures) const;

 private:
  struct Counter {
    PerfEvent event;
    std::vector<UniqueFd> files;  ///< whose values are added up
  };

  const PerfSupport& support_;
  std::vector<Counter> open_;
};

/// Returns the smallest share of the run during which a counter counted; empty if all counters
/// counted all the time. If a CPU has fewer counters than requested, the counters take turns.
std::optional<double> SmallestShare(std::span<const wire::CounterFigure> counters);

/// The optional metrics that the runs of a child must yield. A metric is optional if some machines
/// lack it or if measuring it has a cost.
struct MetricNeeds {
  std::vector<std::string> named;  ///< metrics that must be available
  bool counters = false;           ///< open all counters that PerfSupport has
  bool disturbances = false;       ///< read the disturbances, regardless of the cost
  TreeFigureNeeds tree;
  std::optional<Profile> profile;  ///< sample the run
  /// Whether something is opened on the child before its execve, so that it must wait at its gate.
  bool WatchFromStart() const { return counters || profile.has_value(); }
};

/// The sources that decide whether a metric is available.
struct MetricSources {
  const Host& host;
  const PerfSupport& perf;
  const DisturbanceFiles& disturbances;
  TreeGroup& group;  ///< must not contain a child
  bool counters_always = false;
};

/// Returns the needs of a child that must yield `metrics` (OptionalMetrics() in model/metric.h).
/// @errors kFailedPrecondition for the first unavailable metric, "metric instructions: not
///         available here: ...".
Result<MetricNeeds> ChooseMetrics(std::vector<std::string> metrics, MetricSources sources);

/// Reduces `figures.missing` to the named metrics that have no value, each with a reason.
void NameMissing(const MetricNeeds& needs, wire::RunFigures& figures);

}  // namespace benchd
