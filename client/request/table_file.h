#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/exit_code.h"
#include "core/base/file.h"
#include "core/base/result.h"

namespace benchd::client {

/// A file of existing measurements, or stdin ("-"). It is read once, from its current position.
class TableFile {
 public:
  /// Limit for files of runs or ratings; parse/similarity_input.h further limits the numbers in
  /// them.
  static constexpr std::size_t kMostWholeBytes = std::size_t{32} << 20;

  /// @errors (exit 2) the file cannot be opened; stdin is a terminal.
  static Result<TableFile> Open(const std::string& path);

  /// Returns the name for messages: the path as given, or "stdin".
  const std::string& name() const { return name_; }

  /// Reads the next bytes, which are valid until the next call; empty at the end. Does not wait for
  /// a pipe to fill the buffer.
  ///
  /// @errors kInvalidArgument: the file cannot be read, or another program changed it, so that a
  ///         number may be incomplete.
  Result<std::string_view> Read();

  /// Reads the rest of the file, for callers that need it as a whole.
  ///
  /// @errors (exit 2) the file cannot be read, or has more than `most` bytes.
  Result<std::string> ReadAll(std::size_t most = kMostWholeBytes);

 private:
  TableFile(std::string name, UniqueFd fd);

  bool HasChanged() const;

  std::string name_;
  UniqueFd fd_;
  struct stat opened_ {};  // status at Open()
  std::vector<char> buffer_;
};

/// Makes an error about a file printable, because it may quote any bytes of the file.
Error PrintableError(const Error& error);

}  // namespace benchd::client
