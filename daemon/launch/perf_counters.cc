#include "daemon/launch/perf_counters.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "core/model/metric.h"
#include "daemon/kernel/kernel_paths.h"

namespace benchd {
namespace {

constexpr PerfEvent kClock{"task_clock", false, PERF_COUNT_SW_TASK_CLOCK, true};

constexpr PerfEvent kEvents[] = {
    {"instructions", true, PERF_COUNT_HW_INSTRUCTIONS, true},
    {"cycles", true, PERF_COUNT_HW_CPU_CYCLES, true},
    {"branch_misses", true, PERF_COUNT_HW_BRANCH_MISSES},
    {"cache_misses", true, PERF_COUNT_HW_CACHE_MISSES},
    kClock,
    {"cpu_migrations", false, PERF_COUNT_SW_CPU_MIGRATIONS, false, true},
};

constexpr const char* kUnwatched =
    "the kernel does not count programs that are set-user-ID or not readable";

/// If an event covers at most 1/kLeastWatched of the CPU time, the kernel has removed it. The
/// kernel removes events only after such a program has started, so they cover a few microseconds.
/// For any other program, they cover all CPU time except its start: 60 % for /bin/true, and more
/// for longer programs.
constexpr std::uint64_t kLeastWatched = 4;

perf_event_attr AttributesOf(const PerfEvent& event, bool user_only) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  attributes.config = event.config;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.disabled = 1;
  attributes.enable_on_exec = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = user_only ? 1 : 0;
  attributes.exclude_hv = user_only ? 1 : 0;
  return attributes;
}

/// Returns the sources of hardware events if cores are of different types (Intel's P and E cores,
/// Arm's big.LITTLE), each of which counts only on its own cores; otherwise empty.
std::vector<std::uint64_t> CoreTypes(const KernelFiles& files) {
  std::vector<std::uint64_t> types;
  for (const std::string& name : files.List(paths::kEventSources)) {
    if (!files.Exists(WithTarget(paths::kEventSourceCpus, name))) continue;
    const auto type = files.Count(WithTarget(paths::kEventSourceType, name));
    if (type) types.push_back(*type);
  }
  if (types.size() < 2) types.clear();
  return types;
}

/// Reads a counter whose parts count in turn, because each counts on other cores. Returns the sum:
/// its value, the time during which it was enabled, and the time during which a part counted.
std::optional<std::array<std::uint64_t, 3>> ReadSum(std::span<const UniqueFd> files) {
  std::array<std::uint64_t, 3> sum{};
  for (const UniqueFd& file : files) {
    std::array<std::uint64_t, 3> part{};
    if (read(file.get(), part.data(), sizeof(part)) != sizeof(part)) return std::nullopt;
    sum = {sum[0] + part[0], std::max(sum[1], part[1]), sum[2] + part[2]};
  }
  return sum;
}

bool IsForbidden(int error) { return error == EACCES || error == EPERM; }

}  // namespace

int OpenPerfEvent(const perf_event_attr& attributes, pid_t pid, int cpu) {
  const long file = syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return file < 0 ? -errno : static_cast<int>(file);
}

bool WasUnwatched(std::uint64_t watched_ns, std::int64_t cpu_us) {
  return watched_ns * kLeastWatched <= 1000 * static_cast<std::uint64_t>(cpu_us);
}

std::span<const PerfEvent> PerfEvents() { return kEvents; }

// ---- support ----

PerfSupport::PerfSupport(PerfEventOpen open, const KernelFiles& files)
    : open_(std::move(open)),
      paranoia_(files.Text(paths::kPerfParanoia)),
      core_types_(CoreTypes(files)) {
  user_only_ = IsForbidden(Probe(kClock, false)) && Probe(kClock, true) == 0;
  for (const PerfEvent& event : kEvents) {
    const bool blind = user_only_ && event.kernel_only;
    const int error = blind ? EACCES : Probe(event, user_only_);
    if (error == 0) {
      events_.push_back(event);
    } else {
      refusals_.push_back({event.metric, WhyRefused(event, error)});
    }
  }
}

