#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace benchd {

// Whole files through a descriptor; the only system calls of core/, which is else free of them.

/// The rest of what `fd` has, from where it stands. Stops once there are more than `most` bytes:
/// who has a limit compares the size with it, and says in its own words what is too large.
///
/// @param name  of the file, for the error
/// @errors the system's
Result<std::string> ReadAll(int fd, std::string_view name,
                            std::size_t most = std::numeric_limits<std::size_t>::max());

/// @errors the system's; then a part may have been written.
Result<void> WriteAll(int fd, std::string_view text, std::string_view name);

}  // namespace benchd
