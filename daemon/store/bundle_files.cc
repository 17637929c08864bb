#include "daemon/store/bundle_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/model/limits.h"
#include "daemon/store/state_files.h"

namespace benchd {
namespace {

constexpr char kField[] = "bundle";
constexpr std::string_view kUnfinished = ".part";

/// A file in the folder and the parts of its name.
struct BundleFile {
  std::filesystem::path path;
  std::string uid;
  std::string name;  ///< the session's id; during an upload, random characters and kUnfinished
};

/// Lists the folder completely before the caller removes files, because readdir() may skip entries
/// if the folder changes meanwhile.
Result<std::vector<BundleFile>> FilesIn(const std::filesystem::path& folder) {
  std::vector<BundleFile> files;
  std::error_code failed;
  std::filesystem::directory_iterator entries(folder, failed);
  for (; !failed && entries != std::filesystem::directory_iterator(); entries.increment(failed)) {
    const std::string name = entries->path().filename().string();
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos) continue;
    files.push_back({entries->path(), name.substr(0, dash), name.substr(dash + 1)});
  }
  if (failed) return SystemError(folder.string(), failed.value());
  return files;
}

Error NoRoom() {
  Error error = store::StateDiskFull();
  error.message =
      std::string(kField) + ": not enough space on the disk of benchd's state directory";
  return error;
}

/// Returns an error without the file's name, because it is sent to the uploader, who does not own
/// the file.
Error NotKept(int errno_value) {
  if (errno_value == ENOSPC || errno_value == EDQUOT) return NoRoom();
  return SystemError(kField, errno_value);
}

/// Reserves the whole size at once. A bundle that does not fit is thus refused before it is sent,
/// and an unfinished upload counts with its full size.
/// @return whether the file system reserved the space; not every file system can.
Result<bool> TakeRoom(int file, std::uint64_t bytes) {
  const auto size = static_cast<off_t>(bytes);
  if (::fallocate(file, 0, 0, size) == 0) return true;
  if (errno == ENOSPC || errno == EDQUOT) return NoRoom();
  if (::ftruncate(file, size) == 0) return false;
  return NotKept(errno);
}

bool LooksLikeBundle(std::string_view data) {
  return data.starts_with("# v2 git bundle\n") || data.starts_with("# v3 git bundle\n");
}

}  // namespace

BundleUpload::BundleUpload(UniqueFd file, std::filesystem::path path, const BundleClaim& claim)
    : file_(std::move(file)), path_(std::move(path)), claim_(claim) {
  sha256_init(&digest_);
}

BundleUpload::~BundleUpload() {
  if (file_ && !kept_) ::unlink(path_.c_str());
}

Result<void> BundleUpload::Append(std::string_view data, std::uint64_t room) {
  if (data.empty()) return {};
  if (written_ == 0 && !LooksLikeBundle(data)) {
    return InvalidArgument(kField, "not a git bundle", "create one with git bundle create");
  }
  if (data.size() > claim_.bytes - written_) {
    return InvalidArgument(kField, fmt::format("larger than the announced {} bytes", claim_.bytes));
  }
  if (!has_room_ && data.size() > room) return NoRoom();
  if (!WriteAll(file_.get(), data, kField)) return NotKept(errno);  // of the last write
  written_ += data.size();
  sha256_update(&digest_, data.size(), reinterpret_cast<const std::uint8_t*>(data.data()));
  return {};
}

Result<void> BundleUpload::Finish() {
  if (written_ < claim_.bytes) {
    return InvalidArgument(kField,
                           fmt::format("ended after {} of {} bytes", written_, claim_.bytes));
  }
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> sha256{};
  sha256_digest(&digest_, sha256.size(), sha256.data());
  if (sha256 != claim_.sha256) {
    return InvalidArgument(kField, "its SHA-256 digest does not match: it was damaged in transit",
                           "send it again");
  }
  if (::fsync(file_.get()) != 0) return NotKept(errno);
  return {};
}

