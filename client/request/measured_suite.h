#pragma once

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// Turns the spec of a suite, which may have been written for `compare`, into one whose arms are
/// measured: settings that only a verdict has are left out, and margins become widths. Pure.
///
/// - Left out are the settings of a verdict (ClearVerdictSettings()), and the method and schedule,
///   because a measured arm runs once per block.
/// - The width of a relative margin is its size, whatever its sign. That of the session is the
///   precision, unless the suite states one.
/// - Absolute and exact margins have no width, so the precision applies. With an exact number of
///   runs, nothing has a width.
void MeasureSuite(v1::SessionSpec* spec);

}  // namespace benchd::client
