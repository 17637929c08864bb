#include "client/present/row_selection.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/model/metric.h"

namespace benchd::client {
namespace {

constexpr std::size_t kMostOthers = 10;

// Returns whether the comparison has a flag or, for a metric without a direction, a clear change. A
// flag without an interval that excludes zero (as in older records) is shown only in the full
// table.
bool ClearlyChanged(const v1::Comparison& c) {
  const bool flagged = c.flag() == v1::FLAG_WORSE || c.flag() == v1::FLAG_IMPROVEMENT;
  return (flagged || c.better() == v1::BETTER_UNSPECIFIED) && JudgedBy(c).ExcludesNoChange();
}

// Returns whether a measured metric was zero in all runs of both arms. A gate of it is a result.
bool IsZeroInBothArms(const v1::Comparison& c) {
  return !IsGate(c) && FindBuiltinMetric(c.metric()) != nullptr && c.has_mean_reference() &&
         c.has_mean_candidate() && c.mean_reference() == 0 && c.mean_candidate() == 0;
}

// Groups the candidates of each metric; benchmarks and metrics keep their order.
void GroupByMetric(Comparisons* rows, bool by_benchmark) {
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> ranks;
  const auto rank = [&ranks](std::string_view benchmark, std::string_view metric) {
    return ranks.try_emplace({benchmark, metric}, ranks.size()).first->second;
  };
  const auto key = [&](const v1::Comparison* c) {
    const std::size_t of_benchmark = rank(c->benchmark(), "");
    return std::tuple(by_benchmark ? of_benchmark : 0, !IsGate(*c), of_benchmark,
                      rank(c->benchmark(), c->metric()));
  };
  for (const v1::Comparison* c : *rows) key(c);
  std::ranges::stable_sort(*rows, {}, key);
}

}  // namespace

RowSelection SelectRows(const v1::Update& update, RowsShown shown) {
  RowSelection selection;
  const bool no_gates = GatesOf(update).empty();
  std::size_t others = 0;
  for (const v1::Comparison& c : update.comparisons()) {
    const bool changed = c.control() == v1::CONTROL_STATE_CHANGED;  // also of a placebo
    const bool in_any_case = shown == RowsShown::kAll || no_gates || IsGate(c) || changed;
    if (shown != RowsShown::kAll && !IsGate(c) && IsDisturbanceMetric(c.metric())) continue;
    if (RepeatsCpuTime(c, update)) {
      selection.repeats_cpu_time = true;
    } else if (shown != RowsShown::kAll && IsZeroInBothArms(c)) {
      ++selection.unchanged;
    } else if (!in_any_case && !ClearlyChanged(c)) {
      ++selection.unchanged;
    } else if (!in_any_case && ++others > kMostOthers) {
      ++selection.changed;
    } else {
      selection.rows.push_back(&c);
    }
  }
  GroupByMetric(&selection.rows, shown == RowsShown::kAll);
  return selection;
}

std::string UnchangedWords(const v1::Update& update, const RowSelection& selection) {
  if (selection.unchanged == 0) return "";
  // With one pair of arms in one benchmark, the rows are metrics.
  const v1::Comparison& first = update.comparisons(0);
  const bool metrics = std::ranges::all_of(update.comparisons(), [&first](const auto& c) {
    return c.benchmark() == first.benchmark() && c.reference() == first.reference() &&
           c.candidate() == first.candidate();
  });
  return Counted(selection.unchanged, metrics ? "other metric" : "other comparison") +
         ": no clear change";
}

}  // namespace benchd::client
