#pragma once

#include <string>
#include <string_view>

#include "core/analysis/machine_combination.h"
#include "core/base/result.h"

namespace benchd::client {

/// What `combine` needs of a session in the text of `export --format json`: which session it was,
/// on which machine, and what its gates came to. The runs are skipped.
///
/// @param source  how messages call the text: its file's name; in front of every error
/// @errors kFailedPrecondition for an export that does not count, because it was cut off or its
///         session has no verdict; kInvalidArgument for what is no export, or one of a benchd that
///         did not name its machine yet.
Result<MachineSession> ReadSessionExport(std::string_view text, const std::string& source);

}  // namespace benchd::client
