#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "core/analysis/setting_trial.h"

namespace benchd::client {

/// What a session that compares a program with itself says of one metric.
struct NoiseFloor {
  std::string metric;
  std::string unit;
  std::uint64_t runs = 0;  ///< of each arm
  double mean = 0;         ///< of both arms
  double sd = 0;           ///< within the arms, of a single run
  /// Half the width of the interval of the relative change: the smallest change that stands out.
  /// Absent where there were too few runs for an interval.
  std::optional<double> seen;
  /// The same after a minute: an interval shrinks with the square root of the time.
  std::optional<double> seen_in_minute;
  bool operator==(const NoiseFloor&) const = default;
};

struct Calibration {
  double elapsed_seconds = 0;
  double confidence = 0;
  std::vector<NoiseFloor> metrics;  ///< the gates, in their order

  /// Whether the figures for a minute are others than what was measured.
  bool scaled() const;
};

/// Pure.
Calibration CalibrationOf(const v1::Update& update);

/// A table, what change can be seen, and what to do about it; ends with a newline.
std::string RenderCalibration(const Calibration& calibration, const Style& style);

/// event "calibration", without a newline
std::string CalibrationJson(const Calibration& calibration, const std::string& session,
                            const google::protobuf::Timestamp& now);

/// One setting of a trial and what its stretches showed, in their medians.
struct TrialRow {
  std::string name;
  std::string refused;  ///< why it could not be had; empty: it could
  std::size_t stretches = 0;
  double median_s = 0;
  double spread = 0;                       ///< mean distance from the median over the median
  double tail = 0;                         ///< 95th percentile over median
  double interruptions = 0;                ///< a run: how often it lost its CPU to others
  std::optional<double> foreign_switches;  ///< a run; where the kernel tells
  std::size_t held = 0;                    ///< of its settings of the machine
  std::size_t wanted = 0;
  std::optional<double> seen_in_minute;  ///< smallest change, a fraction (present/calibration.h)
};

/// Everything that a trial found.
struct TrialReport {
  std::vector<TrialRow> rows;
  SettingTrial trial;
  std::uint64_t seed = 0;
  double confidence = 0;     ///< of all statements together
  std::size_t runs = 0;      ///< of a stretch, its discarded beginning too
  bool each = false;         ///< the first row has all settings, each further one lacks one
  std::string nothing_held;  ///< why no setting of the machine was held in any stretch; else empty
};

/// A table, and what to do about it in sentences; ends with a newline.
std::string RenderSettingTrial(const TrialReport& report, const Style& style);

/// event "setting_trial", without a newline.
std::string SettingTrialJson(const TrialReport& report, const google::protobuf::Timestamp& now);

}  // namespace benchd::client
