#pragma once

#include <string_view>

namespace benchd {

/// Whether `path`, an absolute one, names a descriptor of the process that opens it: /dev/stdin,
/// /dev/fd/3, /proc/self/fd/0, /proc/1234/fd/5. Such a file differs from run to run: a run would
/// read nothing, or what an earlier one left. Pure: links are not followed.
bool NamesADescriptor(std::string_view path);

/// Whether `path`, an absolute one, names a descriptor itself or by way of links.
bool LeadsToADescriptor(std::string_view path);

}  // namespace benchd
