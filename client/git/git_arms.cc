#include "client/git/git_arms.h"

#include <array>
#include <filesystem>
#include <iostream>

#include "client/commands.h"
#include "client/git/repository.h"
#include "client/git/worktree_plan.h"
#include "client/git/worktree_store.h"
#include "client/host.h"
#include "client/quantity.h"
#include "client/render/text.h"

namespace benchd::client {
namespace {

// Where git's own variables point from inside an alias or a hook: they would lead the build, and
// what is measured, from their worktrees back here.
constexpr std::array kPlaceVariables = {"GIT_DIR",
                                        "GIT_WORK_TREE",
                                        "GIT_INDEX_FILE",
                                        "GIT_PREFIX",
                                        "GIT_COMMON_DIR",
                                        "GIT_NAMESPACE",
                                        "GIT_IMPLICIT_WORK_TREE",
                                        "GIT_OBJECT_DIRECTORY",
                                        "GIT_ALTERNATE_OBJECT_DIRECTORIES"};

std::string Named(const NamedCommit& commit) {
  return Printable(commit.description) + " (" + commit.id.substr(0, 12) + ")";
}

void TellCommits(const CommitPair& pair, const Repository& repository, const RevisionRange& range) {
  std::cerr << "benchctl: base " << Named(pair.base) << ", candidate " << Named(pair.candidate)
            << "\n";
  if (range.worktree || !repository.HasChanges()) return;
  auto head = repository.Resolve("HEAD");
  if (!head || head->id != pair.candidate.id) return;
  std::cerr
      << "benchctl: uncommitted changes are in neither; to compare them, write BASE..WORKTREE\n";
}

// As typed: that is what their user calls them, and a tag or branch may be another's tomorrow. The
// common ancestor of A...B was not typed.
void NameArms(const RevisionRange& range, std::vector<ArmInput>* arms) {
  std::string base = range.from_merge_base ? "base" : range.base;
  std::string candidate = range.worktree ? "WORKTREE" : range.candidate;
  if (!IsPlainName(base)) base = "base";
  if (!IsPlainName(candidate) || candidate == base) candidate = "candidate";
  if (arms->front().name.empty()) arms->front().name = std::move(base);
  if (arms->back().name.empty()) arms->back().name = std::move(candidate);
}

Result<CommitPair> FindCommits(const RevisionRange& range, const Repository& repository,
                               bool silent) {
  auto pair = repository.Resolve(range);
  if (pair && !silent) TellCommits(*pair, repository, range);
  return pair;
}

}  // namespace

Result<bool> WantsCommits(const SpecInput& input) {
  const auto build = input.options.find("build");
  if (input.options.contains("git")) return true;
  if (build == input.options.end()) return false;
  return UsageError(build->second.front().origin + ": no commits to build",
                    "name them: --git BASE..CANDIDATE");
}

Result<void> FillInCommits(SpecInput* input, CallerContext* caller, bool silent) {
  const OptionValue& range = input->options.at("git").front();
  if (input->arms.empty()) {
    input->arms.push_back({"", "reference", "", "", range.origin, {}});
    input->arms.push_back({"", "candidate", "", "", range.origin, {}});
  }
  if (input->arms.size() != 2) {
    return UsageError(range.origin + ": its two commits are the arms", "leave out [[arm]]");
  }
  auto repository = Repository::Open(caller->cwd);
  if (!repository) return std::move(repository).error().Within(range.origin);
  auto revisions = ParseRange(range.text);
  if (!revisions) return std::move(revisions).error().Within(range.origin);
  auto pair = FindCommits(*revisions, *repository, silent);
  if (!pair) return std::move(pair).error().Within(range.origin);
  NameArms(*revisions, &input->arms);
  auto program = OwnProgram();
  if (!program) return std::move(program).error();
  auto root = WorktreeRoot();
  if (!root) return std::move(root).error();
  WorktreePlan plan{*std::move(root), repository->common_dir(), "", {}};
  if (const auto build = input->options.find("build"); build != input->options.end()) {
    plan.build = build->second.front().text;
  }
  std::size_t i = 0;
  for (const NamedCommit& commit : {pair->base, pair->candidate}) {
    auto key = WorktreeKey(repository->git(), plan.repository, commit.id, plan.build);
    if (!key) return std::move(key).error().Within(range.origin);
    plan.trees.push_back({commit.id, *std::move(key)});
    const WorktreePlaces places(plan.root, plan.trees.back());
    MarkUsed(places);  // it stays while the session waits
    ArmInput& arm = input->arms[i++];
    arm.dir = places.built;
    arm.commit = CommitInput{commit.id, commit.description};
  }
  input->templates = true;
  input->build = BuildCommandLine(*program, plan);
  if (!IsSendableText(input->build)) {
    return UsageError(range.origin + ": the repository's path is not UTF-8", "move it");
  }
  for (const char* name : kPlaceVariables) caller->environment.erase(name);
  return {};
}

namespace {

std::string ValueOf(const ParsedArguments& arguments, std::string_view name) {
  const std::string* value = LastValue(arguments, name);
  return value == nullptr ? "" : *value;
}

}  // namespace

// Runs inside a session, as its caller; what it prints is the session's build log.
Result<ExitCode> RunBuildWorktrees(const CommandContext& context) {
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
