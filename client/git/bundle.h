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

/// Commits with their history, in an unlinked file that is deleted when this object closes it.
struct Bundle {
  UniqueFd file;
  std::uint64_t bytes = 0;
  std::array<std::uint8_t, 32> sha256{};
};

/// Returns the name of a commit's ref inside a bundle.
std::string BundleRef(const std::string& commit);

/// Makes a git bundle of `commits` with the history that the other end lacks. The other end has
/// `known` with their full history; known commits that are not in this repository are ignored.
/// Returns none if the other end has everything already.
///
/// Does not write to the repository: the refs for the bundle are in a scratch folder.
///
/// @errors (exit 2) a shallow clone, whose history cannot be sent; errors of git.
Result<std::optional<Bundle>> MakeBundle(const Repository& repository,
                                         const std::vector<std::string>& commits,
                                         const std::vector<std::string>& known);

/// The bare repository in a user's cache into which bundles are unpacked. Worktrees of commits from
/// other machines belong to it.
///
/// All clones share one repository, next to the folder of the worktrees. A bundle therefore omits
/// the commits of earlier bundles, and each commit is built once, whichever clone it comes from. A
/// ref below refs/benchd/DAY/ keeps each commit for as long as snapshots are kept.
class ReceivedRepository {
 public:
  explicit ReceivedRepository(std::string path) : path_(std::move(path)), git_("", path_) {}

  /// Returns the path of the repository for commits whose IDs have the format of `commit`.
  ///
  /// @param root  the folder of the worktrees
  static std::string PathFor(const std::string& root, const std::string& commit);

  /// Returns whether the repository has all of these commits with their history.
  bool Has(const std::vector<std::string>& commits) const;

  /// Fetches commits from a bundle, and creates the repository if necessary. Other refs in the
  /// bundle are ignored. After an error, no part of the bundle is kept.
  ///
  /// @errors (exit 2) git rejects the bundle; the bundle lacks a commit; the repository lacks
  ///         history on which the bundle depends.
  Result<void> Take(const std::string& bundle, const std::vector<std::string>& commits) const;

  /// Releases commits that Take has fetched today.
  void Forget(const std::vector<std::string>& commits) const;

  /// Deletes unreferenced objects if there are many (`git gc --auto`).
  void CollectGarbage() const;

 private:
  Result<void> Make(const std::string& commit) const;
  Result<void> Fetch(const std::string& bundle, const std::vector<std::string>& commits) const;

  std::string path_;
  Git git_;
};

/// Returns the newest 100 commits of the ReceivedRepository next to `root`, the worktrees' folder.
/// Reads only file names.
std::vector<std::string> ReceivedCommits(const std::string& root);

}  // namespace benchd::client
