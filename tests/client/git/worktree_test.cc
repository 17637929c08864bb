// Worktrees in a cache are made once, reused, never visible half-built, and cleaned up.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "client/app/command.h"
#include "client/git/git_arms.h"
#include "client/git/missing_files.h"
#include "client/git/repository.h"
#include "client/git/worktree_plan.h"
#include "client/git/worktree_store.h"
#include "client/present/report.h"
#include "client/request/replay.h"
#include "client/request/spec_input.h"
#include "tests/client/git/test_repository.h"
#include "tests/client/refusals.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;
using std::chrono::days;
using std::chrono::hours;

const std::string kCommit(40, 'a');
const std::string kKey(20, 'b');

TEST(WorktreePlanTest, IsOneLineForAShell) {
  EXPECT_EQ(
      BuildCommandLine("/opt/my tools/benchctl", {"/r", "/g", "", {{kCommit, kKey}}}),
      "'/opt/my tools/benchctl' build-worktrees --root /r --repository /g --build '' --tree " +
          kCommit + ":" + kKey);
}

TEST(WorktreePlanTest, ABuildsLayoutSeedStandsBehindItsKey) {
  const WorktreePlan plan{
      "/r", "/g", "make", {{kCommit, kKey, "7"}, {kCommit, kKey, "2147483646"}}};
  const std::string line = BuildCommandLine("/bin/benchctl", plan);
  EXPECT_NE(line.find(kCommit + ":" + kKey + ":7"), std::string::npos);
  const std::vector<std::string> trees = {kCommit + ":" + kKey + ":7",
                                          kCommit + ":" + kKey + ":2147483646"};
  EXPECT_EQ(ReadPlan("/r", "/g", "make", trees).value(), plan);
  for (const char* seed : {":", ":x", ":-1", ":1:2"}) {
    EXPECT_FALSE(ReadPlan("/r", "/g", "make", {kCommit + ":" + kKey + seed})) << seed;
  }
}

TEST(WorktreePlanTest, TheTreesOfTheSecondPhaseHaveAnOptionOfTheirOwn) {
  const std::string other(20, 'e');
  WorktreePlan plan{"/r", "/g", "make", {{kCommit, kKey}}};
  plan.second_trees = {{kCommit, other, "7"}};
  const std::string line = BuildCommandLine("/bin/benchctl", plan);
  const std::string second = kCommit + ":" + other + ":7";
  EXPECT_TRUE(line.ends_with(" --tree " + kCommit + ":" + kKey + " --second-tree " + second))
      << line;
  EXPECT_EQ(ReadPlan("/r", "/g", "make", {kCommit + ":" + kKey}, {second}).value(), plan);
  EXPECT_FALSE(ReadPlan("/r", "/g", "make", {kCommit + ":" + kKey}, {second + "x"}));
}

TEST(WorktreePlanTest, ADaemonThatHasTheCommitsStandsBeforeThem) {
  const WorktreePlan plan{"/r", "/g", "make", {{kCommit, kKey}}, "/run/a b.sock"};
  EXPECT_EQ(BuildCommandLine("/bin/benchctl", plan),
            "/bin/benchctl build-worktrees --root /r --repository /g --build make --socket "
            "'/run/a b.sock' --tree " +
                kCommit + ":" + kKey);
}

class WorktreeTest : public GitTest {
 protected:
  WorktreeTest() { Write("build.sh", "echo built >> out.txt; pwd -P >> " + log_ + "\n"); }

