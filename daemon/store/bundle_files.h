#pragma once

#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/model/limits.h"
#include "core/model/session_spec.h"

namespace benchd {

/// Limits of the disk space for the git bundles of sessions that have not ended.
struct BundleLimits {
  std::uint64_t bytes = Budgets().At(Limit::kBundle);               ///< of one bundle
  std::uint64_t bytes_a_user = Budgets().At(Limit::kBundlesAUser);  ///< of all bundles of a user
  /// The number of simultaneous uploads of one user.
  std::uint64_t uploads_a_user = Budgets().At(Limit::kUploadsAUser);
  bool operator==(const BundleLimits&) const = default;
};

/// The size and digest of a bundle, announced before its content is sent.
struct BundleClaim {
  std::uint64_t bytes = 0;
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> sha256{};
};

/// Stands for unknown free space; writes may then fail.
inline constexpr std::uint64_t kAnyRoom = std::numeric_limits<std::uint64_t>::max();

/// An upload in progress. Its file is deleted with this object unless KeepFor() has assigned it to
/// a session. Movable, not copyable.
///
/// The daemon inspects only the first line of the content. The session unpacks the bundle as the
/// user who submitted it.
class BundleUpload {
 public:
  BundleUpload(BundleUpload&& other) noexcept = default;
  BundleUpload& operator=(BundleUpload&&) = delete;
  ~BundleUpload();

  /// Appends content to the file.
  /// @param room  bytes that may still be written to the disk; ignored if the space of the file is
  ///              reserved
  /// @errors kInvalidArgument if the content exceeds the announced size or is not a git bundle;
  ///         those of the file system.
  Result<void> Append(std::string_view data, std::uint64_t room = kAnyRoom);
  /// Checks that the content is complete and syncs it to the disk.
  /// @errors kInvalidArgument if the size or the digest does not match the announcement; those of
  ///         the file system.
  Result<void> Finish();
  /// Assigns the file to a session.
  /// @errors those of the file system.
  Result<void> KeepFor(const SessionId& session);

 private:
  friend class BundleFiles;
  BundleUpload(UniqueFd file, std::filesystem::path path, const BundleClaim& claim);

  UniqueFd file_;  ///< empty after a move
  std::filesystem::path path_;
  BundleClaim claim_;
  std::uint64_t written_ = 0;
  sha256_ctx digest_{};
  bool has_room_ = false;  ///< disk space is reserved for the announced size
  bool kept_ = false;
};

/// The git bundles of sessions that have not ended. Each is a file STATE/bundles/UID-ID (mode 0600
/// in a folder of mode 0700), or UID-XXXXXX.part during the upload. A user's total is computed from
/// the files with that uid, so it is correct even after a crash.
/// @errors of all functions: those of the system calls. Errors of an upload do not contain the
///         file's name, because they are sent to the uploader.
class BundleFiles {
 public:
  /// Creates the folder in `state_dir`.
  static Result<BundleFiles> Open(const std::filesystem::path& state_dir);

  /// Starts an upload of that user and reserves disk space for it. `room` is the free space.
  /// @errors kInvalidArgument for an empty bundle; kResourceExhausted if it exceeds a limit or the
  ///         free space.
  Result<BundleUpload> Begin(std::uint32_t uid, const BundleClaim& claim,
                             const BundleLimits& limits, std::uint64_t room = kAnyRoom) const;
  /// Reads part of a session's bundle; empty at its end.
  /// @errors kNotFound if the session does not have a bundle.
  Result<std::string> Read(const SessionId& session, std::uint64_t offset, std::size_t most) const;
  /// Deletes a session's bundle, if there is one.
  Result<void> Remove(const SessionId& session) const;
  /// Deletes all bundles except those of `keep`, for cleanup after a crash.
  Result<void> Sweep(const std::set<SessionId>& keep) const;

 private:
  explicit BundleFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<std::filesystem::path> FileOf(const SessionId& session) const;

  std::filesystem::path folder_;
};

}  // namespace benchd
