#include "daemon/helper/profile.h"

#include <string>
#include <utility>

#include "core/base/try.h"
#include "daemon/helper/folded_stacks.h"
#include "daemon/helper/profile_records.h"
#include "daemon/helper/sampled_places.h"

namespace benchd {
namespace {

/// Replaces the places of a stack by the functions there.
NamedStack FunctionsOf(const PlaceStack& places, const std::vector<NamedStack>& functions) {
  NamedStack stack;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    const NamedStack& here = functions[*place];
    stack.insert(stack.end(), here.begin(), here.end());
  }
  return stack;
}

}  // namespace

Result<std::vector<Sample>> FoldProfile(std::string_view stream, const SymbolSources& sources) {
  TRY(const auto records, ProfileRecords::Parse(stream));
  SampledPlaces sampled;
  TRY_VOID(records.Deliver(sampled));
  sampled.CloseFiles();
  NamePool names;
  const auto functions = NamePlaces(sampled, sources, names);
  FoldedStacks folded;
  for (const auto& [places, counts] : sampled.stacks()) {
    folded.Add(FunctionsOf(places, functions), counts.values);
  }
  auto samples = folded.Samples(names);
  if (records.lost_samples() > 0) {
    samples.push_back({.metric = std::string(kLostSamplesMetric),
                       .value = static_cast<double>(records.lost_samples())});
  }
  if (records.unkept_samples() > 0) {
    samples.push_back({.metric = std::string(kUnkeptSamplesMetric),
                       .value = static_cast<double>(records.unkept_samples())});
  }
  return samples;
}

}  // namespace benchd
