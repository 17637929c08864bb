#include <cstdlib>
#include <iostream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/command.h"
#include "client/commands/command_options.h"
#include "client/git/bundle.h"
#include "client/git/missing_files.h"
#include "client/git/worktree_plan.h"
#include "client/git/worktree_store.h"
#include "client/link/bundle_transfer.h"
#include "core/base/fields.h"
#include "core/base/try.h"
#include "core/model/commit_id.h"
#include "core/model/log_warnings.h"
#include "core/model/run.h"

namespace benchd::client {
namespace {

std::string ValueOf(const ParsedArguments& arguments, std::string_view name) {
  const std::string* value = LastValue(arguments, name);
  return value == nullptr ? "" : *value;
}

// Stops at the first build that fails. A bisection reads the failed commit from the last line of
// the log (present/report.cc).
Result<BuildCode> ProvideAll(const WorktreeStore& store, const WorktreePlan& plan) {
  for (const WorktreeOrder& order : plan.trees) {
    auto code = store.Provide(order);
    if (code && *code == 0) continue;
    if (code) std::cout << BuildFailureLine(order.commit, *code) << std::flush;
    return code;
  }
  return 0;
}

// Prints warnings about missing files, also for earlier builds. Must be called last, because the
// beginning of a long log is not kept.
void PrintMissingFiles(const WorktreePlan& plan) {
  std::set<std::string> commits;
  for (const WorktreeOrder& order : plan.trees) {
    if (!commits.insert(order.commit).second) continue;
    const std::string tree = WorktreePlaces(plan.root, order).built;
    for (const Warning& warning : FindMissingFiles(tree, ShortId(order.commit))) {
      std::cout << LogWarningLine(warning) << std::flush;
    }
  }
}

// Returns whether the session runs this build for its second phase (--confirm).
bool IsSecondPhase() {
  const char* const phase = std::getenv("BENCHD_PHASE");
  return phase != nullptr && phase == NameOf(RunPhase::kConfirming);
}

// Runs inside a session, with the identity of its caller. The output is the session's build log.
Result<ExitCode> RunBuildWorktrees(const CommandContext& context) {
  std::vector<std::string> trees;
  std::vector<std::string> second_trees;
  for (const GivenOption& option : context.arguments.options) {
    if (option.name == "tree") trees.push_back(option.value);
    if (option.name == "second-tree") second_trees.push_back(option.value);
  }
  TRY(auto plan,
      ReadPlan(ValueOf(context.arguments, "root"), ValueOf(context.arguments, "repository"),
               ValueOf(context.arguments, "build"), trees, second_trees));
  if (IsSecondPhase() && !plan.second_trees.empty()) plan.trees = std::move(plan.second_trees);
  plan.socket = ValueOf(context.arguments, "socket");
  const WorktreeStore store(plan);
  TRY_VOID(store.Open());
  const ReceivedRepository received(plan.repository);
  TRY(auto came, plan.socket.empty() ? Result<bool>(false) : ReceiveCommits(context.link, plan));
  auto code = ProvideAll(store, plan);
  // Commits that cannot be checked out are not kept.
  if (!code && came) received.Forget(CommitsOf(plan));
  if (!code) return std::move(code).error();
  // Pass on the exit code of the build, as make does for its commands.
  if (*code != 0) return static_cast<ExitCode>(*code);
  PrintMissingFiles(plan);
  store.Clean({});
  if (!plan.socket.empty()) received.CollectGarbage();
  return ExitCode::kPass;
}

}  // namespace

Command BuildWorktreesCommand() {
  return {.name = "build-worktrees",
          .usage = "OPTIONS",
          .summary = "check out and build the commits of a session",
          .words = Words::kOwn,
          .run = RunBuildWorktrees,
          .options = WorktreeOptions(),
          .hidden = true};
}

}  // namespace benchd::client
