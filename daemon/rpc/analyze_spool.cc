#include "daemon/rpc/analyze_spool.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace benchd::rpc {
namespace {

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;
constexpr const char* kWhat = "storing the table";

Error TooLarge(std::uint64_t most_bytes) {
  return Error{ErrorCode::kResourceExhausted,
               "table: over " + std::to_string(most_bytes >> 20U) + " MiB",
               "leave out columns that do not matter, or analyze it in parts"};
}

}  // namespace

Result<AnalyzeSpool> AnalyzeSpool::Make(const std::filesystem::path& directory) {
  return Make(directory, Limits{});
}

Result<AnalyzeSpool> AnalyzeSpool::Make(const std::filesystem::path& directory, Limits limits) {
  std::string name = (directory / "analyze-XXXXXX").string();
  UniqueFd file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return SystemError(kWhat, errno);
  if (::unlink(name.c_str()) != 0) return SystemError(kWhat, errno);
  return AnalyzeSpool(std::move(file), limits);
}

AnalyzeSpool::AnalyzeSpool(UniqueFd file, Limits limits)
    : file_(std::move(file)), limits_(limits), next_look_(limits.look_every_bytes) {}

Result<void> AnalyzeSpool::Append(std::string_view bytes) {
  if (bytes.size() > limits_.most_bytes - bytes_) return TooLarge(limits_.most_bytes);
  if (bytes_ >= next_look_) {
    next_look_ = bytes_ + limits_.look_every_bytes;
    if (Result<void> enough = CheckFreeSpace(); !enough) return enough;
  }
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(kWhat, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    bytes_ += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<void> AnalyzeSpool::CheckFreeSpace() const {
  struct statvfs system {};
  if (::fstatvfs(file_.get(), &system) != 0) return SystemError(kWhat, errno);
  if (system.f_bavail * system.f_frsize >= limits_.keep_free_bytes) return {};
  return Error{ErrorCode::kResourceExhausted,
               std::string(kWhat) + ": the daemon's disk is nearly full",
               "free some of the file system of its state folder"};
}

Result<void> AnalyzeSpool::Rewind() {
  read_ = 0;
  return {};
}

Result<std::string_view> AnalyzeSpool::Read() {
  buffer_.resize(kReadBytes);
  for (;;) {
    const ssize_t got =
        ::pread(file_.get(), buffer_.data(), buffer_.size(), static_cast<off_t>(read_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("reading the table", errno);
    read_ += static_cast<std::uint64_t>(got);
    return std::string_view(buffer_.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace benchd::rpc
