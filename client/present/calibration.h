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

/// One metric of a session that compares a program with itself.
struct NoiseFloor {
  std::string metric;
  std::string unit;
  std::uint64_t runs = 0;  ///< of each arm
  double mean = 0;         ///< of both arms
  double sd = 0;           ///< within the arms, of a single run
  /// Half the width of the interval of the relative change: the smallest detectable change. Absent
  /// if there were too few runs for an interval.
  std::optional<double> seen;
  /// The same after one minute: an interval shrinks with the square root of the time.
  std::optional<double> seen_in_minute;
  bool operator==(const NoiseFloor&) const = default;
};

struct Calibration {
  double elapsed_seconds = 0;
  double confidence = 0;
  std::vector<NoiseFloor> metrics;  ///< the gates, in their order

  /// Whether the figures for one minute were scaled from another duration.
  bool scaled() const;
};

/// The noise floor of each gate of an update. Pure.
Calibration CalibrationOf(const v1::Update& update);

/// A table, the smallest detectable change and advice. Ends with a newline.
std::string RenderCalibration(const Calibration& calibration, const Style& style);

/// event "calibration", without a newline
std::string CalibrationJson(const Calibration& calibration, const std::string& session,
                            const google::protobuf::Timestamp& now);

/// One setting of a trial with the medians of its segments.
struct TrialRow {
  std::string name;
  std::string refused;  ///< why the setting was unavailable; empty if it was available
  std::size_t stretches = 0;
  double median_s = 0;
  double spread = 0;                       ///< mean distance from the median over the median
  double tail = 0;                         ///< 95th percentile over median
  double interruptions = 0;                ///< per run: how often it lost its CPU to others
  std::optional<double> foreign_switches;  ///< per run; where the kernel reports it
  std::size_t held = 0;                    ///< of the setting's machine settings
  std::size_t wanted = 0;
  std::optional<double> seen_in_minute;  ///< smallest change, a fraction (present/calibration.h)
};

/// All results of a trial.
struct TrialReport {
  std::vector<TrialRow> rows;
  SettingTrial trial;
  std::uint64_t seed = 0;
  double confidence = 0;     ///< of all statements together
  std::size_t runs = 0;      ///< of one segment, including its discarded beginning
  bool each = false;         ///< the first row has all settings, each further one lacks one
  std::string nothing_held;  ///< why no segment held any setting of the machine; else empty
};

/// A table and its conclusions in sentences. Ends with a newline.
std::string RenderSettingTrial(const TrialReport& report, const Style& style);

/// event "setting_trial", without a newline.
std::string SettingTrialJson(const TrialReport& report, const google::protobuf::Timestamp& now);

}  // namespace benchd::client
