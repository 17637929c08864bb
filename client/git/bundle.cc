#include "client/git/bundle.h"

#include <fcntl.h>
#include <nettle/sha2.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <utility>

#include "client/git/git.h"
#include "client/git/repository.h"
#include "client/git/worktree_plan.h"
#include "client/present/text.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/commit_id.h"

namespace benchd::client {
namespace {

// Makes a repository that has only refs and takes its objects from another one. Its files are
// written directly, because `git init` would obey the GIT_ variables of an alias or hook.
Result<Git> RefsBeside(const std::string& folder, const std::string& objects,
                       const std::vector<std::string>& commits) {
  std::error_code error;
  std::filesystem::create_directories(folder + "/objects/info", error);
  std::filesystem::create_directories(folder + "/" + kSnapshotRefs, error);
  // SHA-256 object names have 64 digits and need an extension of the repository format.
  const bool sha256 = commits.front().size() == 64;
  std::ofstream(folder + "/config")
      << "[core]\n\tbare = true\n\trepositoryformatversion = " << (sha256 ? 1 : 0)
      << (sha256 ? "\n[extensions]\n\tobjectFormat = sha256\n" : "\n");
  std::ofstream(folder + "/HEAD") << "ref: refs/heads/none\n";
  bool written = true;
  for (const std::string& commit : commits) {
    std::ofstream ref(folder + "/" + BundleRef(commit));
    ref << commit << "\n" << std::flush;
    written = written && ref.good();
  }
  std::ofstream alternates(folder + "/objects/info/alternates");
  alternates << objects << "\n" << std::flush;
  if (written && alternates.good()) return Git("", folder);
  return UsageError(folder + ": cannot be written", "set TMPDIR to a directory with more space");
}

// Returns the `ids` of commits that exist here. `git` is the scratch repository, because git would
// fetch the missing objects of a partial clone.
std::vector<std::string> CommitsAmong(const std::vector<std::string>& ids, const Git& git) {
  std::vector<std::string> there;
  if (ids.empty()) return there;
  auto end =
      git.Run({"cat-file", "--batch-check=%(objecttype) %(objectname)"}, Join(ids, "\n") + "\n");
  if (!end) return there;
  constexpr std::string_view kCommit = "commit ";
  for (const std::string& line : Lines(end->out)) {
    if (line.starts_with(kCommit)) there.push_back(line.substr(kCommit.size()));
  }
  return there;
}

Result<Bundle> OpenBundle(const std::string& path) {
  Bundle bundle{UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC)), 0, {}};
  sha256_ctx context;
  sha256_init(&context);
  std::array<std::uint8_t, 64 * 1024> piece;
  ssize_t count = bundle.file ? 1 : -1;
  while (count > 0) {
    count = read(bundle.file.get(), piece.data(), piece.size());
    if (count <= 0) break;
    sha256_update(&context, static_cast<std::size_t>(count), piece.data());
    bundle.bytes += static_cast<std::uint64_t>(count);
  }
  if (count < 0) return UsageError(path + ": " + std::strerror(errno));
  sha256_digest(&context, bundle.sha256.size(), bundle.sha256.data());
  return bundle;
}

}  // namespace

std::string BundleRef(const std::string& commit) { return kSnapshotRefs + commit; }

Result<std::optional<Bundle>> MakeBundle(const Repository& repository,
                                         const std::vector<std::string>& commits,
                                         const std::vector<std::string>& known) {
  TRY(auto shallow, repository.git().Ask({"rev-parse", "--is-shallow-repository"}));
  if (shallow == "true") {
    return UsageError("--host needs the full history; this clone is shallow",
                      "run git fetch --unshallow; in CI, check out the full history");
  }
  const ScratchFolder scratch;
  if (scratch.path().empty()) return UsageError("no directory for temporary files: set TMPDIR");
  TRY(auto git,
      RefsBeside(scratch.path() + "/refs.git", repository.common_dir() + "/objects", commits));
  const std::vector<std::string> there = CommitsAmong(known, git);
  std::vector<std::string> missing = {"rev-list", "--max-count=1"};
  missing.insert(missing.end(), commits.begin(), commits.end());
  missing.push_back("--not");
  missing.insert(missing.end(), there.begin(), there.end());
  TRY(auto first, git.Ask(std::move(missing)));
  if (first.empty()) return std::optional<Bundle>();
  const std::string path = scratch.path() + "/bundle";
  std::vector<std::string> create = {"bundle", "create", "--quiet", path};
  for (const std::string& commit : commits) create.push_back(BundleRef(commit));
  for (const std::string& commit : there) create.push_back("^" + commit);
  TRY_VOID(git.Ask(std::move(create)));
  TRY(auto bundle, OpenBundle(path));
  return std::optional(std::move(bundle));
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kRepository = "received.git";
constexpr const char* kRepositoryOfSha256 = "received-sha256.git";

bool IsOfSha256(const std::string& commit) { return commit.size() == 64; }

// Returns the arguments of git gc. They keep each ref in its own file, because ReceivedCommits()
// reads the names of the files.
std::vector<std::string> GarbageCollection(const std::string& how) {
  return {"-c", "gc.packRefs=false", "-c", "gc.autoDetach=false", "-c", "gc.auto=6700",
          "gc", "--quiet",           how};
}

}  // namespace

