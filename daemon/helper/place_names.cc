#include "daemon/helper/place_names.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>

#include "daemon/helper/function_name.h"
#include "daemon/helper/perf_map.h"
#include "daemon/helper/read_budget.h"
#include "daemon/helper/symbol_file.h"

namespace benchd {
namespace {

/// Returns for each place whether inlined functions are looked up there.
std::vector<bool> MostFrequent(const SampledPlaces& sampled) {
  std::vector<std::uint64_t> uses(sampled.places().size());
  for (const auto& [stack, counts] : sampled.stacks()) {
    for (const std::uint32_t place : stack) uses[place] += counts.samples;
  }
  std::vector<std::uint32_t> by_use(uses.size());
  std::iota(by_use.begin(), by_use.end(), 0U);
  std::ranges::stable_sort(by_use, std::greater<>(), [&](std::uint32_t i) { return uses[i]; });
  std::vector<bool> frequent(uses.size());
  for (std::size_t i = 0; i < std::min(by_use.size(), kMostInlineLookups); ++i) {
    frequent[by_use[i]] = true;
  }
  return frequent;
}

/// Looks up places that are in order of their files.
class NameFinder {
 public:
  NameFinder(const SampledPlaces& sampled, const SymbolSources& sources)
      : files_(sampled.spaces().files()), sources_(sources) {}

  std::vector<std::string> FunctionsAt(const CodePlace& place, bool inlined) {
    const CodeFile& file = files_[place.file];
    if (file.kind == CodeKind::kAnonymous) return {CompiledAt(place)};
    if (file_index_ != place.file) {
      file_.reset();
      budget_ = ReadBudget::OfThisProcess();
      file_.emplace(file, budget_, sources_.debug_folder);
      file_index_ = place.file;
    }
    return file_->FunctionsAt(place.offset, inlined);
  }

 private:
  /// Returns the function that a program compiled itself.
  std::string CompiledAt(const CodePlace& place) {
    if (map_pid_ != place.pid) {
      budget_ = ReadBudget::OfThisProcess();
      map_ = {};
      map_ = PerfMap::ReadFile(sources_.map_folder + "/perf-" + std::to_string(place.pid) + ".map",
                               sources_.owner, budget_);
      map_pid_ = place.pid;
    }
    const auto name = map_.NameAt(place.offset);
    return name ? CleanName(*name).append(kCompiledSuffix) : std::string(kAnonymousCode);
  }

  const std::vector<CodeFile>& files_;
  const SymbolSources& sources_;
  ReadBudget budget_ = ReadBudget(0);
  std::optional<std::uint32_t> file_index_;
  std::optional<SymbolFile> file_;
  std::optional<std::uint32_t> map_pid_;
  PerfMap map_;
};

}  // namespace

std::vector<NamedStack> NamePlaces(const SampledPlaces& sampled, const SymbolSources& sources,
                                   NamePool& names) {
  const std::vector<CodePlace>& places = sampled.places();
  std::vector<std::uint32_t> order(places.size() - 1);
  std::iota(order.begin(), order.end(), SampledPlaces::kUnknown + 1);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    return std::tuple(places[i].file, places[i].pid, places[i].offset);
  });
  std::vector<NamedStack> functions(places.size());
  functions[SampledPlaces::kUnknown] = {names.IndexOf(std::string(kUnknownCode))};
  const std::vector<bool> inlined = MostFrequent(sampled);
  NameFinder finder(sampled, sources);
  for (const std::uint32_t index : order) {
    for (const std::string& name : finder.FunctionsAt(places[index], inlined[index])) {
      functions[index].push_back(names.IndexOf(name));
    }
  }
  return functions;
}

}  // namespace benchd
