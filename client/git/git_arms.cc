#include "client/git/git_arms.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <random>
#include <set>
#include <span>

#include "client/git/bundle.h"
#include "client/git/repository.h"
#include "client/git/worktree_plan.h"
#include "client/git/worktree_store.h"
#include "client/present/text.h"
#include "client/request/quantity.h"
#include "core/analysis/layout_groups.h"
#include "core/base/split_mix.h"
#include "core/base/try.h"
#include "core/model/commit_id.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;

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
  return Printable(commit.description) + " (" + ShortId(commit.id) + ")";
}

void PrintCommitPair(const CommitPair& pair, const Repository& repository,
                     const RevisionRange& range) {
  std::cerr << "benchctl: base " << Named(pair.base) << ", candidate " << Named(pair.candidate)
            << "\n";
  if (range.worktree || !repository.HasChanges()) return;
  auto head = repository.Resolve("HEAD");
  if (!head || head->id != pair.candidate.id) return;
  std::cerr
      << "benchctl: uncommitted changes are not included; to compare them, write BASE..WORKTREE\n";
}

// Returns whether a revision is a name that people can read: one line, and not a full ID.
bool IsReadable(const std::string& revision) {
  return IsPlainName(revision) && !IsCommitId(revision.substr(0, revision.find_first_of("~^")));
}

// Names the arms as the user typed them. The common ancestor of A...B was not typed.
void NameArms(const RevisionRange& range, std::vector<ArmInput>* arms) {
  std::string base = range.from_merge_base ? "base" : range.base;
  std::string candidate = range.worktree ? "WORKTREE" : range.candidate;
  if (!IsReadable(base)) base = "base";
  if (!IsReadable(candidate) || candidate == base) candidate = "candidate";
  if (arms->front().name.empty()) arms->front().name = std::move(base);
  if (arms->back().name.empty()) arms->back().name = std::move(candidate);
}

// Returns how often each commit is built, which is once without --layouts. With --layouts, also
// sets the method of the session.
Result<std::size_t> ReadLayouts(SpecInput* input) {
  const auto layouts = input->options.find("layouts");
  if (layouts == input->options.end()) return std::size_t{1};
  const OptionValue& value = layouts->second.front();
  if (!input->options.contains("build")) {
    return UsageError(value.origin + ": nothing is built",
                      "add --build C; its link order must follow $BENCHD_LAYOUT_SEED");
  }
  const auto count = ParseCount(value.text);
  if (!count || *count < kFewestLayouts || *count > kMostLayouts) {
    return UsageError(
        fmt::format("{}: not a number from {} to {}", value.origin, kFewestLayouts, kMostLayouts),
        "write --layouts 8: fewer builds do not show the spread between builds");
  }
  const auto method = input->options.find("method");
  if (method != input->options.end() && method->second.front().text != "layouts") {
    return UsageError(value.origin + ": implies --method layouts", "leave out --method");
  }
  input->options["method"] = {{"layouts", value.origin}};
  return std::size_t{*count};
}

// Returns distinct seeds, one per build, derived from the session's seed. If no seed was given, one
// is drawn here, because the build commands contain the seeds.
Result<std::vector<std::string>> LayoutSeeds(SpecInput* input, std::size_t count) {
  if (count == 0) return std::vector<std::string>();
  std::vector<OptionValue>& given = input->options["seed"];
  if (given.empty()) {
    std::random_device random;
    const std::uint64_t high = random();
    given.push_back({std::to_string(high << 32U | random()), "--seed"});
  }
  auto seed = ParseCount(given.front().text);
  if (!seed) return std::move(seed).error().Within(given.front().origin);
  constexpr std::uint64_t kStream = 0x6c61796f757473;  // "layouts"
  SplitMix64 random(*seed, kStream);
  std::set<std::string> seeds;
  std::vector<std::string> in_order;
  while (in_order.size() < count) {
    // Linkers read 31 bits, and some treat 0 as no seed.
    const std::string one = std::to_string(1 + (random.Next() >> 33U) % 0x7ffffffeU);
    if (seeds.insert(one).second) in_order.push_back(one);
  }
  return in_order;
}

bool IsOn(const SpecInput& input, std::string_view option) {
  const auto given = input.options.find(option);
  return given != input.options.end() && given->second.front().text == "true";
}

