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

/// The noise of one metric in a session that compares a program with itself.
struct NoiseFloor {
  std::string metric;
  std::string unit;
  std::uint64_t runs = 0;  ///< number of runs of each arm
  double mean = 0;         ///< over both arms
  double sd = 0;           ///< standard deviation of a single run within an arm
  /// Half the width of the interval of the relative change: the smallest detectable change. Absent
  /// if there were too few runs for an interval.
  std::optional<double> seen;
  /// The smallest detectable change after one minute. An interval shrinks with the square root of
  /// the time.
  std::optional<double> seen_in_minute;
  bool operator==(const NoiseFloor&) const = default;
};

struct Calibration {
  double elapsed_seconds = 0;
  double confidence = 0;
  std::vector<NoiseFloor> metrics;  ///< the gates, in their order

  /// Returns whether the figures for one minute were scaled from another duration.
  bool scaled() const;
};

/// Computes the noise floor of each gate of an update. Pure.
Calibration CalibrationOf(const v1::Update& update);

/// Renders a table, the smallest detectable change and advice. Ends with a newline.
std::string RenderCalibration(const Calibration& calibration, const Style& style);

/// Renders the event "calibration" as one JSON line, without the newline.
std::string CalibrationJson(const Calibration& calibration, const std::string& session,
                            const google::protobuf::Timestamp& now);

/// One setting of a trial, with the medians of its segments.
struct TrialRow {
  std::string name;
  std::string refused;  ///< why the setting was unavailable; empty if it was available
  std::size_t stretches = 0;
  double median_s = 0;
  double spread = 0;                       ///< mean distance from the median, divided by the median
  double tail = 0;                         ///< 95th percentile divided by the median
  double interruptions = 0;                ///< times per run that it lost its CPU to others
  std::optional<double> foreign_switches;  ///< per run; if the kernel reports them
  std::size_t held = 0;                    ///< number of machine settings that were held
  std::size_t wanted = 0;
  std::optional<double> seen_in_minute;  ///< smallest detectable change, a fraction
};

/// The results of a trial.
struct TrialReport {
  std::vector<TrialRow> rows;
  SettingTrial trial;
  std::uint64_t seed = 0;
  double confidence = 0;     ///< confidence of all statements together
  std::size_t runs = 0;      ///< number of runs of one segment, with its discarded beginning
  bool each = false;         ///< the first row has all settings, each other row lacks one
  std::string nothing_held;  ///< why no segment held any machine setting; may be empty
};

/// Renders a table and its conclusions as sentences. Ends with a newline.
std::string RenderSettingTrial(const TrialReport& report, const Style& style);

/// Renders the event "setting_trial" as one JSON line, without the newline.
std::string SettingTrialJson(const TrialReport& report, const google::protobuf::Timestamp& now);

}  // namespace benchd::client
