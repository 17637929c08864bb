#include "client/request/table_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "client/present/text.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/text.h"

namespace benchd::client {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

template <typename Call>
ssize_t Repeat(Call call) {
  ssize_t count = 0;
  do {
    count = call();
  } while (count < 0 && errno == EINTR);
  return count;
}

}  // namespace

TableFile::TableFile(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {
  // If fstat() fails, the file counts as not regular.
  if (fstat(fd_.get(), &opened_) != 0) opened_.st_mode = 0;
}

Result<TableFile> TableFile::Open(const std::string& path) {
  if (path == "-") {
    if (isatty(STDIN_FILENO) == 1) {
      return UsageError("-: stdin is a terminal",
                        "name a file, or write: benchctl export ID | benchctl analyze -");
    }
    UniqueFd own(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!own) return UsageError("stdin: " + std::string(std::strerror(errno)));
    return TableFile("stdin", std::move(own));
  }
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return UsageError(path + ": " + std::strerror(errno));
  return TableFile(path, std::move(fd));
}

Result<std::string_view> TableFile::Read() {
  buffer_.resize(kPieceBytes);
  const ssize_t count = Repeat([&] { return read(fd_.get(), buffer_.data(), buffer_.size()); });
  if (count < 0) return Error{ErrorCode::kInvalidArgument, name_ + ": " + std::strerror(errno), {}};
  if (HasChanged()) {
    return Error{ErrorCode::kInvalidArgument, name_ + ": changed while it was read",
                 "wait until it is complete, or analyze a copy"};
  }
  return std::string_view(buffer_.data(), static_cast<std::size_t>(count));
}

bool TableFile::HasChanged() const {
  if (!S_ISREG(opened_.st_mode)) return false;
  struct stat now {};
  return fstat(fd_.get(), &now) != 0 || now.st_size != opened_.st_size ||
         now.st_mtim.tv_sec != opened_.st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != opened_.st_mtim.tv_nsec;
}

Result<std::string> TableFile::ReadAll(std::size_t most) {
  Result<std::string> all = benchd::ReadAll(fd_.get(), name_, most);
  if (!all) return UsageError(std::move(all).error().message);
  if (all->size() <= most) return all;
  return UsageError(fmt::format("{}: larger than {} MiB", name_, most >> 20U),
                    "split it, or remove what you do not need");
}

Error PrintableError(const Error& error) {
  return {error.code, OneLine(Utf8Lossy(error.message)), OneLine(Utf8Lossy(error.hint))};
}

}  // namespace benchd::client
