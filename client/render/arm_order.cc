#include "client/render/arm_order.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "client/render/text.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

// -1: the second of the pair is clearly lower than the first, 1: higher, 0: neither is clear.
int SideOf(const Comparison& pair) {
  const std::optional<Effect>& effect = pair.change ? pair.change : pair.difference;
  if (!effect || !effect->lo || !effect->hi) return 0;
  return *effect->lo > 0 ? 1 : *effect->hi < 0 ? -1 : 0;
}

// Who of the candidates is clearly better than whom.
class Relation {
 public:
  explicit Relation(const ArmPairs& pairs) : pairs_(pairs) {}

  bool IsBetter(const std::string& arm, const std::string& other) const {
    for (const Comparison& pair : pairs_.comparisons) {
      const int good = pair.better == Better::kHigher ? 1 : -1;
      if (pair.candidate == arm && pair.reference == other) return SideOf(pair) == good;
      if (pair.candidate == other && pair.reference == arm) return SideOf(pair) == -good;
    }
    return false;
  }

  std::ptrdiff_t Wins(const std::string& arm) const {
    return std::ranges::count_if(pairs_.candidates,
                                 [&](const std::string& other) { return IsBetter(arm, other); });
  }

 private:
  const ArmPairs& pairs_;
};

using Group = std::vector<std::string>;

// The best first. Groups follow one another where each of one is clearly better than each behind.
std::vector<Group> GroupsOf(const ArmPairs& pairs) {
  const Relation relation(pairs);
  Group sorted = pairs.candidates;
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [&relation](const std::string& arm) { return relation.Wins(arm); });
  std::vector<Group> groups(1);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const bool clear = std::ranges::all_of(
        sorted.begin(), sorted.begin() + static_cast<int>(i), [&](const std::string& before) {
          return std::all_of(
              sorted.begin() + static_cast<int>(i), sorted.end(),
              [&](const std::string& behind) { return relation.IsBetter(before, behind); });
        });
    if (clear && i > 0) groups.emplace_back();
    groups.back().push_back(sorted[i]);
  }
  return groups;
}

std::string Names(const Group& group) {
  return Join(
      group, ", ", [](const std::string& name) { return Printable(name); }, " and ");
}

// Of those that cannot all be ordered some pairs may be clear.
std::string ClearPairs(const Group& group, const Relation& relation) {
  Group clear;
  for (const std::string& arm : group) {
    for (const std::string& other : group) {
      if (relation.IsBetter(arm, other)) {
        clear.push_back(Printable(arm) + " before " + Printable(other));
      }
    }
  }
  return clear.empty() ? "no clear difference" : "clear is only " + Join(clear, ", ");
}

std::string OrderOf(const ArmPairs& pairs) {
  const Relation relation(pairs);
  const std::vector<Group> groups = GroupsOf(pairs);
  if (groups.size() == 1) {
    return Names(groups.front()) + ": " + ClearPairs(groups.front(), relation);
  }
  const Comparison& first = pairs.comparisons.front();
  const std::string best =
      first.metric == "wall_time"
          ? "fastest"
          : (first.better == Better::kHigher ? "highest " : "lowest ") + Printable(first.metric);
  return best + ": " + Join(groups, ", then ", [&relation](const Group& group) {
           return Names(group) +
                  (group.size() > 1 ? " (" + ClearPairs(group, relation) + ")" : std::string());
         });
}

}  // namespace

std::string RenderArmOrder(std::span<const ArmPairs> benchmarks) {
  std::string text;
  for (const ArmPairs& pairs : benchmarks) {
    if (pairs.comparisons.empty()) continue;
    if (benchmarks.size() > 1) text += Printable(pairs.benchmark) + ": ";
    text += OrderOf(pairs) + "\n";
  }
  return text;
}

}  // namespace benchd::client
