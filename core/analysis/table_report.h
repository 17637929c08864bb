#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/metric.h"
#include "core/model/session.h"

namespace benchd {

/// What mmtests' report says of one arm in one metric; in the metric's unit. Absent what a sample
/// does not have (docs/statistics.md section 7).
struct ArmSummary {
  std::string benchmark;
  std::string metric;
  std::string unit;
  std::string arm;
  std::optional<Better> better;
  std::uint64_t n = 0;
  double min = 0;
  double lower_quartile = 0;  ///< type 7, as the next two
  double median = 0;
  double upper_quartile = 0;
  double max = 0;
  std::optional<double> mean;  ///< harmonic where higher is better, as the next three
  std::optional<double> standard_deviation;
  std::optional<double> variation;   ///< standard_deviation / mean, a fraction
  std::optional<double> best_mean;   ///< of the best 95 %
  std::vector<std::string> starred;  ///< references from which it differs by the rule of the stars
};

/// How often values of one arm in one metric fall between two edges.
struct ArmHistogram {
  std::string benchmark;
  std::string metric;
  std::string unit;
  std::string arm;
  std::vector<double> edges;          ///< ascending; the same for all arms of a metric
  std::vector<std::uint64_t> counts;  ///< one less than edges
};

/// What the analysis of a table answers.
struct TableReport {
  Report report;           ///< elapsed is 0: a table knows no clock
  bool has_gates = false;  ///< without any the report's verdict means nothing
  /// After how many blocks a method that looks again and again had decided the last gate.
  std::optional<std::uint64_t> decided_at;
  std::vector<ArmSummary> summaries;     ///< by benchmark, metric, arm
  std::vector<ArmHistogram> histograms;  ///< likewise
};

}  // namespace benchd
