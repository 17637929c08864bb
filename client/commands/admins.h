#pragma once

#include <string_view>

namespace benchd::client {

/// The definition of admins, for the help of commands that only they may use.
inline constexpr std::string_view kAdmins =
    "Admins are root and the members of the group that the daemon's configuration names "
    "(benchd-admin by default).";

}  // namespace benchd::client