  WorktreePlan Plan(const std::vector<std::string>& commits, const std::string& build) const {
    WorktreePlan plan{*WorktreeRoot(), repository() + "/.git", build, {}};
    for (const std::string& commit : commits) {
      auto key = WorktreeKey(client::Git(repository()), plan.repository, commit, build);
      EXPECT_TRUE(key);
      plan.trees.push_back({commit, *key});
    }
    return plan;
  }
  WorktreePlaces Places(const WorktreePlan& plan, std::size_t i = 0) const {
    return {plan.root, plan.trees[i]};
  }
  BuildCode Provide(const WorktreePlan& plan) const {
    const WorktreeStore store(plan);
    const auto opened = store.Open();
    EXPECT_TRUE(opened) << opened.error().message;
    for (const WorktreeOrder& order : plan.trees) {
      const auto code = store.Provide(order);
      EXPECT_TRUE(code) << code.error().message;
      if (!code) return -1;
      if (*code != 0) return *code;
    }
    return 0;
  }
  void SetLastUse(const WorktreePlaces& places, std::chrono::seconds ago) const {
    const auto then = std::chrono::system_clock::now() - ago;
    const timespec time{std::chrono::system_clock::to_time_t(then), 0};
    const timespec both[] = {time, time};
    for (const char* name : {"/about.json", "/lock"}) {
      utimensat(AT_FDCWD, (places.folder + name).c_str(), both, 0);
    }
  }
  /// Number of times that build.sh has run.
  std::size_t Builds() const {
    const std::string text = Read(log_);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  const std::string log_ = folder() + "/builds.log";
};

TEST_F(WorktreeTest, ACommitIsBuiltOnceInAFolderOfEqualLength) {
  const std::string first = Commit("first build");
  Write("a.txt", "two\n");
  const std::string second = Commit("second");
  const WorktreePlan plan = Plan({first, second}, "sh build.sh");
  ASSERT_EQ(Provide(plan), 0);
  EXPECT_EQ(Read(Places(plan, 0).built + "/a.txt"), "one\n");
  EXPECT_EQ(Read(Places(plan, 1).built + "/a.txt"), "two\n");
  EXPECT_EQ(Read(Places(plan, 1).built + "/out.txt"), "built\n");
  EXPECT_EQ(Read(log_), Places(plan, 0).tree + "\n" + Places(plan, 1).tree + "\n");
  EXPECT_EQ(Places(plan, 0).tree.size(), Places(plan, 1).tree.size());
  EXPECT_EQ(Places(plan, 0).built.size(), Places(plan, 1).built.size());
  ASSERT_EQ(Provide(plan), 0);
  EXPECT_EQ(Builds(), 2U) << "the second time they are there";
  EXPECT_EQ(Git({"status", "--porcelain"}), "") << "the user's own worktree";
}

TEST_F(WorktreeTest, AnotherBuildOfTheSameCommitIsAnotherWorktree) {
  const std::string commit = Commit("x");
  const WorktreePlan plain = Plan({commit}, "");
  const WorktreePlan built = Plan({commit}, "sh build.sh");
  EXPECT_EQ(Provide(plain), 0);
  EXPECT_EQ(Provide(built), 0);
  EXPECT_NE(Places(plain).folder, Places(built).folder);
  EXPECT_FALSE(fs::exists(Places(plain).built + "/out.txt"));
}

TEST_F(WorktreeTest, AFailedBuildKeepsItsCodeAndLeavesNothing) {
  const WorktreePlan plan = Plan({Commit("x")}, "mkdir d; touch d/f; chmod 500 d; exit 7");
  EXPECT_EQ(Provide(plan), 7);
  EXPECT_FALSE(fs::exists(Places(plan).folder));
  EXPECT_EQ(Git({"worktree", "list", "--porcelain"}).find("benchd-"), std::string::npos);
  EXPECT_EQ(Provide(Plan({Git({"rev-parse", "HEAD"})}, "kill -9 $$")), 128 + 9);
}

TEST_F(WorktreeTest, WhatAnInterruptedBuildLeftIsMadeAnew) {
  const std::string commit = Commit("x");
  const WorktreePlan plan = Plan({commit}, "sh build.sh");
  ASSERT_EQ(Provide(plan), 0);
  // As after kill -9 between the checkout and the end of the build.
  fs::remove(Places(plan).built);
  Write("x", "");
  ASSERT_EQ(Provide(plan), 0);
  EXPECT_EQ(Builds(), 2U);
  EXPECT_EQ(Read(Places(plan).built + "/out.txt"), "built\n") << "not twice in one file";
}

TEST_F(WorktreeTest, AFolderThatWasDeletedByHandIsMadeAnew) {
  const WorktreePlan plan = Plan({Commit("x")}, "sh build.sh");
  ASSERT_EQ(Provide(plan), 0);
  fs::remove_all(plan.root);
  ASSERT_EQ(Provide(plan), 0);
  EXPECT_EQ(Builds(), 2U);
}

TEST_F(WorktreeTest, TwoAtOnceBuildOnce) {
  const WorktreePlan plan = Plan({Commit("x")}, "sh build.sh");
  ASSERT_TRUE(WorktreeStore(plan).Open());
  auto held = WorktreeFolder::Lock(Places(plan).folder, true);
  ASSERT_TRUE(held && *held);
  std::vector<std::jthread> threads;
  std::array<BuildCode, 2> codes{-1, -1};
  for (BuildCode& code : codes) threads.emplace_back([&] { code = Provide(plan); });
  held->reset();
  threads.clear();
  EXPECT_EQ(codes, (std::array<BuildCode, 2>{0, 0}));
  EXPECT_EQ(Builds(), 1U);
}

TEST_F(WorktreeTest, ALockOfAFolderThatIsRemovedMeanwhileIsTakenAgain) {
  const std::string path = folder() + "/locked";
  auto held = WorktreeFolder::Lock(path, true);
  ASSERT_TRUE(held && *held);
  EXPECT_FALSE(*WorktreeFolder::Lock(path, false)) << "somebody has it";
  std::jthread other([&path] {
    const auto mine = WorktreeFolder::Lock(path, true);
    EXPECT_TRUE(mine && *mine);
    EXPECT_TRUE((*mine)->WriteAbout({})) << "its folder is there";
  });
  (*held)->Remove();
  held->reset();
  other.join();
  EXPECT_TRUE(fs::exists(path + "/about.json"));
}

TEST_F(WorktreeTest, ACheckoutRunsNoHookOrFilterAndSaysWhatItLeavesOut) {
  const std::string mark = folder() + "/ran";
  Git({"config", "filter.evil.smudge", "touch " + mark + "; cat"});
  Write(".git/hooks/post-checkout", "#!/bin/sh\ntouch " + mark + "\n");
  fs::permissions(repository() + "/.git/hooks/post-checkout", fs::perms::owner_all);
  Write(".gitattributes", "*.bin filter=evil\n");
  Write("data.bin", "stored\n");
  Git({"add", "--all"});
  Git({"update-index", "--add", "--cacheinfo", "160000," + Git({"rev-parse", "HEAD"}) + ",module"});
  Git({"commit", "--quiet", "-m", "x"});
  Git({"config", "filter.evil.required", "true"});
  const WorktreePlan plan = Plan({Git({"rev-parse", "HEAD"})}, "");
  testing::internal::CaptureStdout();
  EXPECT_EQ(Provide(plan), 0);
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_FALSE(fs::exists(mark));
  EXPECT_EQ(Read(Places(plan).built + "/data.bin"), "stored\n");
  EXPECT_WORDING(LineWith(said, "filter evil"));
  EXPECT_WORDING(LineWith(said, "1 submodule"));
}

TEST_F(WorktreeTest, WhatABuildDidNotFetchIsFoundInItsTree) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
  Write(".gitattributes", "*.bin filter=lfs\n");
  for (const char* name : {"a.bin", "b.bin"}) Write(name, pointer);
  Write("c.bin", "content\n");
  Write("no-attribute", pointer);
  Git({"add", "--all"});
  Git({"update-index", "--add", "--cacheinfo", "160000," + Git({"rev-parse", "HEAD"}) + ",lib"});
  Git({"commit", "--quiet", "-m", "x"});
  const std::string commit = Git({"rev-parse", "HEAD"});
  using Codes = std::vector<std::string>;
  const auto missing = [this, &commit](const std::string& build) {
    const WorktreePlan plan = Plan({commit}, build);
    EXPECT_EQ(Provide(plan), 0);
    Codes codes;
    for (const Warning& warning : FindMissingFiles(Places(plan).built, "abc")) {
      codes.push_back(warning.code);
      EXPECT_WORDING(warning.message);
    }
    return codes;
  };
  EXPECT_EQ(missing(""), (Codes{"lfs_pointers", "empty_submodules"}));
  EXPECT_EQ(missing("echo 1 >a.bin; echo 1 >lib/x"), Codes{"lfs_pointers"});
  EXPECT_EQ(missing("echo 1 >a.bin; echo 1 >b.bin; mkdir -p lib; echo 1 >lib/x"), Codes());
}