int PerfSupport::Open(const PerfEvent& event, bool user_only, pid_t pid,
                      std::vector<UniqueFd>& files) const {
  perf_event_attr attributes = AttributesOf(event, user_only);
  if (event.hardware) {
    for (const std::uint64_t type : core_types_) {
      // Since Linux 5.13 on x86 and 6.6 on arm64 (PERF_PMU_CAP_EXTENDED_HW_TYPE).
      attributes.config = type << PERF_PMU_TYPE_SHIFT | event.config;
      UniqueFd file(open_(attributes, pid, -1));
      if (file) files.push_back(std::move(file));
    }
    if (!files.empty()) return 0;
    attributes.config = event.config;
  }
  const int file = open_(attributes, pid, -1);
  if (file < 0) return -file;
  files.emplace_back(file);
  return 0;
}

/// Tries to open a counter on this process. Returns 0 or the error number.
int PerfSupport::Probe(const PerfEvent& event, bool user_only) const {
  std::vector<UniqueFd> counter;
  return Open(event, user_only, 0, counter);
}

std::string PerfSupport::WhyRefused(const PerfEvent& event, int error) const {
  if (IsForbidden(error)) {
    return "permission denied" +
           (paranoia_.empty() ? "" : " (kernel.perf_event_paranoid is " + paranoia_ + ")");
  }
  if (error == ENOSYS) return "this kernel does not provide perf_event_open";
  const bool is_unknown =
      error == ENOENT || error == ENODEV || error == EOPNOTSUPP || error == EINVAL;
  if (event.hardware && is_unknown) {
    return "this machine lacks the counter; virtual machines often have none";
  }
  return std::string("perf_event_open: ") + strerror(error);
}

std::string PerfSupport::WhyNot(std::string_view metric) const {
  for (const Refusal& refusal : refusals_) {
    if (metric == refusal.metric) return refusal.why;
  }
  for (const PerfEvent& event : events_) {
    if (metric == event.metric) return {};
  }
  return "unknown counter";
}

std::string PerfSupport::Describe() const {
  std::string text;
  for (const PerfEvent& event : events_) AppendItem(text, ", ", event.metric);
  if (text.empty()) text = "none";
  if (user_only_) {
    text += "; user mode only (kernel.perf_event_paranoid is " + paranoia_ + ")";
  }
  // Groups consecutive refusals with the same reason.
  for (std::size_t i = 0; i < refusals_.size(); ++i) {
    const std::string& why = refusals_[i].why;
    const bool is_first = i == 0 || refusals_[i - 1].why != why;
    text.append(is_first ? "; no " : ", ").append(refusals_[i].metric);
    const bool is_last = i + 1 == refusals_.size() || refusals_[i + 1].why != why;
    if (is_last) text += " (" + why + ")";
  }
  return text;
}

// ---- one run ----

void PerfCounters::Open(pid_t pid) {
  open_.clear();
  for (const PerfEvent& event : support_.events_) {
    std::vector<UniqueFd> files;
    if (support_.Open(event, support_.user_only_, pid, files) == 0) {
      open_.push_back({event, std::move(files)});
    }
  }
}

void PerfCounters::Read(wire::RunFigures& figures) const {
  const std::int64_t cpu_us = figures.user_time_us + figures.system_time_us;
  for (const Counter& counter : open_) {
    const auto shown = ReadSum(counter.files);
    const auto& [value, enabled_ns, running_ns] = shown.value_or(std::array<std::uint64_t, 3>{});
    const char* const metric = counter.event.metric;
    if (!shown || WasUnwatched(enabled_ns, cpu_us)) {
      figures.missing.push_back({metric, kUnwatched});
    } else if (running_ns > 0 && value == 0 && counter.event.never_zero) {
      figures.missing.push_back({metric, "the machine offers this counter, but it does not count"});
    } else {
      figures.counters.push_back({metric, value, enabled_ns, running_ns});
    }
  }
}