// Returns the value of an option that requires an improvement: a gate with a negative margin of its
// own, or else the negative margin of gates without one. A value that is invalid requires nothing,
// because BuildSpec() refuses it.
std::optional<OptionValue> RequiredImprovement(const OptionValues& options) {
  const auto metrics = options.find("metric");
  bool uses_margin = metrics == options.end();
  for (const OptionValue& value : uses_margin ? std::vector<OptionValue>() : metrics->second) {
    const auto gate = ParseMetricGate(value.text);
    if (!gate) continue;
    if (gate->ratio.value_or(0) < 0 || gate->absolute.value_or(0) < 0) return value;
    uses_margin = uses_margin || !(gate->ratio || gate->absolute || gate->exact);
  }
  const auto margin = options.find("margin");
  if (!uses_margin || margin == options.end()) return std::nullopt;
  const auto ratio = ParseMargin(margin->second.front().text);
  return ratio && *ratio < 0 ? std::optional(margin->second.front()) : std::nullopt;
}

// Rejects --same-is-pass for gates that pass only if the candidate is better: a commit is not
// better than itself, so what such a gate asks for would be reported without having been found.
Result<void> CheckSameMayPass(const SpecInput& input, const std::string& origin) {
  for (const BenchmarkInput& benchmark : input.benchmarks) {
    const auto required = RequiredImprovement(Overlay(input.options, benchmark.options));
    if (!required) continue;
    return UsageError(origin + ": cannot be combined with " + required->origin +
                          ", because a commit is not better than itself",
                      "leave one of them out");
  }
  return {};
}

Result<CommitPair> FindCommits(const RevisionRange& range, const Repository& repository,
                               bool may_be_same, bool silent) {
  auto pair = repository.Resolve(range, may_be_same);
  if (pair && !silent) PrintCommitPair(*pair, repository, range);
  return pair;
}

// Adds the worktrees of the second phase to the plan: those of the arms once more, each with
// another seed, and therefore in another folder.
Result<void> PlanSecondTrees(std::span<const std::string> seeds, const Git& git,
                             WorktreePlan* plan) {
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const std::string& commit = plan->trees[i].commit;
    TRY(auto key, WorktreeKey(git, plan->repository, commit, plan->build, seeds[i]));
    plan->second_trees.push_back({commit, std::move(key), seeds[i]});
    if (plan->socket.empty()) MarkUsed(WorktreePlaces(plan->root, plan->second_trees.back()));
  }
  return {};
}

// Adds `layouts` worktrees of each commit to the plan, and returns one arm per worktree.
Result<std::vector<ArmInput>> PlanTrees(const CommitPair& pair, std::size_t layouts,
                                        std::span<const std::string> seeds,
                                        const std::vector<ArmInput>& both, const Git& git,
                                        WorktreePlan* plan) {
  std::vector<ArmInput> arms;
  for (std::size_t i = 0; i < 2 * layouts; ++i) {
    const bool of_base = i < layouts;
    const NamedCommit& commit = of_base ? pair.base : pair.candidate;
    const std::string seed = seeds.empty() ? "" : seeds[i];
    TRY(auto key, WorktreeKey(git, plan->repository, commit.id, plan->build, seed));
    plan->trees.push_back({commit.id, std::move(key), seed});
    const WorktreePlaces places(plan->root, plan->trees.back());
    if (plan->socket.empty()) MarkUsed(places);  // keeps it while the session waits
    ArmInput& arm = arms.emplace_back(of_base ? both.front() : both.back());
    arm.dir = places.built;
    arm.commit = CommitInput{commit.id, commit.description};
    if (!seeds.empty()) arm.name += fmt::format("/{}", 1 + i % layouts);
  }
  return arms;
}

// Returns the bundle that --host sends, if any. The local snapshot is not needed afterwards.
Result<std::optional<Bundle>> BundleFor(const BuildPlace& place, const CommitPair& pair,
                                        const Repository& repository) {
  if (place.socket.empty()) return std::optional<Bundle>();
  std::vector<std::string> commits = {pair.base.id};
  if (pair.candidate.id != pair.base.id) commits.push_back(pair.candidate.id);
  auto bundle = MakeBundle(repository, commits, place.commits);
  RemoveOldSnapshots(repository.git(), WorktreeLimits().unused);
  return bundle;
}

}  // namespace

