#pragma once

#include <optional>
#include <string>

#include "client/app/command.h"
#include "client/ci/plan.h"
#include "core/analysis/calibration_outlook.h"

namespace benchd::client {

/// What came of the calibration of a job.
struct CiCalibration {
  std::optional<CalibrationOutlook> outlook;  ///< absent without a result
  std::string session;
  bool interrupted = false;  ///< the job is not to continue
};

/// Compares the base of a job with itself for CiPlan::calibrate_seconds, and states what the runner
/// can show: in sentences on stderr, or as a JSON line on stdout.
///
/// A calibration that fails is a warning, because it gates nothing.
CiCalibration CalibrateRunner(const CommandContext& context, const CiPlan& plan);

}  // namespace benchd::client
