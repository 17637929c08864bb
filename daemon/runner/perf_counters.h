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
#include "daemon/runner/host.h"
#include "daemon/system/disturbances.h"
#include "daemon/system/kernel_files.h"
#include "daemon/system/tree_group.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// perf_event_open(2) on any CPU. Returns a descriptor that is closed on exec, or the negative
/// error number. Tests replace it.
using PerfEventOpen = std::function<int(const perf_event_attr& attributes, pid_t pid)>;
int OpenPerfEvent(const perf_event_attr& attributes, pid_t pid);

/// An event that the kernel or the CPU can count.
struct PerfEvent {
  const char* metric = nullptr;  ///< model/metric.h
  bool hardware = false;
  std::uint64_t config = 0;  ///< the event's number within its type
};

/// All events that benchd knows, instructions first.
std::span<const PerfEvent> PerfEvents();

/// The counters that this machine grants to this process, found by opening each of them on
/// ourselves.
///
/// Made once by main(). If kernel.perf_event_paranoid forbids counting the kernel's work, only the
/// program's part is counted, and Describe() reports that.
class PerfSupport {
 public:
  PerfSupport(PerfEventOpen open, const KernelFiles& files);

  bool any() const { return !events_.empty(); }
  bool user_only() const { return user_only_; }
  /// Returns why the counter is unavailable; empty if it is available.
  std::string WhyNot(std::string_view metric) const;
  /// One fact for the record of the machine: "instructions, cycles; user mode only ...; no
  /// branch_misses (...)".
  std::string Describe() const;

 private:
  friend class PerfCounters;
  struct Refusal {
    const char* metric = nullptr;
    std::string why;
  };

  int Open(const PerfEvent& event, bool user_only, pid_t pid) const;
  int Probe(const PerfEvent& event, bool user_only) const;
  std::string WhyRefused(const PerfEvent& event, int error) const;

  PerfEventOpen open_;
  std::string paranoia_;
  bool user_only_ = false;
  std::vector<PerfEvent> events_;
  std::vector<Refusal> refusals_;
};

/// The counters of one run: of a process from execve on, and of all its descendants.
///
/// Opened on a child that waits at its gate, so that neither its start nor its clock includes the
/// cost. Opening and closing a counter takes about 30 us (Linux 6.18), so a run has counters only
/// on request.
class PerfCounters {
 public:
  explicit PerfCounters(const PerfSupport& support) : support_(support) {}

  /// Closes the open counters first. A counter that the kernel refuses now is left out.
  void Open(pid_t pid);
  void Close() { open_.clear(); }
  bool open() const { return !open_.empty(); }

  /// Adds the values to `figures`. Counters without a value go to `missing`: those that stand
  /// still, and those that the kernel removed because the user may not watch the program. The
  /// latter are recognised by the CPU time, which must already be in `figures`.
  void Read(wire::RunFigures& figures) const;

 private:
  struct Counter {
    PerfEvent event;
    UniqueFd file;
  };

  const PerfSupport& support_;
  std::vector<Counter> open_;
};

/// The smallest share of the time for which a counter really counted; empty if all of them counted
/// all the time. If a CPU has fewer counters than requested, they take turns.
std::optional<double> SmallestShare(std::span<const wire::CounterFigure> counters);

/// Which optional metrics the runs of a child have to yield: those that some machines lack or that
/// cost something.
struct MetricNeeds {
  std::vector<std::string> named;  ///< metrics that must be available
  bool counters = false;           ///< all that PerfSupport has
  bool disturbances = false;       ///< read them, whatever it costs
  TreeFigureNeeds tree;
};

/// The sources that decide whether a metric is available.
struct MetricSources {
  const Host& host;
  const PerfSupport& perf;
  const DisturbanceFiles& disturbances;
  TreeGroup& group;  ///< contains no child
  bool counters_always = false;
};

/// Returns the needs of a child that must yield `metrics` (OptionalMetrics() in model/metric.h).
/// @errors kFailedPrecondition for the first unavailable metric, "metric instructions: not
///         available here: ...".
Result<MetricNeeds> ChooseMetrics(std::vector<std::string> metrics, MetricSources sources);

/// Reduces `figures.missing` to the named metrics without a value, each with a reason.
void NameMissing(const MetricNeeds& needs, wire::RunFigures& figures);

}  // namespace benchd
