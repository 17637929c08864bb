#pragma once

#include <string_view>

namespace benchd {

/// Whether `path`, an absolute one, names a descriptor of whoever opens it: /dev/stdin, /dev/fd/3,
/// /proc/self/fd/0. As a file of the commands that is none of the caller's, and of no run alike: a
/// run would read nothing, or what is left. Pure: links are not followed.
bool NamesADescriptor(std::string_view path);

}  // namespace benchd
