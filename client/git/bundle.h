#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/app/exit_code.h"
#include "client/git/git.h"
#include "client/git/repository.h"
#include "core/base/file.h"

namespace benchd::client {

/// Commits with their history as one file, which has no name any more and goes with this.
struct Bundle {
  UniqueFd file;
  std::uint64_t bytes = 0;
  std::array<std::uint8_t, 32> sha256{};
};

/// What the ref of a commit is called inside of a bundle.
std::string BundleRef(const std::string& commit);

/// A git bundle of `commits` and of what is needed to have them beside `known`, which the other
/// end has with all of its history; commits that are not in this repository are ignored there.
/// None: all of them are part of that history.
///
/// Writes nothing into the repository: the refs that a bundle needs lie in a scratch folder.
///
/// @errors (exit 2) a shallow clone, whose history cannot be sent; what git says.
Result<std::optional<Bundle>> MakeBundle(const Repository& repository,
                                         const std::vector<std::string>& commits,
                                         const std::vector<std::string>& known);

/// The bare repository of a user's cache that bundles are unpacked into: worktrees of commits that
/// came from another machine belong to it.
///
/// One for all, beside the folder of the worktrees: what one bundle brought the next one need not
/// bring again, and the same commit is built once, whichever clone it came from. A ref below
/// refs/benchd/DAY/ keeps each commit for as long as snapshots are kept.
class ReceivedRepository {
 public:
  explicit ReceivedRepository(std::string path) : path_(std::move(path)), git_("", path_) {}

  /// Where commits of this format of ids are, by the folder of the worktrees.
  static std::string PathFor(const std::string& root, const std::string& commit);

  /// Whether all of these are there, with their history.
  bool Has(const std::vector<std::string>& commits) const;

  /// Takes commits out of a bundle, and makes the repository where there is none; after an error
  /// nothing of the bundle stays. Its other refs, whatever they are called, are none of ours.
  ///
  /// @errors (exit 2) what git says of the bundle; one that lacks a commit, or history that it
  ///         builds on.
  Result<void> Take(const std::string& bundle, const std::vector<std::string>& commits) const;

  /// Lets go of commits that Take has brought today.
  void Forget(const std::vector<std::string>& commits) const;

  /// Deletes what no ref and no worktree needs any more, once that is worth the while.
  void CollectGarbage() const;

 private:
  Result<void> Make(const std::string& commit) const;
  Result<void> Fetch(const std::string& bundle, const std::vector<std::string>& commits) const;

  std::string path_;
  Git git_;
};

/// The commits that have been received beside that folder of worktrees, the newest hundred or so.
/// Reads names of files only.
std::vector<std::string> ReceivedCommits(const std::string& root);

}  // namespace benchd::client
