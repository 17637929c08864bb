#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace benchd {

/// kInvalidArgument "FIELD: WHY"; `field` is the option or proto field the user can change.
Error InvalidArgument(std::string_view field, std::string_view why, std::string_view hint = {});

/// The failure of a system call: "WHAT: No such file or directory", code chosen from `errno_value`.
Error SystemError(std::string_view what, int errno_value);

}  // namespace benchd
