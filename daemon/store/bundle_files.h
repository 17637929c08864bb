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

/// Limits of the space that git bundles take until their sessions end.
struct BundleLimits {
  std::uint64_t bytes = Budgets().At(Limit::kBundle);               ///< of one bundle
  std::uint64_t bytes_a_user = Budgets().At(Limit::kBundlesAUser);  ///< of all bundles of a user
  /// Simultaneous uploads of one user.
  std::uint64_t uploads_a_user = Budgets().At(Limit::kUploadsAUser);
  bool operator==(const BundleLimits&) const = default;
};

/// The announcement of a bundle, which precedes its content.
struct BundleClaim {
  std::uint64_t bytes = 0;
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> sha256{};
};

/// The room is unknown: the write itself may fail.
inline constexpr std::uint64_t kAnyRoom = std::numeric_limits<std::uint64_t>::max();

/// An upload in progress into a file, which is deleted with this object unless a session has taken
/// it. Movable, not copyable.
///
/// The daemon reads only the first line of the content. The session unpacks it as the user who
/// submitted it.
class BundleUpload {
 public:
  BundleUpload(BundleUpload&& other) noexcept = default;
  BundleUpload& operator=(BundleUpload&&) = delete;
  ~BundleUpload();

  /// @param room  bytes that may still be written to the disk, if the file has not reserved its own
  /// @errors kInvalidArgument: more than was announced, or not a git bundle; those of the file
  /// system.
  Result<void> Append(std::string_view data, std::uint64_t room = kAnyRoom);
  /// Checks that all of it has arrived. On return it is on the disk.
  /// @errors kInvalidArgument: less than was announced, or another digest; those of the file
  /// system.
  Result<void> Finish();
  /// Assigns the file to that session.
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
  bool has_room_ = false;  ///< the file has reserved all of the announced size
  bool kept_ = false;
};

/// The git bundles of sessions that have not ended, one file each: STATE/bundles/UID-ID (0600 in a
/// folder of 0700), or UID-XXXXXX.part during the upload. A user's total is computed from the files
/// with that uid, so a crash leaves no wrong count behind.
/// @errors all: those of the system. Errors of an upload name no file, because they go to its
/// sender.
class BundleFiles {
 public:
  /// Makes the folder in `state_dir`.
  static Result<BundleFiles> Open(const std::filesystem::path& state_dir);

  /// Reserves room for a bundle of that user. `room` is the free space.
  /// @errors kInvalidArgument for an empty bundle; kResourceExhausted for a limit or lack of room.
  Result<BundleUpload> Begin(std::uint32_t uid, const BundleClaim& claim,
                             const BundleLimits& limits, std::uint64_t room = kAnyRoom) const;
  /// Part of a session's bundle; empty at its end.
  /// @errors kNotFound: the session has no bundle.
  Result<std::string> Read(const SessionId& session, std::uint64_t offset, std::size_t most) const;
  /// Succeeds if there is no bundle.
  Result<void> Remove(const SessionId& session) const;
  /// Removes what a crash left: all bundles except those of `keep`.
  Result<void> Sweep(const std::set<SessionId>& keep) const;

 private:
  explicit BundleFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<std::filesystem::path> FileOf(const SessionId& session) const;

  std::filesystem::path folder_;
};

}  // namespace benchd
