#pragma once

#include "core/base/result.h"
#include "core/model/session.h"

namespace benchd {

/// What a session that goes on finds of the machine it began on.
enum class MachineAgain {
  kSame,      ///< nothing has to be done again
  kRebooted,  ///< caches are cold and addresses new: setup and warm-up run again
};

/// Compares the records of two moments of a session: kernel, CPU and microcode have to be the same,
/// as runs before and after another one are not comparable. A fact that either record lacks is not
/// compared.
///
/// @errors kFailedPrecondition naming the fact with both values.
Result<MachineAgain> CompareMachines(const Environment& before, const Environment& now);

}  // namespace benchd