std::string ReceivedRepository::PathFor(const std::string& root, const std::string& commit) {
  return (fs::path(root).parent_path() / (IsOfSha256(commit) ? kRepositoryOfSha256 : kRepository))
      .string();
}

bool ReceivedRepository::Has(const std::vector<std::string>& commits) const {
  std::error_code error;
  if (!fs::exists(path_ + "/HEAD", error)) return false;
  std::vector<std::string> words = {"rev-list", "--max-count=1"};
  words.insert(words.end(), commits.begin(), commits.end());
  words.insert(words.end(), {"--not", std::string("--glob=") + kSnapshotRefs});
  // The history of a ref is complete: git checks that before it creates the ref.
  auto end = git_.Run(std::move(words));
  return end && end->code == 0 && end->out.empty();
}

Result<void> ReceivedRepository::Take(const std::string& bundle,
                                      const std::vector<std::string>& commits) const {
  TRY_VOID(Make(commits.front()));
  std::vector<std::string> missing;
  for (const std::string& commit : commits) {
    const bool again = std::ranges::find(missing, commit) != missing.end();
    if (!again && !Has({commit})) missing.push_back(commit);
  }
  auto fetched = Fetch(bundle, missing);
  if (!fetched) Forget(missing);
  return fetched;
}

Result<void> ReceivedRepository::Make(const std::string& commit) const {
  std::error_code error;
  if (fs::exists(path_ + "/HEAD", error)) return {};
  std::vector<std::string> words = {"init", "--quiet", "--bare", "--template="};
  if (IsOfSha256(commit)) words.emplace_back("--object-format=sha256");
  words.push_back(path_);
  TRY_VOID(Git("").Ask(std::move(words)));
  return {};
}

Result<void> ReceivedRepository::Fetch(const std::string& bundle,
                                       const std::vector<std::string>& commits) const {
  std::vector<std::string> words = {"fetch",
                                    "--quiet",
                                    "--atomic",
                                    "--no-tags",
                                    "--no-prune",
                                    "--no-write-fetch-head",
                                    "--no-recurse-submodules",
                                    bundle};
  for (const std::string& commit : commits) {
    words.push_back("+" + BundleRef(commit) + ":" + SnapshotRef(commit));
  }
  TRY(auto end, git_.With("LC_ALL", "C").Run(std::move(words)));
  if (end.err.find("lacks these prerequisite") != std::string::npos) {
    return UsageError("the bundle depends on commits that were deleted here", "submit it again");
  }
  if (end.code != 0) return UsageError("the bundle: " + WhatGitSaid(end));
  for (const std::string& commit : commits) {
    if (!Has({commit})) return UsageError("the bundle lacks the commit " + commit);
  }
  return {};
}

void ReceivedRepository::Forget(const std::vector<std::string>& commits) const {
  for (const std::string& commit : commits) {
    auto deleted = git_.Run({"update-ref", "-d", SnapshotRef(commit)});
    if (!deleted) return;
  }
  // Delete the objects at once, because they may be most of the repository.
  auto collected = git_.Run(GarbageCollection("--prune=now"));
  static_cast<void>(collected.has_value());
}

void ReceivedRepository::CollectGarbage() const {
  auto collected = git_.Run(GarbageCollection("--auto"));
  static_cast<void>(collected.has_value());
}

std::vector<std::string> ReceivedCommits(const std::string& root) {
  constexpr std::size_t kMost = 100;
  std::vector<std::pair<std::string, std::string>> found;  // day, commit
  for (const char* name : {kRepository, kRepositoryOfSha256}) {
    std::error_code error;
    const fs::path refs = fs::path(root).parent_path() / name / kSnapshotRefs;
    for (const fs::directory_entry& day : fs::directory_iterator(refs, error)) {
      std::error_code ignored;
      for (const fs::directory_entry& ref : fs::directory_iterator(day.path(), ignored)) {
        const std::string commit = ref.path().filename().string();
        if (IsCommitId(commit)) found.emplace_back(day.path().filename().string(), commit);
      }
    }
  }
  std::ranges::sort(found, std::greater<>());
  std::vector<std::string> commits;
  for (auto& [day, commit] : found) {
    if (commits.size() < kMost) commits.push_back(std::move(commit));
  }
  return commits;
}

}  // namespace benchd::client
