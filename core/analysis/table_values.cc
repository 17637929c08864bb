#include "core/analysis/table_values.h"

#include <string>

#include "core/base/error.h"

namespace benchd {

TableValues::TableValues(const TablePlan& plan, Keep keep) : plan_(plan), keep_(keep) {
  for (std::size_t b = 0; b < plan.benchmarks.size(); ++b) {
    const std::size_t cells =
        plan.benchmarks[b].metrics.size() * plan.spec.benchmarks[b].arms.size();
    moments_.emplace_back(keep.moments ? cells : 0);
    values_.emplace_back(keep.values ? cells : 0);
  }
}

Result<void> TableValues::Take(const MeasurementRow& row) {
  if (!keep_.moments && !keep_.values) return {};
  const std::size_t benchmark = *plan_.by_number[row.benchmark];
  const PlannedBenchmark& planned = plan_.benchmarks[benchmark];
  const std::size_t arm = *planned.arms[row.arm];
  for (std::size_t slot = 0; slot < planned.metrics.size(); ++slot) {
    const std::optional<PrintedNumber>& number = row.values[planned.metrics[slot]];
    if (!number) continue;
    const std::size_t cell = CellOf(benchmark, slot, arm);
    if (keep_.moments) moments_[benchmark][cell].Add(number->value);
    if (!keep_.values) continue;
    if (++kept_ > kMaxKeptValues) {
      return InvalidArgument("line " + std::to_string(row.line),
                             "summaries and histograms keep every value, these are over " +
                                 std::to_string(kMaxKeptValues),
                             "leave --stars and --histogram out");
    }
    values_[benchmark][cell].push_back(number->value);
  }
  return {};
}

}  // namespace benchd
