#pragma once

#include <string>

#include "client/outcome.h"
#include "client/unique_fd.h"

namespace benchd::client {

/// A table of measurements that is read once, from a file or from stdin ("-").
class TableFile {
 public:
  /// @errors (exit 2) the file cannot be opened; stdin is a terminal, where nobody types a table.
  static Outcome<TableFile> Open(const std::string& path);

  /// How messages call it: the path as it was given, or "stdin".
  const std::string& name() const { return name_; }

  /// The next bytes, `most` at most, in place of what `chunk` held; empty at the end. Does not wait
  /// until there are that many.
  ///
  /// @errors (exit 2) the file cannot be read.
  Outcome<void> Read(std::size_t most, std::string* chunk);

 private:
  TableFile(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  std::string name_;
  UniqueFd fd_;
};

}  // namespace benchd::client
