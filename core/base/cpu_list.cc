#include "core/base/cpu_list.h"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <iterator>
#include <optional>

namespace benchd {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<int> ParseCpu(std::string_view text) {
  int cpu = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  if (cpu < 0 || cpu >= kMaxCpus || text.front() == '-') return {};
  return cpu;
}

/// Converts untrusted text to one short line of printable ASCII, for a message.
std::string Shown(std::string_view part) {
  constexpr std::size_t kMostBytes = 40;
  std::string shown(part.substr(0, kMostBytes));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown;
}

}  // namespace

Result<std::vector<int>> ParseCpuList(std::string_view text) {
  text = Trim(text);
  // A bit set bounds the memory, even if the text repeats the same CPUs a million times.
  std::bitset<kMaxCpus> named;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = ParseCpu(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseCpu(part.substr(dash + 1));
    if (!first || !last || *last < *first) {
      return InvalidArgument("CPU list", "'" + Shown(part) + "' is not a CPU or range",
                             "write it as a list such as 0-3,7");
    }
    for (int cpu = *first; cpu <= *last; ++cpu) named.set(static_cast<std::size_t>(cpu));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) {
      return InvalidArgument("CPU list", "ends with a comma", "write it as a list such as 0-3,7");
    }
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (named.test(static_cast<std::size_t>(cpu))) cpus.push_back(cpu);
  }
  return cpus;
}

std::string FormatCpuList(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text.append("-").append(std::to_string(cpus[last]));
    i = last + 1;
  }
  return text;
}

std::vector<int> CpusWithout(const std::vector<int>& cpus, const std::vector<int>& others) {
  std::vector<int> rest;
  std::set_difference(cpus.begin(), cpus.end(), others.begin(), others.end(),
                      std::back_inserter(rest));
  return rest;
}

std::vector<int> CpusInBoth(const std::vector<int>& cpus, const std::vector<int>& others) {
  std::vector<int> both;
  std::set_intersection(cpus.begin(), cpus.end(), others.begin(), others.end(),
                        std::back_inserter(both));
  return both;
}

}  // namespace benchd
