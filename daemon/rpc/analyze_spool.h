#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/analysis/table_source.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace benchd::rpc {

/// A table on its way from a client to its analysis, in a file without a name: gone with this
/// object, also when the daemon dies. Written first, then read; by one thread at a time.
class AnalyzeSpool final : public TableSource {
 public:
  struct Limits {
    std::uint64_t most_bytes = std::uint64_t{8} << 30;
    /// Of the file system, for those who have no other: the store is on it, too.
    std::uint64_t keep_free_bytes = std::uint64_t{512} << 20;
    /// How often that is looked at.
    std::uint64_t look_every_bytes = std::uint64_t{64} << 20;
  };

  /// Makes the file in `directory`, readable by nobody else.
  /// @errors those of the system, kResourceExhausted when the disk is full.
  static Result<AnalyzeSpool> Make(const std::filesystem::path& directory, Limits limits);
  static Result<AnalyzeSpool> Make(const std::filesystem::path& directory);

  /// @errors kResourceExhausted: the table is too large, or the disk (nearly) full.
  Result<void> Append(std::string_view bytes);

  Result<void> Rewind() override;
  Result<std::string_view> Read() override;

  std::uint64_t bytes() const { return bytes_; }

 private:
  AnalyzeSpool(UniqueFd file, Limits limits);

  Result<void> CheckFreeSpace() const;

  UniqueFd file_;
  Limits limits_;
  std::uint64_t bytes_ = 0;
  std::uint64_t next_look_ = 0;
  std::uint64_t read_ = 0;
  std::vector<char> buffer_;
};

}  // namespace benchd::rpc
