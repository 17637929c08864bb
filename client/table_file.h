#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/exit_code.h"
#include "core/analysis/table_shape.h"
#include "core/base/unique_fd.h"

namespace benchd::client {

/// A file with numbers that were measured already, or stdin ("-").
///
/// It can be read again from its beginning: what has none to go back to, a pipe for instance, is
/// kept in a file without a name while it is read for the first time.
class TableFile final : public TableSource {
 public:
  /// Most that is kept of a pipe: one that never ends shall not fill the disk.
  static constexpr std::uint64_t kMostKeptBytes = std::uint64_t{8} << 30;
  /// Of a file of runs or ratings; the numbers in it are limited further (parse/run_set.h).
  static constexpr std::size_t kMostWholeBytes = std::size_t{32} << 20;

  /// @errors (exit 2) the file cannot be opened; stdin is a terminal, where nobody types a table.
  static Result<TableFile> Open(const std::string& path);

  /// How messages call it: the path as it was given, or "stdin".
  const std::string& name() const { return name_; }

  Result<void> Rewind() override;

  /// Does not wait until a pipe has given many bytes.
  ///
  /// @errors kInvalidArgument: it cannot be read, or another program changes it meanwhile: a second
  ///         reading has to find what the first one has. kResourceExhausted: there is no room to
  ///         keep it.
  Result<std::string_view> Read() override;

  /// Everything, for who reads it once and needs it whole.
  /// @errors it cannot be read (exit 2), or has more than kMostWholeBytes (exit 5).
  Result<std::string> ReadAll();

 private:
  TableFile(std::string name, UniqueFd fd);

  Result<std::string_view> Taken(ssize_t count);
  Result<void> Keep(std::string_view bytes);
  Result<void> CheckUnchanged() const;

  std::string name_;
  UniqueFd fd_;
  struct stat opened_ {};     // as it was then
  bool can_go_back_ = false;  // fd_ is a regular file
  std::uint64_t begin_ = 0;   // where it began, if so: stdin may have been read from before
  UniqueFd copy_;             // of what cannot go back
  std::uint64_t kept_ = 0;    // bytes in copy_
  bool ended_ = false;        // the pipe has: what somebody writes to it later is another table
  std::uint64_t at_ = 0;      // how far this reading is
  std::vector<char> buffer_;
};

}  // namespace benchd::client
