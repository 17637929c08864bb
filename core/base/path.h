#pragma once

#include <string_view>

namespace benchd {

/// Returns whether the absolute path `path` names a file descriptor of a process, such as
/// /dev/stdin, /dev/fd/3, /proc/self/fd/0 or /proc/1234/fd/5. The content of such a file differs
/// from run to run: a run would read nothing, or the rest of the input of an earlier run. Pure:
/// does not follow links.
bool NamesADescriptor(std::string_view path);

/// Like NamesADescriptor(), but follows symbolic links.
bool LeadsToADescriptor(std::string_view path);

}  // namespace benchd
