#include "client/table_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benchd::client {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

// Gone with this process, however that ends.
Result<UniqueFd> MakeNamelessFile() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return SystemError("TMPDIR", error.value());
  std::string path = (folder / "benchctl-XXXXXX").string();
  UniqueFd file(mkostemp(path.data(), O_CLOEXEC));
  if (!file || unlink(path.c_str()) != 0) return SystemError(path, errno);
  return file;
}

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
  if (fstat(fd_.get(), &opened_) != 0 || !S_ISREG(opened_.st_mode)) return;
  const off_t begin = lseek(fd_.get(), 0, SEEK_CUR);
  can_go_back_ = begin >= 0;
  begin_ = static_cast<std::uint64_t>(std::max<off_t>(0, begin));
}

Result<TableFile> TableFile::Open(const std::string& path) {
  if (path == "-") {
    if (isatty(STDIN_FILENO) == 1) {
      return UsageError("-: stdin is a terminal: there is no table to read",
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

Result<void> TableFile::Rewind() {
  at_ = 0;
  return {};
}

Result<std::string_view> TableFile::Read() {
  buffer_.resize(kPieceBytes);
  const bool again = can_go_back_ || at_ < kept_;
  if (again) {
    const int from = can_go_back_ ? fd_.get() : copy_.get();
    return Taken(Repeat([&] {
      return pread(from, buffer_.data(), buffer_.size(), static_cast<off_t>(begin_ + at_));
    }));
  }
  if (ended_) return std::string_view();
  const auto next = Taken(Repeat([&] { return read(fd_.get(), buffer_.data(), buffer_.size()); }));
  if (!next) return next;
  ended_ = next->empty();
  if (Result<void> kept = Keep(*next); !kept) return std::move(kept).error();
  return next;
}

Result<std::string_view> TableFile::Taken(ssize_t count) {
  if (count < 0) return Error{ErrorCode::kInvalidArgument, name_ + ": " + std::strerror(errno), {}};
  if (Result<void> unchanged = CheckUnchanged(); !unchanged) return std::move(unchanged).error();
  at_ += static_cast<std::uint64_t>(count);
  return std::string_view(buffer_.data(), static_cast<std::size_t>(count));
}

Result<void> TableFile::Keep(std::string_view bytes) {
  if (bytes.empty()) return {};
  if (!copy_) {
    Result<UniqueFd> made = MakeNamelessFile();
    if (!made) return std::move(made).error();
    copy_ = std::move(made).value();
  }
  if (bytes.size() > kMostKeptBytes - kept_) {
    return Error{ErrorCode::kResourceExhausted,
                 "table: over " + std::to_string(kMostKeptBytes >> 20U) + " MiB",
                 "leave out columns that do not matter, or analyze it in parts"};
  }
  kept_ += bytes.size();
  return WriteAll(copy_.get(), bytes, "keeping " + name_ + " for a second reading");
}

Result<void> TableFile::CheckUnchanged() const {
  if (!can_go_back_) return {};
  struct stat now {};
  if (fstat(fd_.get(), &now) == 0 && now.st_size == opened_.st_size &&
      now.st_mtim.tv_sec == opened_.st_mtim.tv_sec &&
      now.st_mtim.tv_nsec == opened_.st_mtim.tv_nsec) {
    return {};
  }
  return Error{ErrorCode::kInvalidArgument, name_ + ": it changes while it is read",
               "wait until it is complete, or analyze a copy"};
}

Result<std::string> TableFile::ReadAll() {
  Result<std::string> all = benchd::ReadAll(fd_.get(), name_, kMostWholeBytes);
  if (!all) return UsageError(std::move(all).error().message);
  if (all->size() <= kMostWholeBytes) return all;
  return Error{ErrorCode::kResourceExhausted,
               name_ + ": file: over " + std::to_string(kMostWholeBytes >> 20U) + " MiB",
               "split it, or leave out what does not matter"};
}

}  // namespace benchd::client
