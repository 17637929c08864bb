#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/metric.h"
#include "core/parse/harness_output.h"

namespace benchd {

/// The raw data of one metric of one benchmark in a JMH report: `values[fork][iteration]`.
///
/// A fork is a process of its own: forks are what may be compared as runs, iterations are what
/// happened inside one.
struct JmhSeries {
  std::string benchmark;  ///< as JMH names it; with parameters "a.B.c:size=10,kind=x"
  std::string metric;     ///< the mode (thrpt, avgt, sample, ss), or a secondary metric's name
  std::string unit;       ///< SI where there is one: "s" for any time per operation, "1/s"
  std::optional<Better> better;
  double resolution = 0;  ///< in `unit`: the last decimal printed, the finest of the series
  bool primary = true;
  std::size_t line = 0;  ///< where its raw data begin, from 1
  std::vector<std::vector<double>> values;
};

/// Reads a report that JMH wrote by `-rf json`. Pure; any thread; as much memory as the report.
///
/// In mode `sample` JMH keeps histograms of each iteration: its value here is their mean.
///
/// @errors kInvalidArgument "line 3: ..." naming what was expected: text that is no JSON or nested
///         too deeply, a benchmark or metric twice, no raw data (jmh.json.rawData=false), a value
///         that JMH wrote as "NaN" or "+INF".
Result<std::vector<JmhSeries>> ReadJmh(std::string_view text);

/// The same as samples of one run: INNER is the benchmark, NAME the metric; forks and iterations
/// are counted through.
Result<HarnessOutput> ParseJmh(std::string_view text);

}  // namespace benchd
