#include "daemon/helper/sampled_places.h"

#include <linux/perf_event.h>

#include <cstring>
#include <utility>

namespace benchd {
namespace {

/// Returns the addresses of a sample in user mode, from the innermost function outwards.
std::vector<std::uint64_t> UserAddresses(std::string_view chain) {
  std::vector<std::uint64_t> addresses;
  bool user = true;
  for (; chain.size() >= sizeof(std::uint64_t); chain.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t address = 0;
    std::memcpy(&address, chain.data(), sizeof(address));
    if (address >= PERF_CONTEXT_MAX) {
      user = address == PERF_CONTEXT_USER;
    } else if (user) {
      addresses.push_back(address);
    }
  }
  return addresses;
}

}  // namespace

std::size_t SampledPlaces::HashOfPlace::operator()(const CodePlace& place) const {
  const auto low = static_cast<std::uint32_t>(place.offset);
  const auto high = static_cast<std::uint32_t>(place.offset >> 32U);
  return HashOfNumbers({place.file, place.pid, low, high});
}

void SampledPlaces::OnSample(const SampleRecord& sample) {
  PlaceStack stack;
  for (const std::uint64_t address : UserAddresses(sample.chain)) {
    // All but the first are the addresses to which calls return. The call is before.
    const bool innermost = stack.empty();
    stack.push_back(PlaceAt(sample.pid, innermost ? address : address - 1));
    // The chain of frame pointers leads nowhere once a function used the register for other values.
    if (stack.back() == kUnknown && !innermost) break;
  }
  if (stack.empty()) stack.push_back(kUnknown);
  Counts& counts = stacks_[std::move(stack)];
  ++counts.samples;
  counts.values[static_cast<std::size_t>(sample.kind)] +=
      sample.kind == wire::ProfileEventKind::kTime ? 1 : sample.period;
}

std::uint32_t SampledPlaces::PlaceAt(std::uint32_t pid, std::uint64_t address) {
  const auto place = spaces_.Find(pid, address);
  if (!place) return kUnknown;
  const auto next = static_cast<std::uint32_t>(places_.size());
  const auto found = indices_.find(*place);
  if (found != indices_.end()) return found->second;
  if (places_.size() >= kMostPlaces) return kUnknown;
  indices_.emplace(*place, next);
  places_.push_back(*place);
  return next;
}

}  // namespace benchd
