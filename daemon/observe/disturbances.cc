#include "daemon/observe/disturbances.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

#include "core/model/metric.h"

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

/// Returns the n-th word of a line, counted from 1; empty if the line has fewer words.
std::string_view Word(std::string_view line, int n) {
  std::string_view word;
  for (int i = 0; i < n; ++i) word = NextWord(line);
  return word;
}

void Add(std::optional<std::uint64_t>& sum, std::uint64_t more) { sum = sum.value_or(0) + more; }

}  // namespace

DisturbanceFiles::DisturbanceFiles(const KernelFiles& files)
    : buffer_(std::make_unique<char[]>(kBufferBytes)) {
  Open(stat_, files, "proc/stat", &DisturbanceFiles::ReadStat);
  Open(interrupts_, files, "proc/interrupts", &DisturbanceFiles::ReadInterrupts);
  Open(schedstat_, files, "proc/schedstat", &DisturbanceFiles::ReadTimeslices);
  // The kernel also writes 0 if the host does not report stolen time. A total of 0 since boot is
  // therefore treated as unknown.
  EachLine(stat_, [this](std::string_view line) {
    constexpr int kSteal = 9;  // the first word is the line's name
    if (!line.starts_with("cpu ")) return true;
    steal_told_ = ParseCount(Word(line, kSteal)).value_or(0) > 0;
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
  constexpr int kSteal = 8;  // after the line's name
  EachLine(stat_, [&](std::string_view line) {
    std::string_view rest = line;
    const std::string_view name = NextWord(rest);
    if (steal_told_ && Contains(cpus, CpuOf(name))) {
      if (const auto ticks = ParseCount(Word(rest, kSteal))) Add(found.stolen_ticks, *ticks);
    }
    if (name != "processes") return true;
    found.forks = ParseCount(NextWord(rest)).value_or(0);
    return false;
  });
}

/// Reads a table whose first line names the online CPUs. Each other line has one count per CPU,
/// followed by a description. Skips ERR and MIS, which are not disturbances.
void DisturbanceFiles::ReadInterrupts(const std::vector<int>& cpus, Disturbances& found) const {
  std::vector<bool> is_watched;
  EachLine(interrupts_, [&](std::string_view line) {
    if (is_watched.empty()) {
      for (std::string_view word = NextWord(line); !word.empty(); word = NextWord(line)) {
        is_watched.push_back(Contains(cpus, CpuOf(word)));
      }
      return !is_watched.empty();
    }
    const std::string_view label = NextWord(line);
    // One count for the whole machine: x86 writes ERR and MIS, arm64 Err.
    if (label == "ERR:" || label == "MIS:" || label == "Err:") return true;
    for (const bool watched : is_watched) {
      const auto count = ParseCount(NextWord(line));
      if (!count) break;
      if (watched) Add(found.interrupts, *count);
    }
    return true;
  });
}

void DisturbanceFiles::ReadTimeslices(const std::vector<int>& cpus, Disturbances& found) const {
  constexpr int kTimeslices = 9;
  constexpr std::uint64_t kFirstVersion = 15;
  EachLine(schedstat_, [&](std::string_view line) {
    const std::string_view name = NextWord(line);
    if (name == "version") return ParseCount(NextWord(line)).value_or(0) >= kFirstVersion;
    if (!Contains(cpus, CpuOf(name))) return true;
    if (const auto count = ParseCount(Word(line, kTimeslices))) Add(found.timeslices, *count);
    return true;
  });
}

}  // namespace benchd
