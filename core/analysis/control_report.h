#pragma once

#include <string>

#include "core/model/session.h"

namespace benchd {

/// The words about a session whose control changed, with which every sentence about it begins.
inline constexpr char kControlChangedWords[] = "the control changed: the machine, not the code";

/// Completes a report by what its controls show (Comparison::control), after all warnings about
/// single gates have been applied.
///
/// If a control changed, the session is undecided (Report::control_changed), with one warning
/// `control_changed` that names the controls. If a control is open at the end, that is a caution
/// (`control_open`). A warning that invalidates a control alone becomes a caution, because the
/// verdict does not depend on it. Pure, and does nothing to a report without controls.
///
/// @param ended  whether no block follows
void TellControls(bool ended, Report& report);

}  // namespace benchd
