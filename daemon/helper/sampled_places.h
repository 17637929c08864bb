#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "daemon/helper/address_space.h"
#include "daemon/helper/folded_stacks.h"
#include "daemon/helper/profile_records.h"
#include "daemon/helper/stack_unwinder.h"

namespace benchd {

/// Places of a sampled stack by their index in SampledPlaces, the innermost first.
using PlaceStack = std::vector<std::uint32_t>;

/// Collects the stacks of a run as places in files, while its processes come and go. The functions
/// at the places are found afterwards, once per place.
class SampledPlaces final : public ProfileConsumer {
 public:
  /// The index of all addresses that belong to no mapping.
  static constexpr std::uint32_t kUnknown = 0;
  /// The maximum number of different places. Further ones are unknown.
  static constexpr std::size_t kMostPlaces = 1'000'000;

  SampledPlaces() = default;
  SampledPlaces(const SampledPlaces&) = delete;
  SampledPlaces& operator=(const SampledPlaces&) = delete;

  /// Closes the files that unwinding needed, after the last record.
  void CloseFiles() { unwinder_.reset(); }

  const AddressSpaces& spaces() const { return spaces_; }
  /// All places; the first one stands for kUnknown.
  const std::vector<CodePlace>& places() const { return places_; }

  struct Counts {
    KindValues values{};
    std::uint64_t samples = 0;
  };
  struct HashOfStack {
    std::size_t operator()(const PlaceStack& stack) const { return HashOfNumbers(stack); }
  };
  using Stacks = std::unordered_map<PlaceStack, Counts, HashOfStack>;
  const Stacks& stacks() const { return stacks_; }

 private:
  struct HashOfPlace {
    std::size_t operator()(const CodePlace& place) const;
  };

  void OnMapping(const MappingRecord& mapping) override { spaces_.Map(mapping); }
  void OnFork(std::uint32_t pid, std::uint32_t parent) override { spaces_.Fork(pid, parent); }
  void OnExec(std::uint32_t pid) override { spaces_.Exec(pid); }
  void OnExit(std::uint32_t pid) override { spaces_.Exit(pid); }
  void OnSample(const SampleRecord& sample) override;
  std::uint32_t PlaceAt(std::uint32_t pid, std::uint64_t address);

  std::vector<std::uint64_t> AddressesOf(const SampleRecord& sample);

  AddressSpaces spaces_;
  std::optional<StackUnwinder> unwinder_;  // from the first sample with registers on
  std::vector<CodePlace> places_{CodePlace{}};
  std::unordered_map<CodePlace, std::uint32_t, HashOfPlace> indices_;
  Stacks stacks_;
};

}  // namespace benchd
