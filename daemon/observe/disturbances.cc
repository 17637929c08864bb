#include "daemon/observe/disturbances.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "core/model/metric.h"
#include "daemon/kernel/interrupts.h"
#include "daemon/kernel/kernel_paths.h"
#include "daemon/kernel/proc_stat.h"
#include "daemon/kernel/schedstat.h"

namespace benchd {
namespace {

std::int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool Contains(const std::vector<int>& cpus, std::optional<int> cpu) {
  return cpu && std::binary_search(cpus.begin(), cpus.end(), *cpu);
}

void Add(std::optional<std::uint64_t>& sum, std::uint64_t more) { sum = sum.value_or(0) + more; }

}  // namespace

DisturbanceFiles::DisturbanceFiles(const KernelFiles& files)
    : buffer_(std::make_unique<char[]>(kBufferBytes)) {
  Open(stat_, files, paths::kStat, &DisturbanceFiles::ReadStat);
  Open(interrupts_, files, paths::kInterrupts, &DisturbanceFiles::ReadInterrupts);
  Open(schedstat_, files, paths::kSchedstat, &DisturbanceFiles::ReadTimeslices);
  // The kernel also writes 0 if the host does not report stolen time. A total of 0 since boot is
  // therefore treated as unknown.
  EachLine(stat_, [this](std::string_view text) {
    const StatLine line(text);
    if (!line.IsOfAllCpus()) return true;
    steal_told_ = line.ticks()[kStealTicks].value_or(0) > 0;
    return false;
  });
}

void DisturbanceFiles::Open(File& file, const KernelFiles& files, std::string_view path,
                            Reader reader) {
  file.fd = UniqueFd(open(files.FullPath(path).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.fd) return;
  // Takes the fastest of several tries, because delays by other work are not part of the cost.
  constexpr int kTries = 3;
  std::int64_t fastest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t begin = Now();
    Disturbances found;
    (this->*reader)({0}, found);
    fastest = std::min(fastest, Now() - begin);
  }
  file.cost_ns = 2 * fastest;
}

Disturbances DisturbanceFiles::Read(const std::vector<int>& cpus, std::int64_t length_ns) const {
  Disturbances found;
  if (cpus.empty()) return found;
  if (stat_.Affordable(length_ns)) ReadStat(cpus, found);
  if (interrupts_.Affordable(length_ns)) ReadInterrupts(cpus, found);
  if (schedstat_.Affordable(length_ns) && stat_.Affordable(length_ns)) ReadTimeslices(cpus, found);
  return found;
}

std::string_view DisturbanceFiles::WhyNot(std::string_view metric) const {
  switch (SourceOf(metric).value_or(MetricSource::kClock)) {
    case MetricSource::kInterrupts:
      return interrupts_.fd ? "" : "/proc/interrupts cannot be read";
    case MetricSource::kStat:
      return steal_told_ ? "" : "the kernel has not counted any since it started";
    case MetricSource::kSchedstat:
      return schedstat_.fd && stat_.fd ? "" : "this kernel does not have /proc/schedstat";
    default:
      return {};
  }
}

/// Calls `take` with each line until it returns false.
template <typename Take>
void DisturbanceFiles::EachLine(const File& file, Take take) const {
  off_t offset = 0;
  std::size_t kept = 0;
  while (file.fd && kept < kBufferBytes) {
    const ssize_t count = pread(file.fd.get(), buffer_.get() + kept, kBufferBytes - kept, offset);
    if (count <= 0) return;
    offset += count;
    std::string_view text(buffer_.get(), kept + static_cast<std::size_t>(count));
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      if (!take(text.substr(0, end))) return;
      text.remove_prefix(end + 1);
    }
    kept = text.size();
    std::memmove(buffer_.get(), text.data(), kept);
  }
}

void DisturbanceFiles::ReadStat(const std::vector<int>& cpus, Disturbances& found) const {
  EachLine(stat_, [&](std::string_view text) {
    const StatLine line(text);
    if (steal_told_ && Contains(cpus, line.cpu())) {
      if (const auto ticks = line.ticks()[kStealTicks]) Add(found.stolen_ticks, *ticks);
    }
    if (!line.IsOfForks()) return true;
    found.forks = line.forks();
    return false;
  });
}

/// Skips counts of errors, which are not disturbances.
void DisturbanceFiles::ReadInterrupts(const std::vector<int>& cpus, Disturbances& found) const {
  InterruptColumns columns;
  EachLine(interrupts_, [&](std::string_view text) {
    if (columns.empty()) {
      columns = InterruptColumns(text, cpus);
      return !columns.empty();
    }
    const InterruptLine line = columns.Parse(text);
    if (line.count && !line.CountsErrors()) Add(found.interrupts, *line.count);
    return true;
  });
}

void DisturbanceFiles::ReadTimeslices(const std::vector<int>& cpus, Disturbances& found) const {
  EachLine(schedstat_, [&](std::string_view text) {
    const SchedstatLine line(text);
    if (line.IsVersion()) return line.IsSupportedVersion();
    if (!Contains(cpus, line.cpu())) return true;
    if (const auto count = line.timeslices()) Add(found.timeslices, *count);
    return true;
  });
}

}  // namespace benchd
