#pragma once

#include <span>
#include <string>
#include <string_view>

namespace benchd::client {

/// The name that somebody who typed `typed` most likely meant, or "" when none is near: one that
/// begins so (three letters at least), or with at most two letters inserted, left out, changed or
/// swapped, and fewer than half of the word.
std::string Nearest(std::string_view typed, std::span<const std::string_view> names);

}  // namespace benchd::client
