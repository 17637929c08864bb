#include "client/git/received_repository.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "client/git/bundle.h"
#include "client/git/repository.h"
#include "client/git/worktree_plan.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRepository = "received.git";
constexpr const char* kRepositoryOfSha256 = "received-sha256.git";

bool IsOfSha256(const std::string& commit) { return commit.size() == 64; }

// Refs stay files, which ReceivedCommits reads.
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
  // What is part of the history of a ref is whole: git checks that before it makes one.
  auto end = git_.Run(std::move(words));
  return end && end->code == 0 && end->out.empty();
}

Result<void> ReceivedRepository::Take(const std::string& bundle,
                                      const std::vector<std::string>& commits) const {
  if (auto made = Make(commits.front()); !made) return made;
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
  auto made = Git("").Ask(std::move(words));
  if (!made) return std::move(made).error();
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
  auto end = git_.With("LC_ALL", "C").Run(std::move(words));
  if (!end) return std::move(end).error();
  if (end->err.find("lacks these prerequisite") != std::string::npos) {
    return UsageError("the bundle builds on history that is no longer here", "submit it again");
  }
  if (end->code != 0) return UsageError("the bundle: " + WhatGitSaid(*end));
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
  // At once: what came with them may be all that there is.
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
