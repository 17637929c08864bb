#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/file_pattern.h"
#include "core/base/result.h"

namespace benchd {

/// A file in which a run left its numbers.
struct ResultFile {
  std::string path;  ///< as found; any bytes
  std::string text;
};

/// Returns a path for a message: one line of UTF-8.
std::string ShownPath(const std::string& path);

/// The maximum number of files that one run may leave.
inline constexpr std::size_t kMaxResultFiles = 10'000;

/// Removes the files that match, in the working directory, so that each file that matches after a
/// run is from that run.
///
/// @errors kInvalidArgument "PATH: is not a regular file", also for a symbolic link, because
/// nothing
///         else is ever removed. Errors of the file system; kResourceExhausted for more than
///         kMaxResultFiles files, or folders that are too large or too deep to search.
Result<void> RemoveResultFiles(const FilePattern& pattern);

/// Reads the files that match, in the order of their paths. Opens no FIFO, device or symbolic link,
/// which could block, or lead to a file that is not from the run.
///
/// @param most_bytes  of all files together
/// @errors kInvalidArgument "no file matches 'x'"; the errors of RemoveResultFiles();
///         kResourceExhausted for more than `most_bytes`
Result<std::vector<ResultFile>> ReadResultFiles(const FilePattern& pattern, std::size_t most_bytes);

}  // namespace benchd
