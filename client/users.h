#pragma once

#include <cstdint>
#include <string>

namespace benchd::client {

/// The name of a uid in the system's user database, "uid N" where it has none.
std::string UserName(std::uint32_t uid);

/// $HOME, else what the user database says; empty where neither knows.
std::string HomeDirectory();

}  // namespace benchd::client
