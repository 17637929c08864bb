#pragma once

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// Removes the settings that only a verdict between arms has, from a session that repeats or
/// reuses the spec of a comparison without giving one: one-sidedness, the confidence of passes, the
/// error rate, the confirmation, the placebo, the controls, --keep-all, --early-looks and
/// --fail-fast. Pure.
void ClearVerdictSettings(v1::SessionSpec* spec);

}  // namespace benchd::client
