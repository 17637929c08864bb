#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/render/text.h"
#include "core/analysis/setting_trial.h"

namespace benchd::client {

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
  std::optional<double> seen_in_minute;  ///< smallest change, a fraction (render/calibration.h)
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