TEST_F(WorktreeTest, UnusedAndUnfinishedOnesGoByAge) {
  const std::string a = Commit("a");
  const std::string b = Commit("b");
  const std::string c = Commit("c");
  const WorktreePlan all = Plan({a, b, c}, "true");
  ASSERT_EQ(Provide(all), 0);
  SetLastUse(Places(all, 0), days(31));
  SetLastUse(Places(all, 1), days(29));
  fs::remove(Places(all, 2).built);
  SetLastUse(Places(all, 2), hours(25));
  WorktreeStore(Plan({Git({"rev-parse", "HEAD~1"})}, "other")).Clean({});
  EXPECT_FALSE(fs::exists(Places(all, 0).folder));
  EXPECT_TRUE(fs::exists(Places(all, 1).built));
  EXPECT_FALSE(fs::exists(Places(all, 2).folder));
  // They are no longer registered in the repository. The user's own worktrees stay.
  const std::string listed = Git({"worktree", "list", "--porcelain"});
  EXPECT_EQ(listed.find(Places(all, 0).tree), std::string::npos);
  EXPECT_NE(listed.find(Places(all, 1).tree), std::string::npos);
  EXPECT_NE(listed.find(repository() + "\n"), std::string::npos);
}

TEST_F(WorktreeTest, ThoseUnusedForLongestGoUntilTheRestIsSmallEnough) {
  const std::string a = Commit("a");
  const std::string b = Commit("b");
  const std::string c = Commit("c");
  // One MiB each, plus a little for the files.
  const std::string build = "dd if=/dev/zero of=big bs=1M count=1 2>/dev/null";
  const WorktreePlan all = Plan({a, b, c}, build);
  ASSERT_EQ(Provide(all), 0);
  SetLastUse(Places(all, 0), hours(3));
  SetLastUse(Places(all, 1), hours(2));
  SetLastUse(Places(all, 2), hours(4));
  WorktreeLimits limits;
  limits.bytes = 5U << 19U;  // 2.5 MiB: one must be removed
  const WorktreePlan one = Plan({a}, build);
  WorktreeStore(one).Clean(limits);
  EXPECT_TRUE(fs::exists(Places(all, 0).built));
  EXPECT_TRUE(fs::exists(Places(all, 1).built));
  EXPECT_FALSE(fs::exists(Places(all, 2).folder)) << "unused for longest";
  limits.bytes = 0;
  SetLastUse(Places(all, 1), hours(0));
  WorktreeStore(one).Clean(limits);
  EXPECT_TRUE(fs::exists(Places(all, 0).built)) << "the plan's own";
  EXPECT_TRUE(fs::exists(Places(all, 1).built)) << "used within the hour";
  SetLastUse(Places(all, 1), hours(2));
  WorktreeStore(one).Clean(limits);
  EXPECT_FALSE(fs::exists(Places(all, 1).folder));
}

