#include <iostream>

#include "client/commands.h"
#include "client/git/worktree_store.h"

namespace benchd::client {
namespace {

std::string ValueOf(const ParsedArguments& arguments, std::string_view name) {
  const std::string* value = LastValue(arguments, name);
  return value == nullptr ? "" : *value;
}

}  // namespace

// Runs inside a session, as its caller; what it prints is the session's build log.
Outcome<ExitCode> RunBuildWorktrees(const CommandContext& context) {
  std::vector<std::string> trees;
  for (const GivenOption& option : context.arguments.options) {
    if (option.name == "tree") trees.push_back(option.value);
  }
  auto plan = ReadPlan(ValueOf(context.arguments, "root"), ValueOf(context.arguments, "repository"),
                       ValueOf(context.arguments, "build"), trees);
  if (!plan) return std::move(plan).error();
  const WorktreeStore store(*plan);
  auto opened = store.Open();
  if (!opened) return std::move(opened).error();
  for (const WorktreeOrder& order : plan->trees) {
    auto code = store.Provide(order);
    if (!code) return std::move(code).error();
    if (*code == 0) continue;
    std::cout << "error: building " << order.commit << ": exit code " << *code << std::endl;
    // The build's own, as any make hands on what its command ended with.
    return static_cast<ExitCode>(*code);
  }
  store.Clean({});
  return ExitCode::kPass;
}

}  // namespace benchd::client
