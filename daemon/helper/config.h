#pragma once

#include <string_view>

#include "daemon/base/result.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// The [runner] section of a configuration (TOML); the other sections are benchd's business.
/// @errors kInvalidArgument "line 3: ..." for what is no TOML, an unknown key, a value of wrong
/// type.
Result<wire::RunnerConfig> ParseRunnerConfig(std::string_view text);

}  // namespace benchd
