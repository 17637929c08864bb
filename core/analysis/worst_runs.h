#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Finds the runs that took far longer than the others of their arm, and the disturbances that may
/// explain them.
///
/// Receives the measured runs of a session in order of execution, after its verdict. They are
/// judged by the metric of each benchmark's first gate for which lower is better. Must be used by
/// one thread only.
class WorstRunsAnalysis {
 public:
  /// @param spec    must outlive this object
  /// @param report  the report on all runs, which lists the gates
  WorstRunsAnalysis(const SessionSpec& spec, const Report& report);

  /// Returns whether there is no metric by which runs can be judged, so that no run is needed.
  bool empty() const { return metrics_.empty(); }

  void Add(std::span<const Run> block);

  /// Returns at most three runs beyond Tukey's outer fence, the worst first. Each has the
  /// quantities of which the kernel counted more than in the median run of its arm.
  /// Source: J. W. Tukey, Exploratory Data Analysis (1977).
  std::vector<WorstRun> Conclude() const;

 private:
  static constexpr std::array<const char*, 5> kCauses = {
      "interrupts", "stolen_time", "foreign_switches", "migrations", "involuntary_switches"};
  struct Taken {
    std::uint64_t number = 0;
    double value = 0;
    std::array<std::optional<double>, kCauses.size()> causes{};
  };
  struct Metric {
    std::string name;
    std::string unit;
  };
  using ArmKey = std::pair<std::uint32_t, std::uint32_t>;  // benchmark and arm

  std::vector<RunCause> CausesOf(const Taken& run, const std::vector<Taken>& all) const;

  const SessionSpec& spec_;
  std::map<std::uint32_t, Metric> metrics_;  // by benchmark
  std::map<ArmKey, std::vector<Taken>> arms_;
  std::uint64_t runs_ = 0;
};

}  // namespace benchd