Result<void> BundleUpload::KeepFor(const SessionId& session) {
  const std::string name = path_.filename().string();
  const std::filesystem::path kept =
      path_.parent_path() / (name.substr(0, name.find('-') + 1) + session.value);
  if (::rename(path_.c_str(), kept.c_str()) != 0) return NotKept(errno);
  path_ = kept;
  kept_ = true;
  return store::Sync(path_.parent_path());
}

Result<BundleFiles> BundleFiles::Open(const std::filesystem::path& state_dir) {
  const std::filesystem::path folder = state_dir / "bundles";
  TRY_VOID(store::MakeFolder(folder));
  return BundleFiles(folder);
}

Result<BundleUpload> BundleFiles::Begin(std::uint32_t uid, const BundleClaim& claim,
                                        const BundleLimits& limits, std::uint64_t room) const {
  if (claim.bytes == 0) return InvalidArgument(kField, "empty");
  if (claim.bytes > limits.bytes) {
    return TooLarge(Limit::kBundle, claim.bytes, limits.bytes);
  }
  TRY(std::vector<BundleFile> files, FilesIn(folder_));
  const std::string user = std::to_string(uid);
  std::uint64_t used = 0;
  std::size_t uploads = 0;
  for (const BundleFile& file : files) {
    struct stat info {};
    if (file.uid != user || ::stat(file.path.c_str(), &info) != 0) continue;
    used += static_cast<std::uint64_t>(info.st_size);
    uploads += file.name.ends_with(kUnfinished) ? 1 : 0;
  }
  if (uploads >= limits.uploads_a_user) {
    return OverLimit(Limit::kUploadsAUser, uploads, limits.uploads_a_user, uid);
  }
  if (used + claim.bytes > limits.bytes_a_user) {
    return OverLimit(Limit::kBundlesAUser, used + claim.bytes, limits.bytes_a_user, uid);
  }
  if (claim.bytes > room) return NoRoom();
  std::string path = (folder_ / (user + "-XXXXXX")).string() + std::string(kUnfinished);
  UniqueFd file(::mkostemps(path.data(), static_cast<int>(kUnfinished.size()), O_CLOEXEC));
  if (!file) return NotKept(errno);
  BundleUpload upload(std::move(file), path, claim);
  TRY(bool taken, TakeRoom(upload.file_.get(), claim.bytes));
  upload.has_room_ = taken;
  return upload;
}

/// Returns the file of a session's bundle. @errors kNotFound.
Result<std::filesystem::path> BundleFiles::FileOf(const SessionId& session) const {
  TRY(std::vector<BundleFile> files, FilesIn(folder_));
  for (BundleFile& file : files) {
    if (file.name == session.value) return std::move(file.path);
  }
  return Error{ErrorCode::kNotFound,
               std::string(kField) + ": session " + session.value + " does not have one",
               "submit the session again"};
}

Result<std::string> BundleFiles::Read(const SessionId& session, std::uint64_t offset,
                                      std::size_t most) const {
  TRY(std::filesystem::path path, FileOf(session));
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::string data(most, '\0');
  const ssize_t count =
      file ? ::pread(file.get(), data.data(), most, static_cast<off_t>(offset)) : -1;
  if (count < 0) return SystemError(path.string(), errno);
  data.resize(static_cast<std::size_t>(count));
  return data;
}

Result<void> BundleFiles::Remove(const SessionId& session) const {
  Result<std::filesystem::path> path = FileOf(session);
  if (!path && path.error().code == ErrorCode::kNotFound) return {};
  if (!path) return std::move(path).error();
  if (::unlink(path->c_str()) != 0 && errno != ENOENT) return SystemError(path->string(), errno);
  return {};
}

Result<void> BundleFiles::Sweep(const std::set<SessionId>& keep) const {
  TRY(std::vector<BundleFile> files, FilesIn(folder_));
  for (const BundleFile& file : files) {
    if (keep.contains(SessionId{file.name})) continue;
    if (::unlink(file.path.c_str()) != 0) return SystemError(file.path.string(), errno);
  }
  return {};
}

}  // namespace benchd