std::optional<double> SmallestShare(std::span<const wire::CounterFigure> counters) {
  // If the counters do not take turns, the two times differ by a few nanoseconds at most.
  constexpr double kAll = 0.999;
  double smallest = kAll;
  for (const wire::CounterFigure& counter : counters) {
    const double enabled = static_cast<double>(counter.enabled_ns);
    if (enabled > 0)
      smallest = std::min(smallest, static_cast<double>(counter.running_ns) / enabled);
  }
  return smallest < kAll ? std::optional(smallest) : std::nullopt;
}

namespace {

Error NotHere(const std::string& metric, const std::string& why) {
  return Error{ErrorCode::kFailedPrecondition, "metric " + metric + ": not available here: " + why,
               "gate on another metric, such as cpu_time"};
}

/// Returns the reason why the kernel does not count bytes; empty if it counts them.
std::string WhyNoBytes(const Host& host) {
  return host.counts_io ? "" : "this kernel does not count them (CONFIG_TASK_IO_ACCOUNTING)";
}

std::string WhyNoTree(TreeGroup& group, const TreeFigureNeeds& needs) {
  auto begun = group.BeginRun(needs);
  return begun ? "" : begun.error().message;
}

const wire::CounterFigure* FindCounter(const wire::RunFigures& figures, std::string_view metric) {
  const auto found =
      std::find_if(figures.counters.begin(), figures.counters.end(),
                   [metric](const wire::CounterFigure& one) { return one.metric == metric; });
  return found == figures.counters.end() ? nullptr : &*found;
}

/// Adds the needs of a metric. Returns the reason why it is unavailable, or an empty string.
std::string Need(const std::string& metric, const MetricSources& sources, MetricNeeds& needs) {
  switch (SourceOf(metric).value_or(MetricSource::kCounter)) {
    case MetricSource::kClock:
    case MetricSource::kUsage:
      return {};
    case MetricSource::kStorage:
      return WhyNoBytes(sources.host);
    case MetricSource::kTreeTime:
      needs.tree.cpu_time = true;
      return WhyNoTree(sources.group, {.cpu_time = true});
    case MetricSource::kTreeMemory:
      needs.tree.memory_peak = true;
      return WhyNoTree(sources.group, {.memory_peak = true});
    case MetricSource::kInterrupts:
    case MetricSource::kStat:
    case MetricSource::kSchedstat:
    case MetricSource::kSched:
      needs.disturbances = true;
      return std::string(sources.disturbances.WhyNot(metric));
    case MetricSource::kCounter:
      needs.counters = true;
      return sources.perf.WhyNot(metric);
  }
  return {};
}

}  // namespace

Result<MetricNeeds> ChooseMetrics(std::vector<std::string> metrics, MetricSources sources) {
  MetricNeeds needs;
  needs.counters = sources.counters_always && sources.perf.any();
  for (const std::string& metric : metrics) {
    const std::string why = Need(metric, sources, needs);
    if (!why.empty()) return NotHere(metric, why);
  }
  needs.named = std::move(metrics);
  return needs;
}

void NameMissing(const MetricNeeds& needs, wire::RunFigures& figures) {
  const auto told = std::exchange(figures.missing, {});
  for (const std::string& metric : needs.named) {
    const wire::CounterFigure* const counter = FindCounter(figures, metric);
    if (figures.Find(metric) || (counter != nullptr && counter->running_ns > 0)) continue;
    if (counter != nullptr) {
      figures.missing.push_back(
          {metric, "the processor has too few counters, and this one did not count in this run"});
      continue;
    }
    const auto found =
        std::find_if(told.begin(), told.end(),
                     [&metric](const wire::MissingMetric& one) { return one.metric == metric; });
    figures.missing.push_back(
        {metric, found != told.end() ? found->why : "this run does not have a value"});
  }
}

}  // namespace benchd
