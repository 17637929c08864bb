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

/// The most that git bundles may take until their sessions end.
struct BundleLimits {
  std::uint64_t bytes = Budgets().At(Limit::kBundle);               ///< of one
  std::uint64_t bytes_a_user = Budgets().At(Limit::kBundlesAUser);  ///< of all of a user's
  /// On their way at once, of one user.
  std::uint64_t uploads_a_user = Budgets().At(Limit::kUploadsAUser);
  bool operator==(const BundleLimits&) const = default;
};

/// What a client says of a bundle before it sends it.
struct BundleClaim {
  std::uint64_t bytes = 0;
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> sha256{};
};

/// Nobody knows how much there is: whoever writes will see.
inline constexpr std::uint64_t kAnyRoom = std::numeric_limits<std::uint64_t>::max();

/// A bundle on its way into a file, which goes with this object unless a session has taken it.
/// Moved, not copied.
///
/// Its bytes are nobody's to read here but for the first line: whoever submitted it unpacks it, as
/// themselves, in their session.
class BundleUpload {
 public:
  BundleUpload(BundleUpload&& other) noexcept = default;
  BundleUpload& operator=(BundleUpload&&) = delete;
  ~BundleUpload();

  /// @param room  what may still be written to the disk, where the file has not taken its own
  /// @errors kInvalidArgument: more than was announced, or no git bundle; the file system's.
  Result<void> Append(std::string_view data, std::uint64_t room = kAnyRoom);
  /// All of it has come: on the disk when this answers.
  /// @errors kInvalidArgument: less than was announced, or another digest; the file system's.
  Result<void> Finish();
  /// From now on it is that session's.
  /// @errors the file system's.
  Result<void> KeepFor(const SessionId& session);

 private:
  friend class BundleFiles;
  BundleUpload(UniqueFd file, std::filesystem::path path, const BundleClaim& claim);

  UniqueFd file_;  ///< empty: moved from
  std::filesystem::path path_;
  BundleClaim claim_;
  std::uint64_t written_ = 0;
  sha256_ctx digest_{};
  bool has_room_ = false;  ///< all that was announced is the file's already
  bool kept_ = false;
};

/// The git bundles of sessions that have not ended, a file each: STATE/bundles/UID-ID (0600 in a
/// folder of 0700), and UID-XXXXXX.part while one is on its way. How much a user has is what lies
/// there under that uid: a crash leaves no count behind.
/// @errors all: the system's. What comes of an upload names no file: its sender is told.
class BundleFiles {
 public:
  /// Makes the folder in `state_dir`.
  static Result<BundleFiles> Open(const std::filesystem::path& state_dir);

  /// Takes the room for a bundle of that user's, of the `room` that there is on the disk.
  /// @errors kInvalidArgument for an empty one; kResourceExhausted: over a limit, no room.
  Result<BundleUpload> Begin(std::uint32_t uid, const BundleClaim& claim,
                             const BundleLimits& limits, std::uint64_t room = kAnyRoom) const;
  /// A piece of a session's bundle; empty at its end.
  /// @errors kNotFound: the session has none.
  Result<std::string> Read(const SessionId& session, std::uint64_t offset, std::size_t most) const;
  /// None is a success.
  Result<void> Remove(const SessionId& session) const;
  /// Removes what a crash left: all but the bundles of `keep`.
  Result<void> Sweep(const std::set<SessionId>& keep) const;

 private:
  explicit BundleFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<std::filesystem::path> FileOf(const SessionId& session) const;

  std::filesystem::path folder_;
};

}  // namespace benchd
