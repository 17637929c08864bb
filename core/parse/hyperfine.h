#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/parse/harness_output.h"

namespace benchd {

/// What hyperfine writes by `--export-json`. Pure; any thread.
///
/// NAME is time (one sample a run of the command), user and system (its means, one sample), all in
/// seconds and lower is better, and memory_usage (bytes) from versions that measure it. INNER is
/// the command as hyperfine names it (-n), but not when there is only one: two arms time two
/// different commands, and are to be compared.
///
/// @errors kInvalidArgument "line 3: ...": no JSON, a time that is missing or no number, a command
///         twice.
Result<HarnessOutput> ParseHyperfine(std::string_view text);

}  // namespace benchd
