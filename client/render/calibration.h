#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/render/text.h"

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

}  // namespace benchd::client
