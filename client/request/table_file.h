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

/// A file with numbers that were measured already, or stdin ("-"); read once, from where it stands.
class TableFile {
 public:
  /// Of a file of runs or ratings; the numbers in it are limited further (parse/run_sets.h).
  static constexpr std::size_t kMostWholeBytes = std::size_t{32} << 20;

  /// @errors (exit 2) the file cannot be opened; stdin is a terminal, where nobody types a table.
  static Result<TableFile> Open(const std::string& path);

  /// How messages call it: the path as it was given, or "stdin".
  const std::string& name() const { return name_; }

  /// The next bytes, valid until the next call; empty at the end. Does not wait until a pipe has
  /// given many of them.
  ///
  /// @errors kInvalidArgument: it cannot be read, or another program changes it meanwhile: a number
  ///         may be there by half.
  Result<std::string_view> Read();

  /// Everything, for who reads it once and needs it whole.
  /// @errors it cannot be read (exit 2), or has more than kMostWholeBytes (exit 5).
  Result<std::string> ReadAll();

 private:
  TableFile(std::string name, UniqueFd fd);

  bool HasChanged() const;

  std::string name_;
  UniqueFd fd_;
  struct stat opened_ {};  // as it was then
  std::vector<char> buffer_;
};

/// What core says of a file: may quote any bytes of it, so it is told as a daemon's answer would
/// be.
Error PrintableError(const Error& error);

}  // namespace benchd::client
