#pragma once

#include "core/model/session.h"

namespace benchd {

/// Adds what the runner told as it gave the machine back to the record of the session: how each
/// setting stood then, and its warnings to the report, where there is one. Pure.
void TellMachineEnd(const MachineEnd& end, SessionSnapshot& snapshot);

}  // namespace benchd
