#include "client/git/worktree_plan.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "client/link/host.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/model/commit_id.h"

namespace benchd::client {
namespace {

constexpr char kCommand[] = "build-worktrees";
constexpr std::size_t kKeyDigits = 20;

bool IsDecimal(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<std::vector<WorktreeOrder>> ReadTrees(const std::string& option,
                                             const std::vector<std::string>& trees) {
  std::vector<WorktreeOrder> orders;
  for (const std::string& tree : trees) {
    const std::size_t colon = tree.find(':');
    const std::string rest = colon == std::string::npos ? "" : tree.substr(colon + 1);
    const std::size_t second = rest.find(':');
    const WorktreeOrder order{tree.substr(0, colon), rest.substr(0, second),
                              second == std::string::npos ? "" : rest.substr(second + 1)};
    const bool seeded =
        second == std::string::npos || (!order.layout_seed.empty() && IsDecimal(order.layout_seed));
    if (order.commit.size() < 2 * kKeyDigits || !IsHex(order.commit) ||
        order.key.size() != kKeyDigits || !IsHex(order.key) || !seeded) {
      return UsageError(option + " " + tree + ": expected COMMIT:KEY or COMMIT:KEY:SEED");
    }
    orders.push_back(order);
  }
  return orders;
}

}  // namespace

WorktreePlaces::WorktreePlaces(const std::string& root, const WorktreeOrder& order)
    : folder(root + "/" + order.key),
      tree(folder + "/benchd-" + ShortId(order.commit)),
      built(folder + "/built") {}

Result<std::string> WorktreeRoot() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  std::filesystem::path path;
  if (cache != nullptr && cache[0] == '/') {
    path = cache;
  } else {
    const std::string home = HomeDirectory();
    if (home.empty()) {
      return UsageError("no directory for worktrees: no home directory", "set XDG_CACHE_HOME");
    }
    path = std::filesystem::path(home) / ".cache";
  }
  return (path / "benchd" / "worktrees").lexically_normal().string();
}

std::vector<std::string> CommitsOf(const WorktreePlan& plan) {
  std::vector<std::string> commits;
  for (const WorktreeOrder& order : plan.trees) commits.push_back(order.commit);
  return commits;
}

Result<BuildPlace> PlaceHere() {
  TRY(auto program, OwnProgram());
  TRY(auto root, WorktreeRoot());
  return BuildPlace{std::move(program), std::move(root), ""};
}

Result<std::string> WorktreeKey(const Git& git, const std::string& repository,
                                const std::string& commit, const std::string& build,
                                const std::string& layout_seed) {
  auto digest = git.Ask({"hash-object", "--stdin"},
                        "benchd worktree 1\n" + repository + "\n" + commit + "\n" + build + "\n" +
                            (layout_seed.empty() ? "" : "layout " + layout_seed + "\n"));
  if (digest) digest->resize(std::min(digest->size(), kKeyDigits));
  return digest;
}

std::string BuildCommandLine(const std::string& program, const WorktreePlan& plan) {
  std::vector<std::string> words = {program,        kCommand,        "--root",  plan.root,
                                    "--repository", plan.repository, "--build", plan.build};
  if (!plan.socket.empty()) words.insert(words.end(), {"--socket", plan.socket});
  const auto add = [&words](const char* option, const std::vector<WorktreeOrder>& trees) {
    for (const WorktreeOrder& tree : trees) {
      const std::string seed = tree.layout_seed.empty() ? "" : ":" + tree.layout_seed;
      words.insert(words.end(), {option, tree.commit + ":" + tree.key + seed});
    }
  };
  add("--tree", plan.trees);
  add("--second-tree", plan.second_trees);
  return Join(words, " ", ShellQuoted);
}

Result<WorktreePlan> ReadPlan(const std::string& root, const std::string& repository,
                              const std::string& build, const std::vector<std::string>& trees,
                              const std::vector<std::string>& second_trees) {
  WorktreePlan plan{root, repository, build, {}};
  if (!root.starts_with('/') || !repository.starts_with('/')) {
    return UsageError("build-worktrees: --root and --repository must be absolute paths");
  }
  TRY(plan.trees, ReadTrees("--tree", trees));
  TRY(plan.second_trees, ReadTrees("--second-tree", second_trees));
  if (plan.trees.empty()) return UsageError("build-worktrees: missing --tree");
  return plan;
}

}  // namespace benchd::client
