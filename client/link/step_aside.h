#pragma once

#include "client/link/link_options.h"

namespace benchd::client {

/// Keeps a command that computes on this machine from disturbing measurements on it.
///
/// Lowers the priority of this thread and of the threads that it starts later. If a daemon answers
/// at once, the process also moves to its housekeeping CPUs. No daemon is started for this, and
/// a missing daemon is not reported.
void StepAside(const LinkOptions& link);

}  // namespace benchd::client