Result<bool> WantsCommits(const SpecInput& input) {
  const auto same = input.options.find("same-is-pass");
  if (input.options.contains("git")) {
    if (IsOn(input, "same-is-pass")) {
      TRY_VOID(CheckSameMayPass(input, same->second.front().origin));
    }
    return true;
  }
  if (same != input.options.end()) {
    return UsageError(same->second.front().origin + ": no commits to compare",
                      "name them: --git BASE..CANDIDATE");
  }
  const auto build = input.options.find("build");
  const auto layouts = input.options.find("layouts");
  if (layouts != input.options.end()) {
    return UsageError(layouts->second.front().origin + ": no commits to build",
                      "add --git BASE..CANDIDATE --build C");
  }
  if (build == input.options.end()) return false;
  return UsageError(build->second.front().origin + ": no commits to build",
                    "name them: --git BASE..CANDIDATE");
}

void RemovePlaceVariables(CallerContext* caller) {
  for (const char* name : kPlaceVariables) caller->environment.erase(name);
}

Result<std::optional<Bundle>> FillInCommits(SpecInput* input, CallerContext* caller, bool silent,
                                            const BuildPlace* there) {
  const OptionValue& range = input->options.at("git").front();
  if (input->arms.empty()) {
    input->arms.push_back({"", "reference", "", "", range.origin, {}});
    input->arms.push_back({"", "candidate", "", "", range.origin, {}});
  }
  if (input->arms.size() != 2) {
    return UsageError(range.origin + ": its two commits are the arms", "leave out [[arm]]");
  }
  TRY(auto layouts, ReadLayouts(input));
  // With --host, the caller's working directory is on the other machine.
  std::error_code error;
  const std::string cwd = there == nullptr ? caller->cwd : fs::current_path(error).string();
  auto repository = Repository::Open(cwd);
  if (!repository) return std::move(repository).error().Within(range.origin);
  auto revisions = ParseRange(range.text);
  if (!revisions) return std::move(revisions).error().Within(range.origin);
  auto pair = FindCommits(*revisions, *repository, IsOn(*input, "same-is-pass"), silent);
  if (!pair) return std::move(pair).error().Within(range.origin);
  if (input->against_itself) {
    pair->candidate = pair->base;
  } else if (pair->base.id == pair->candidate.id) {
    input->same_commit = CommitInput{pair->base.id, pair->base.description};
    return std::optional<Bundle>();
  }
  NameArms(*revisions, &input->arms);
  TRY(auto place, there == nullptr ? PlaceHere() : Result<BuildPlace>(*there));
  WorktreePlan plan{place.root, repository->common_dir(), "", {}, place.socket};
  if (there != nullptr) plan.repository = ReceivedRepository::PathFor(plan.root, pair->base.id);
  if (const auto build = input->options.find("build"); build != input->options.end()) {
    plan.build = build->second.front().text;
  }
  const std::size_t first_seeds = layouts > 1 ? 2 * layouts : 0;
  const std::size_t second_seeds = IsOn(*input, "confirm") ? 2 * layouts : 0;
  TRY(auto seeds, LayoutSeeds(input, first_seeds + second_seeds));
  auto arms = PlanTrees(*pair, layouts, std::span(seeds).first(first_seeds), input->arms,
                        repository->git(), &plan);
  if (!arms) return std::move(arms).error().Within(range.origin);
  auto second = PlanSecondTrees(std::span(seeds).subspan(first_seeds), repository->git(), &plan);
  if (!second) return std::move(second).error().Within(range.origin);
  input->arms = *std::move(arms);
  input->templates = true;
  input->build = BuildCommandLine(place.program, plan);
  std::vector<BuildTree> trees = plan.trees;
  trees.insert(trees.end(), plan.second_trees.begin(), plan.second_trees.end());
  input->build_plan =
      BuildPlan{plan.root, plan.repository, plan.build, std::move(trees), !plan.socket.empty()};
  if (!IsSendableText(input->build)) {
    return UsageError(range.origin + ": the repository's path is not UTF-8", "move the repository");
  }
  RemovePlaceVariables(caller);
  auto bundle = BundleFor(place, *pair, *repository);
  if (!bundle) return std::move(bundle).error().Within(range.origin);
  return bundle;
}

}  // namespace benchd::client
