#pragma once

#include "client/link/link_options.h"

namespace benchd::client {

/// For a command that computes by itself: makes way for whatever is measured on this machine.
///
/// Lowers the priority of this thread, and of those that it starts from now on. If a daemon answers
/// at once the process moves to its housekeeping CPUs, too; none is started for that, and without
/// one nothing is said.
void StepAside(const LinkOptions& link);

}  // namespace benchd::client
