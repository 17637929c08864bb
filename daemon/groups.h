#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace benchd {

/// The number of a group of this machine; asks the name service, so only at start-up.
std::optional<std::uint32_t> GroupId(const std::string& name);

}  // namespace benchd