TEST_F(WorktreeTest, RefsOfOldSnapshotsGo) {
  const std::string commit = Commit("a");
  Git({"update-ref", "refs/benchd/2001-02-03/" + commit, commit});
  Git({"update-ref", "refs/benchd/9999-01-01/" + commit, commit});
  const WorktreePlan plan = Plan({commit}, "");
  ASSERT_EQ(Provide(plan), 0);
  WorktreeStore(plan).Clean({});
  EXPECT_EQ(Git({"for-each-ref", "--format=%(refname)", "refs/benchd"}),
            "refs/benchd/9999-01-01/" + commit);
}

TEST_F(WorktreeTest, AFolderThatOthersMayWriteIsRefused) {
  const WorktreePlan plan = Plan({Commit("a")}, "");
  fs::create_directories(plan.root);
  ASSERT_EQ(chmod(plan.root.c_str(), 0777), 0);
  const auto opened = WorktreeStore(plan).Open();
  ExpectRefused(opened, {{plan.root, "ROOT"}});
}

class CommitArmsTest : public WorktreeTest {
 protected:
  Result<v1::SessionSpec> Build(std::vector<std::string> words) const {
    auto arguments = ParseArguments(words, AllOptions(*FindCommand("compare")));
    if (!arguments) return std::move(arguments).error();
    auto input = InputFromCommandLine(*arguments);
    if (!input) return std::move(input).error();
    auto wanted = WantsCommits(*input);
    if (!wanted) return std::move(wanted).error();
    CallerContext caller{repository(), {{"GIT_DIR", "/elsewhere"}, {"LANG", "C"}}};
    if (*wanted) {
      auto filled = FillInCommits(&*input, &caller, /*silent=*/true);
      if (!filled) return std::move(filled).error();
    }
    return BuildSpec(*input, caller);
  }
};

