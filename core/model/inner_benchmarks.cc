#include "core/model/inner_benchmarks.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace benchd {
namespace {

const std::string& DefaultName() {
  static const std::string name = Benchmark().name;
  return name;
}

/// Removes what runs once per session, which the first benchmark of the program has.
void DropSessionHooks(Hooks& hooks) {
  hooks.build = {};
  hooks.setup = {};
  hooks.cleanup = {};
  hooks.build_plan.reset();
}

Benchmark OneOf(const Benchmark& submitted, const FoundBenchmarks& found, std::size_t number) {
  Benchmark one = submitted;
  one.inner = found.names[number];
  const bool makes_programs = submitted.hooks.build.Exists() || submitted.hooks.setup.Exists();
  for (std::size_t arm = 0; arm < std::min(one.arms.size(), found.commands.size()); ++arm) {
    one.arms[arm].argv = found.commands[arm];
    if (makes_programs) one.arms[arm].program.reset();
  }
  if (number > 0) DropSessionHooks(one.hooks);
  return one;
}

}  // namespace

void ExpandBenchmarks(std::span<const FoundBenchmarks> found, SessionSpec& spec) {
  const auto is_found = [](const Benchmark& one) { return !one.inner.empty(); };
  if (found.empty() || std::ranges::any_of(spec.benchmarks, is_found)) return;
  std::vector<Benchmark> expanded;
  for (std::size_t i = 0; i < spec.benchmarks.size(); ++i) {
    const auto own = std::ranges::find(found, i, &FoundBenchmarks::benchmark);
    if (own == found.end()) {
      expanded.push_back(spec.benchmarks[i]);
      continue;
    }
    for (std::size_t number = 0; number < own->names.size(); ++number) {
      expanded.push_back(OneOf(spec.benchmarks[i], *own, number));
      expanded.back().name = NameOfInner(spec, i, own->names[number]);
    }
  }
  spec.benchmarks = std::move(expanded);
}

std::string NameOfInner(const SessionSpec& spec, std::size_t submitted, std::string_view inner) {
  const std::string& name = spec.benchmarks[submitted].name;
  if (spec.benchmarks.size() == 1 && name == DefaultName()) return std::string(inner);
  return std::string(name).append("/").append(inner);
}

std::string SubmittedName(const Benchmark& benchmark) {
  if (benchmark.inner.empty()) return benchmark.name;
  if (benchmark.name == benchmark.inner) return DefaultName();
  return benchmark.name.substr(0, benchmark.name.size() - benchmark.inner.size() - 1);
}

std::size_t CountFound(std::span<const FoundBenchmarks> found) {
  std::size_t count = 0;
  for (const FoundBenchmarks& one : found) count += one.names.size();
  return count;
}

bool IsNameOf(std::string_view printed, std::string_view listed) {
  if (!printed.starts_with(listed)) return false;
  const std::string_view rest = printed.substr(listed.size());
  const bool counted = rest.size() > 1 && rest.front() == '-' &&
                       rest.find_first_not_of("0123456789", 1) == rest.npos;
  return rest.empty() || counted;
}

NameOwners::NameOwners(std::vector<std::string> listed)
    : listed_(std::make_move_iterator(listed.begin()), std::make_move_iterator(listed.end())) {
  listed_.erase("");
}

std::optional<std::string_view> NameOwners::Of(std::string_view printed) const {
  const auto listed = [this](std::string_view name) -> std::optional<std::string_view> {
    const auto found = listed_.find(name);
    return found == listed_.end() ? std::nullopt : std::optional<std::string_view>(*found);
  };
  if (const auto same = listed(printed)) return same;
  const auto counted = listed(printed.substr(0, printed.rfind('-')));
  if (counted && IsNameOf(printed, *counted)) return counted;
  for (std::size_t slash = printed.rfind('/'); slash != printed.npos && slash > 0;
       slash = printed.rfind('/', slash - 1)) {
    if (const auto within = listed(printed.substr(0, slash))) return within;
  }
  return std::nullopt;
}

std::size_t FirstOf(std::span<const FoundBenchmarks> found, std::size_t number) {
  std::size_t first = found[number].benchmark;
  for (const FoundBenchmarks& before : found.first(number)) first += before.names.size() - 1;
  return first;
}

}  // namespace benchd
