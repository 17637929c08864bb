#include "daemon/kernel/schedstat.h"

#include "daemon/kernel/kernel_files.h"

namespace benchd {
namespace {

/// Returns the n-th number of a line, counted from 1; empty if it is missing or malformed.
std::optional<std::uint64_t> NthCount(std::string_view figures, int n) {
  std::string_view word;
  for (int i = 0; i < n; ++i) word = NextWord(figures);
  return ParseCount(word);
}

}  // namespace

SchedstatLine::SchedstatLine(std::string_view line) : figures_(line), name_(NextWord(figures_)) {}

bool SchedstatLine::IsSupportedVersion() const {
  constexpr std::uint64_t kFirstVersion = 15;
  return NthCount(figures_, 1).value_or(0) >= kFirstVersion;
}

std::optional<int> SchedstatLine::cpu() const { return CpuOf(name_); }

std::optional<std::uint64_t> SchedstatLine::waited_ns() const {
  constexpr int kRunDelay = 8;
  return NthCount(figures_, kRunDelay);
}

std::optional<std::uint64_t> SchedstatLine::timeslices() const {
  constexpr int kTimeslices = 9;
  return NthCount(figures_, kTimeslices);
}

}  // namespace benchd
