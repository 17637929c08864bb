#include "daemon/helper/sampled_places.h"

#include <linux/perf_event.h>

#include <cstring>
#include <utility>

namespace benchd {
namespace {

/// Returns the addresses of a kernel's chain that are in user mode, from the innermost function
/// outwards. All but the first are those to which calls return, so the call is before.
std::vector<std::uint64_t> UserAddresses(std::string_view chain) {
  std::vector<std::uint64_t> addresses;
  bool user = true;
  for (; chain.size() >= sizeof(std::uint64_t); chain.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t address = 0;
    std::memcpy(&address, chain.data(), sizeof(address));
    if (address >= PERF_CONTEXT_MAX) {
      user = address == PERF_CONTEXT_USER;
    } else if (user) {
      addresses.push_back(addresses.empty() ? address : address - 1);
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
  for (const std::uint64_t address : AddressesOf(sample)) {
    stack.push_back(PlaceAt(sample.pid, address));
    // The chain of frame pointers leads nowhere once a function used the register for other values.
    if (stack.back() == kUnknown && stack.size() > 1) break;
  }
  if (stack.empty()) stack.push_back(kUnknown);
  Counts& counts = stacks_[std::move(stack)];
  ++counts.samples;
  counts.values[static_cast<std::size_t>(sample.kind)] +=
      sample.kind == wire::ProfileEventKind::kTime ? 1 : sample.period;
}

std::vector<std::uint64_t> SampledPlaces::AddressesOf(const SampleRecord& sample) {
  if (sample.state.mask != 0) {
    if (!unwinder_) unwinder_.emplace(spaces_);
    auto addresses = unwinder_->AddressesOf(sample.pid, sample.state);
    if (!addresses.empty()) return addresses;
  }
  return UserAddresses(sample.chain);
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
