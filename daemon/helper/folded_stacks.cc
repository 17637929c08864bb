#include "daemon/helper/folded_stacks.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
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

void AddTo(KindValues& sums, const KindValues& values) {
  for (std::size_t kind = 0; kind < sums.size(); ++kind) sums[kind] += values[kind];
}

double GreatestShare(const KindValues& values, const KindValues& totals) {
  double share = 0;
  for (std::size_t kind = 0; kind < values.size(); ++kind) {
    if (totals[kind] == 0) continue;
    share = std::max(share, static_cast<double>(values[kind]) / static_cast<double>(totals[kind]));
  }
  return share;
}

/// Returns the entries of a map by their greatest share of the values of a metric.
template <typename Map>
std::vector<const typename Map::value_type*> ByShare(const Map& map, const KindValues& totals) {
  std::vector<std::pair<double, const typename Map::value_type*>> shares;
  shares.reserve(map.size());
  for (const auto& entry : map) shares.emplace_back(GreatestShare(entry.second, totals), &entry);
  std::ranges::sort(shares, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->first < b.second->first;
  });
  std::vector<const typename Map::value_type*> sorted;
  sorted.reserve(shares.size());
  for (const auto& [share, entry] : shares) sorted.push_back(entry);
  return sorted;
}

/// Room for the most frequent entries. A rarer one does not take the place of one that did not fit.
struct Room {
  std::size_t entries;
  std::size_t bytes;

  bool full() const { return entries == 0; }
  bool Take(std::size_t own_bytes) {
    if (full() || own_bytes > bytes) {
      entries = 0;
      return false;
    }
    --entries;
    bytes -= own_bytes;
    return true;
  }
};

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
  AddTo(stacks_[std::move(stack)], values);
}

KindValues FoldedStacks::Totals() const {
  KindValues totals{};
  for (const auto& [stack, values] : stacks_) AddTo(totals, values);
  return totals;
}

std::vector<Sample> FoldedStacks::Samples(const NamePool& names) const {
  std::vector<Sample> samples;
  const KindValues totals = Totals();
  Room whole{kMostStacks, kMostBytes};
  std::unordered_map<std::uint32_t, KindValues> innermost;
  KindValues others{};
  for (const auto* const entry : ByShare(stacks_, totals)) {
    const auto& [stack, values] = *entry;
    // A program may have a million rare stacks, whose texts nobody reads.
    const std::string text = whole.full() ? "" : TextOfStack(stack, names);
    if (whole.Take(EncodedBytes(text, values))) {
      AddSamples(text, values, samples);
    } else {
      AddTo(stack.empty() ? others : innermost[stack.back()], values);
    }
  }
  Room reduced{kMostShort, kMostShortBytes};
  for (const auto* const entry : ByShare(innermost, totals)) {
    const auto& [function, values] = *entry;
    const std::string text = std::string(kOtherStacks) + ";" + names[function];
    if (reduced.Take(EncodedBytes(text, values))) {
      AddSamples(text, values, samples);
    } else {
      AddTo(others, values);
    }
  }
  AddSamples(std::string(kOtherStacks), others, samples);
  return samples;
}

}  // namespace benchd
