#pragma once

#include <string_view>

namespace benchd {

/// Whether `path`, an absolute path, names a descriptor of the process that opens it: /dev/stdin,
/// /dev/fd/3, /proc/self/fd/0, /proc/1234/fd/5. Such a file differs from run to run: a run would
/// read nothing, or the rest of an earlier run's input. Pure: does not follow links.
bool NamesADescriptor(std::string_view path);

/// The same, but follows symbolic links.
bool LeadsToADescriptor(std::string_view path);

}  // namespace benchd
