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

/// perf_event_open(2) on whatever CPU: a descriptor that is closed on exec, or the negative error
/// number. Tests put another kernel here.
using PerfEventOpen = std::function<int(const perf_event_attr& attributes, pid_t pid)>;
int OpenPerfEvent(const perf_event_attr& attributes, pid_t pid);

/// One thing that the kernel or the CPU counts.
struct PerfEvent {
  const char* metric = nullptr;  ///< model/metric.h
  bool hardware = false;
  std::uint64_t config = 0;  ///< of its type
};

/// All that we know, instructions first.
std::span<const PerfEvent> PerfEvents();

/// Which counters this machine gives to this process, found out by opening each one on ourselves.
///
/// Made once by main(). Where the kernel's own work may not be counted (kernel.perf_event_paranoid)
/// the program's part of it is, and Describe() says so.
class PerfSupport {
 public:
  PerfSupport(PerfEventOpen open, const KernelFiles& files);

  bool any() const { return !events_.empty(); }
  bool user_only() const { return user_only_; }
  /// Empty where there is that counter, else why not.
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

/// The counters of one run: of a process from its execve on, and of all its descendants.
///
/// Opened on a child that waits at its gate, so that neither its start nor its clock has any of
/// this. To open one and to close it again costs some 30 us each (Linux 6.18), which is why a run
/// has them only when somebody asked.
class PerfCounters {
 public:
  explicit PerfCounters(const PerfSupport& support) : support_(support) {}

  /// Closes what was open. A counter that the kernel refuses now is left out.
  void Open(pid_t pid);
  void Close() { open_.clear(); }
  bool open() const { return !open_.empty(); }

  /// Adds what they show to `figures`, and to its `missing` those that show nothing, which is never
  /// a number: counters that stand still, and those of a program that its user may not watch, off
  /// which the kernel takes them. Known from the CPU time in `figures`, which has to be there.
  void Read(wire::RunFigures& figures) const;

 private:
  struct Counter {
    PerfEvent event;
    UniqueFd file;
  };

  const PerfSupport& support_;
  std::vector<Counter> open_;
};

/// The smallest share of the time for which one of the counters really counted; empty when all did
/// all the time. Where a CPU has fewer counters than are wanted, they take turns.
std::optional<double> SmallestShare(std::span<const wire::CounterFigure> counters);

/// Which of the metrics that not every machine has, or that cost something, the runs of a child are
/// to have.
struct MetricNeeds {
  std::vector<std::string> named;  ///< that must be had
  bool counters = false;           ///< all that PerfSupport has
  bool disturbances = false;       ///< whatever it costs to read them
  TreeFigureNeeds tree;
};

/// What can tell whether there is such a metric here.
struct MetricSources {
  const Host& host;
  const PerfSupport& perf;
  const DisturbanceFiles& disturbances;
  TreeGroup& group;  ///< with no child in it
  bool counters_always = false;
};

/// Needs of a child for which `metrics` must be had (OptionalMetrics() of model/metric.h).
/// @errors kFailedPrecondition naming the first that cannot be had, "metric instructions: not
///         available here: ...".
Result<MetricNeeds> ChooseMetrics(std::vector<std::string> metrics, MetricSources sources);

/// Leaves in `figures.missing` those that were named and are not there, each with why.
void NameMissing(const MetricNeeds& needs, wire::RunFigures& figures);

}  // namespace benchd
