#include "core/parse/process_series.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/parse/harness_builder.h"

namespace benchd {

void AddToLastProcess(const PrintedNumber& number, ProcessSeries& series) {
  double& step = series.metric.resolution;
  if (number.resolution > 0) {
    step = step > 0 ? std::min(step, number.resolution) : number.resolution;
  }
  series.processes.back().push_back(number.value);
}

Result<HarnessOutput> OutputOfReport(const ProcessReport& report, std::string_view hint,
                                     std::string_view expected) {
  HarnessBuilder builder(hint);
  for (const ProcessSeries& series : report.series) {
    const MetricInfo& info = series.metric;
    const HarnessMetric metric{series.benchmark, info.name, info.unit, info.better,
                               info.by_name_only};
    for (const std::vector<double>& process : series.processes) {
      for (const double value : process) {
        TRY_VOID(builder.AddAt(series.line, metric, {value, info.resolution}));
      }
    }
  }
  TRY(auto output, std::move(builder).Finish(expected));
  output.means_alone = report.means_alone;
  return output;
}

}  // namespace benchd
