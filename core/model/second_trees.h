#pragma once

#include "core/model/session_spec.h"

namespace benchd {

/// Lets the arms run in the worktrees of the second phase (SessionSpec::confirm), if the client
/// planned some: in each text of an arm and in the input of a benchmark, the folder of a worktree
/// is replaced by that of the second phase (BuildPlan::trees). The programs of these arms become
/// unknown, because the second build creates them.
///
/// A spec without such a plan stays as it is, and so does one that was changed before. Pure.
void UseSecondTrees(SessionSpec& spec);

}  // namespace benchd