TEST_F(CommitArmsTest, TheSameCommitCannotPassWhereAnImprovementIsRequired) {
  Commit("a");
  Commit("b");
  const auto build = [this](std::vector<std::string> words) {
    words.insert(words.begin(), {"--git", "HEAD~1..HEAD", "--same-is-pass"});
    words.insert(words.end(), {"--", "./bench"});
    return Build(std::move(words));
  };
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--margin", "-5%"},
        {"--metric", "cpu_time:-5%"},
        {"--metric", "cpu_time:-5ms"},
        {"--margin", "-5%", "--metric", "max_rss:1%", "--metric", "cpu_time"}}) {
    ExpectRefused(build(words));
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--margin", "5%"},
        {"--metric", "cpu_time:5%"},
        {"--margin", "-5%", "--metric", "cpu_time:5%", "--metric", "instructions:exact"}}) {
    const auto spec = build(words);
    EXPECT_TRUE(spec) << spec.error().message;
  }
}

TEST_F(CommitArmsTest, TheArmsAreTheCommitsInTheirWorktrees) {
  const std::string first = Commit("a");
  const std::string second = Commit("b");
  const auto spec = Build({"--git", "HEAD~1..HEAD", "--build", "make -s", "--cwd", "sub", "--",
                           "./bench", "--dir", "{dir}", "it's {name}"});
  ASSERT_TRUE(spec) << spec.error().message;
  const v1::Benchmark& benchmark = spec->benchmarks(0);
  const WorktreePlan plan = Plan({first, second}, "make -s");
  EXPECT_TRUE(benchmark.hooks().build().ends_with(
      BuildCommandLine("benchctl", plan).substr(std::string_view("benchctl").size())))
      << benchmark.hooks().build();
  const v1::BuildPlan& told = benchmark.hooks().build_plan();
  EXPECT_EQ(told.root(), plan.root);
  EXPECT_EQ(told.repository(), plan.repository);
  EXPECT_EQ(told.build(), "make -s");
  EXPECT_FALSE(told.from_bundle());
  ASSERT_EQ(told.trees_size(), 2);
  EXPECT_EQ(told.trees(1).commit(), second);
  EXPECT_EQ(told.trees(1).key(), plan.trees[1].key);
  EXPECT_EQ(benchmark.hooks().cwd(), repository()) << "it runs before the worktrees are there";
  ASSERT_EQ(benchmark.arms_size(), 2);
  EXPECT_EQ(benchmark.arms(0).name(), "HEAD~1") << "as typed";
  EXPECT_EQ(benchmark.arms(0).role(), v1::ARM_ROLE_REFERENCE);
  EXPECT_EQ(benchmark.arms(0).commit().id(), first);
  EXPECT_EQ(benchmark.arms(1).name(), "HEAD");
  EXPECT_EQ(benchmark.arms(1).commit().id(), second);
  EXPECT_EQ(benchmark.arms(1).commit().description(), second.substr(0, 7));
  const std::string dir = Places(plan, 1).built;
  EXPECT_EQ(benchmark.arms(1).cwd(), dir + "/sub");
  EXPECT_EQ(benchmark.arms(1).command(), "./bench --dir '" + dir + "' 'it'\\''s HEAD'");
  EXPECT_EQ(spec->environment().count("GIT_DIR"), 0U);
  EXPECT_EQ(spec->environment().count("LANG"), 1U);
}

