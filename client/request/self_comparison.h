#pragma once

#include "benchd/v1/session.pb.h"
#include "client/request/spec_input.h"

namespace benchd::client {

/// A width that no interval reaches, so that the session runs until its time limit.
inline constexpr double kUnreachableWidth = 1e-12;

/// Sets `against_itself` if the options ask for a calibration, in which the base is compared with
/// itself: if they have the label kCalibrationLabel. Pure.
///
/// @errors kFailedPrecondition: --layouts, because one build does not show the spread between
/// builds
Result<void> PrepareCalibration(SpecInput* input);

/// Turns a session that compares a candidate with a base into its calibration. Pure.
///
/// Each benchmark has two arms, which are copies of its first reference. The session uses its whole
/// time limit, because no interval reaches the precision that it asks for. It has one phase, no
/// controls, no other limits, and intervals with the level of a regression at both ends. Estimators
/// and methods that permit only one look are replaced by the defaults.
void CompareBaseWithItself(v1::SessionSpec* spec);

}  // namespace benchd::client
