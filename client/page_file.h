#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/commands.h"
#include "client/export_files.h"

namespace benchd::client {

/// Where a command puts a page: a file that appears whole, or stdout.
class PageFile {
 public:
  /// By --output; without it, and with -, stdout.
  /// @errors (exit 2) stdout together with --json; those of NewFile::Prepare().
  static Result<PageFile> Prepare(const CommandContext& context);

  /// What has a name is told by it, on stderr or as event `report`.
  /// @param sources  what the page is about
  /// @errors the system's
  Result<void> Write(const std::string& page, const std::vector<std::string>& sources) const;

 private:
  std::optional<NewFile> file_;
  std::string path_;
  bool json_ = false;
};

}  // namespace benchd::client