TEST_F(CommitArmsTest, ASingleWordIsAWholeCommandLine) {
  Commit("a");
  const auto spec = Build({"--git", "HEAD~1..HEAD", "-n", "old", "./bench --size 3"});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->benchmarks(0).arms(0).name(), "old");
  EXPECT_EQ(spec->benchmarks(0).arms(1).name(), "HEAD");
  EXPECT_EQ(spec->benchmarks(0).arms(1).command(), "./bench --size 3");
}

TEST_F(CommitArmsTest, ArmsAreNamedAsTheirCommitsWereTyped) {
  const std::string first = Commit("a");
  Git({"tag", "v1.5"});
  const std::string second = Commit("b");
  Git({"branch", "feature"});
  const auto names = [this](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"--git"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--", "x"});
    const auto spec = Build(all);
    if (!spec) return spec.error().message;
    return spec->benchmarks(0).arms(0).name() + " " + spec->benchmarks(0).arms(1).name();
  };
  EXPECT_EQ(names({"v1.5..feature"}), "v1.5 feature") << "a lightweight tag, a branch";
  EXPECT_EQ(names({"v1.5.."}), "v1.5 HEAD");
  EXPECT_EQ(names({"v1.5...feature"}), "base feature") << "the common ancestor was not typed";
  EXPECT_EQ(names({first + ".." + second}), "base candidate") << "nobody reads 40 digits";
  EXPECT_EQ(names({second + "~1..HEAD"}), "base HEAD");
  EXPECT_EQ(names({"v1.5..feature", "-n", "old", "-n", "new"}), "old new");
  EXPECT_EQ(names({"v1.5..feature", "-n", "old"}), "old feature");
  ExpectRefused(Build({"--git", "v1.5..feature", "-n", "", "--", "x"}));
}

TEST_F(CommitArmsTest, SaysWhatDoesNotFitTogether) {
  Commit("a");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--git", "HEAD~1..HEAD"},
        {"--build", "make", "a", "b"},
        {"--git", "HEAD~1..HEAD", "--reference", "r=a", "x"},
        {"--git", "HEAD", "--", "x"},
        {"--git", "x..HEAD", "--", "x"}}) {
    ExpectRefused(Build(words));
  }
}

TEST_F(CommitArmsTest, TheCommandThatAsksAgainNamesTheCommits) {
  const std::string first = Commit("a");
  const std::string second = Commit("b");
  const auto spec = Build({"--git", "HEAD~1..HEAD", "--build", "make -s", "-n", "old", "--parse",
                           "lines", "--", "./bench", "{dir}/x"});
  ASSERT_TRUE(spec) << spec.error().message;
  const std::string again = "benchctl compare --seed 7 --parse lines --git " + first + ".." +
                            second +
                            " --build 'make -s' -n old -n HEAD -- './bench '\\''{dir}/x'\\'''";
  EXPECT_EQ(ReplayCommand(*spec, 7), "cd " + repository() + " && " + again);
  EXPECT_EQ(ReplayCommand(*spec, 7, ReplayPlace::kAnyClone), again) << "for other people";
}

}  // namespace
}  // namespace benchd::client
