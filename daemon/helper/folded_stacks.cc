#include "daemon/helper/folded_stacks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "daemon/wire/profile_stream.h"

namespace benchd {
namespace {

constexpr std::string_view kOtherStacks = "[other]";

std::string TextOfStack(const NamedStack& stack, const NamePool& names) {
  std::string text;
  for (const std::uint32_t name : stack) {
    if (!text.empty()) text += ';';
    text += names[name];
  }
  return text;
}

std::string_view MetricOfIndex(std::size_t kind) {
  return wire::MetricOf(static_cast<wire::ProfileEventKind>(kind));
}

/// Returns the bytes of a stack's samples in an answer (wire/codec.h).
std::size_t EncodedBytes(const std::string& stack, const KindValues& values) {
  constexpr std::size_t kNumbers =
      2 * sizeof(std::uint32_t) + sizeof(Sample::iteration) + sizeof(Sample::value);
  std::size_t bytes = 0;
  for (std::size_t kind = 0; kind < values.size(); ++kind) {
    if (values[kind] > 0) bytes += kNumbers + MetricOfIndex(kind).size() + stack.size();
  }
  return bytes;
}

void AddSamples(const std::string& stack, const KindValues& values, std::vector<Sample>& samples) {
  for (std::size_t kind = 0; kind < values.size(); ++kind) {
    if (values[kind] == 0) continue;
    samples.push_back({.metric = std::string(MetricOfIndex(kind)),
                       .inner_benchmark = stack,
                       .value = static_cast<double>(values[kind])});
  }
}

double GreatestShare(const KindValues& values, const KindValues& totals) {
  double share = 0;
  for (std::size_t kind = 0; kind < values.size(); ++kind) {
    if (totals[kind] == 0) continue;
    share = std::max(share, static_cast<double>(values[kind]) / static_cast<double>(totals[kind]));
  }
  return share;
}

}  // namespace

std::size_t HashOfNumbers(const std::vector<std::uint32_t>& numbers) {
  // FNV-1a, a number at a time.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::uint32_t number : numbers) hash = (hash ^ number) * 0x100000001b3;
  return static_cast<std::size_t>(hash ^ (hash >> 32U));
}

std::uint32_t NamePool::IndexOf(const std::string& name) {
  const auto [entry, is_new] =
      indices_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(&entry->first);
  return entry->second;
}

std::size_t FoldedStacks::HashOfStack::operator()(const NamedStack& stack) const {
  return HashOfNumbers(stack);
}

void FoldedStacks::Add(NamedStack stack, const KindValues& values) {
  if (stack.size() > kMostFrames) {
    stack.erase(stack.begin(), stack.end() - static_cast<std::ptrdiff_t>(kMostFrames));
  }
  KindValues& sums = stacks_[std::move(stack)];
  for (std::size_t kind = 0; kind < sums.size(); ++kind) sums[kind] += values[kind];
}

/// Returns the stacks by their greatest share of the values of a metric.
std::vector<const FoldedStacks::Stacks::value_type*> FoldedStacks::ByFrequency() const {
  KindValues totals{};
  for (const auto& [stack, values] : stacks_) {
    for (std::size_t kind = 0; kind < totals.size(); ++kind) totals[kind] += values[kind];
  }
  std::vector<std::pair<double, const Stacks::value_type*>> shares;
  shares.reserve(stacks_.size());
  for (const auto& entry : stacks_)
    shares.emplace_back(GreatestShare(entry.second, totals), &entry);
  std::ranges::sort(shares, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->first < b.second->first;
  });
  std::vector<const Stacks::value_type*> sorted;
  sorted.reserve(shares.size());
  for (const auto& [share, entry] : shares) sorted.push_back(entry);
  return sorted;
}

std::vector<Sample> FoldedStacks::Samples(const NamePool& names) const {
  std::vector<Sample> samples;
  KindValues others{};
  std::size_t left = kMostBytes;
  std::size_t kept = 0;
  for (const auto* const entry : ByFrequency()) {
    if (kept < kMostStacks) {
      const std::string text = TextOfStack(entry->first, names);
      const std::size_t bytes = EncodedBytes(text, entry->second);
      if (bytes <= left) {
        left -= bytes;
        ++kept;
        AddSamples(text, entry->second, samples);
        continue;
      }
      // A rarer stack does not take the place of one that did not fit.
      kept = kMostStacks;
    }
    for (std::size_t kind = 0; kind < others.size(); ++kind) others[kind] += entry->second[kind];
  }
  AddSamples(std::string(kOtherStacks), others, samples);
  return samples;
}

}  // namespace benchd
