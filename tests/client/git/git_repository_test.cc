// --git on real repositories: the commits of a range, and snapshots of a worktree.
#include <filesystem>

#include "client/git/repository.h"
#include "tests/client/git/test_repository.h"
#include "tests/client/refusals.h"

namespace benchd::client {
namespace {

TEST(RevisionRangeTest, ReadsWhatGitPeopleWrite) {
  EXPECT_EQ(*ParseRange("v1..v2"), (RevisionRange{"v1", "v2", false, false}));
  EXPECT_EQ(*ParseRange("main...topic"), (RevisionRange{"main", "topic", true, false}));
  EXPECT_EQ(*ParseRange("main.."), (RevisionRange{"main", "HEAD", false, false}));
  EXPECT_EQ(*ParseRange("..topic"), (RevisionRange{"HEAD", "topic", false, false}));
  EXPECT_EQ(*ParseRange("HEAD~3..WORKTREE"), (RevisionRange{"HEAD~3", "HEAD", false, true}));
  EXPECT_EQ(*ParseRange("main...WORKTREE"), (RevisionRange{"main", "HEAD", true, true}));
}

TEST(RevisionRangeTest, SaysWhatIsWrongWithARange) {
  for (const char* text : {"", "..", "...", "main", "a..b..c", "a....b", "WORKTREE..a"}) {
    ExpectRefused(text, ParseRange(text));
  }
}

class RepositoryTest : public GitTest {
 protected:
  std::string first_ = Git({"rev-parse", "HEAD"});

  Result<CommitPair> Pair(const std::string& text, const std::string& cwd = "") const {
    auto repository = Repository::Open(cwd.empty() ? this->repository() : cwd);
    if (!repository) return std::move(repository).error();
    auto range = ParseRange(text);
    if (!range) return std::move(range).error();
    return repository->Resolve(*range);
  }
  void ExpectNoPair(const std::string& text, const std::string& cwd = "") const {
    SCOPED_TRACE(text);
    const std::string head = Git({"rev-parse", "HEAD"}).substr(0, 7);
    ExpectRefused(Pair(text, cwd), {{folder(), "DIR"}, {head, "HEAD_ID"}});
  }
  /// All state that a user could see: index, refs outside refs/benchd, stash, files.
  std::string State() const {
    return Git({"status", "--porcelain", "--ignored"}) + "\n--\n" + Git({"diff", "--cached"}) +
           Git({"diff"}) + "\n--\n" +
           Git({"for-each-ref", "refs/heads", "refs/tags", "refs/stash"}) + "\n--\n" +
           Git({"stash", "list"}) + Git({"ls-files", "--stage"});
  }
};

TEST_F(RepositoryTest, ResolvesAndDescribesBothSides) {
  Git({"tag", "-a", "v1", "-m", "one"});
  Write("a.txt", "two\n");
  const std::string second = Commit("second");
  const auto pair = Pair("v1..HEAD");
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(pair->base, (NamedCommit{first_, "v1"}));
  EXPECT_EQ(pair->candidate, (NamedCommit{second, "v1-1-g" + second.substr(0, 7)}));
  // A subfolder and another worktree belong to the same repository.
  std::filesystem::create_directory(repository() + "/sub");
  Git({"worktree", "add", "--quiet", "--detach", folder() + "/other", "v1"});
  EXPECT_EQ(Pair("v1..main", repository() + "/sub")->candidate, (NamedCommit{second, "main"}));
  EXPECT_EQ(Pair("v1..main", folder() + "/other")->candidate, (NamedCommit{second, "main"}));
  EXPECT_EQ(Repository::Open(folder() + "/other")->common_dir(), repository() + "/.git");
  EXPECT_EQ(Repository::Open(repository() + "/sub")->common_dir(), repository() + "/.git");
}

// Most projects have lightweight tags, which `git describe` ignores without --tags.
TEST_F(RepositoryTest, CallsACommitWhatTheUserCallsIt) {
  Git({"tag", "-a", "v0", "-m", "annotated"});
  Write("a.txt", "one\n");
  const std::string second = Commit("second");
  Git({"tag", "v1"});
  Write("a.txt", "two\n");
  const std::string third = Commit("third");
  Git({"tag", "v2"});
  const auto pair = Pair("v1..v2");
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(pair->base, (NamedCommit{second, "v1"}));
  EXPECT_EQ(pair->candidate, (NamedCommit{third, "v2"}));
  // An ID and HEAD do not describe a commit.
  EXPECT_EQ(*Pair(second + ".."), *pair);
  EXPECT_EQ(*Pair(second.substr(0, 9) + ".." + third.substr(0, 9)), *pair);
  EXPECT_EQ(Pair("v2~1..v2")->base, (NamedCommit{second, "v2~1"}));
  Write("a.txt", "three\n");
  EXPECT_EQ(Pair("v1..WORKTREE")->candidate.description, "v2-dirty");
  // A description has at most 200 bytes.
  std::string long_winded = "v2";
  for (int i = 0; i < 100; ++i) long_winded += "^0";
  EXPECT_EQ(Pair("v1.." + long_winded)->candidate, (NamedCommit{third, "v2"}));
}

TEST_F(RepositoryTest, ThreeDotsStartFromTheCommonAncestor) {
  Git({"checkout", "--quiet", "-b", "topic"});
  const std::string topic = Commit("on topic");
  Git({"checkout", "--quiet", "main"});
  Commit("on main");
  const auto pair = Pair("main...topic");
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(pair->base.id, first_);
  EXPECT_EQ(pair->candidate.id, topic);
  Git({"checkout", "--quiet", "--orphan", "island"});
  Commit("elsewhere");
  ExpectNoPair("main...island");
}

TEST_F(RepositoryTest, NamesWhatItCannotResolve) {
  ExpectNoPair("nowhere..HEAD");
  ExpectNoPair("HEAD..--all");
  ExpectNoPair("HEAD..HEAD:a.txt");
  ExpectNoPair("HEAD..main");
  Write("a.txt", "changed\n");
  ExpectNoPair("HEAD..main");
  ExpectNoPair("HEAD..main", folder());
}

TEST_F(RepositoryTest, ANameOfATagAndABranchIsAmbiguous) {
  Git({"tag", "v1"});
  Write("a.txt", "two");
  Commit("second");
  Git({"branch", "v1"});
  Write("a.txt", "three");
  Commit("third");
  for (const char* range :
       {"v1..HEAD", "HEAD..v1", "v1...HEAD", "v1~0..HEAD", "v1^0..HEAD", "v1^{commit}..HEAD"}) {
    ExpectNoPair(range);
  }
  EXPECT_TRUE(Pair("refs/tags/v1..refs/heads/v1"));
}

TEST_F(RepositoryTest, ABareRepositoryHasCommitsAndNoWorktree) {
  const std::string second = Commit("second");
  Git({"clone", "--quiet", "--bare", repository(), folder() + "/bare.git"});
  EXPECT_EQ(Pair("HEAD~1..HEAD", folder() + "/bare.git")->candidate.id, second);
  ExpectNoPair("HEAD~1..WORKTREE", folder() + "/bare.git");
}

TEST_F(RepositoryTest, AShallowCloneIsToldApart) {
  Commit("second");
  Git({"clone", "--quiet", "--depth", "1", "file://" + repository(), folder() + "/shallow"});
  ExpectNoPair("HEAD~1..HEAD", folder() + "/shallow");
  // As after `actions/checkout` and a fetch of another branch, both without history.
  Git({"checkout", "--quiet", "-b", "topic"});
  Write("a.txt", "three");
  Commit("on a branch");
  Git({"-C", folder() + "/shallow", "fetch", "--quiet", "--depth", "1", "origin",
       "topic:refs/remotes/origin/topic"});
  ExpectNoPair("HEAD...origin/topic", folder() + "/shallow");
}

TEST_F(RepositoryTest, ASnapshotHasTheFilesAsTheyAreAndTouchesNothing) {
  Write(".gitignore", "ignored\n");
  Write("staged.txt", "old\n");
  Write("gone.txt", "x\n");
  const std::string head = Commit("second");
  Write("staged.txt", "in the index\n");
  Git({"add", "staged.txt"});
  Write("staged.txt", "after that\n");
  Write("a.txt", "changed\n");
  Write("sub/new.txt", "untracked\n");
  Write("ignored", "no\n");
  std::filesystem::remove(repository() + "/gone.txt");
  const std::string before = State();
  const auto pair = Pair("HEAD~1..WORKTREE", repository() + "/sub");
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(State(), before);
  const std::string id = pair->candidate.id;
  EXPECT_EQ(pair->candidate.description, head.substr(0, 7) + "-dirty");
  EXPECT_EQ(Git({"ls-tree", "-r", "--name-only", id}),
            ".gitignore\na.txt\nstaged.txt\nsub/new.txt");
  EXPECT_EQ(Git({"show", id + ":staged.txt"}), "after that");
  EXPECT_EQ(Git({"show", id + ":a.txt"}), "changed");
  EXPECT_EQ(Git({"rev-parse", id + "^"}), head);
  // The same files give the same commit, and git does not garbage-collect it.
  EXPECT_EQ(Pair("HEAD~1..WORKTREE")->candidate.id, id);
  Git({"reflog", "expire", "--expire=now", "--all"});
  Git({"gc", "--quiet", "--prune=now"});
  EXPECT_EQ(Git({"cat-file", "-t", id}), "commit");
}

TEST_F(RepositoryTest, ASnapshotOfACleanWorktreeIsItsHead) {
  const std::string second = Commit("second");
  const auto pair = Pair("HEAD~1..WORKTREE");
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(pair->candidate, (NamedCommit{second, second.substr(0, 7)}));
  EXPECT_EQ(Git({"for-each-ref", "refs/benchd"}), "");
  ExpectNoPair("HEAD..WORKTREE");
}

TEST_F(RepositoryTest, AChangeOfTheSameSizeInTheSameSecondIsSeen) {
  // Size and second are equal, but git does not trust them, because the index is too recent.
  Write("a.txt", "111\n");
  Commit("second");
  Write("a.txt", "222\n");
  const auto pair = Pair("HEAD~1..WORKTREE");
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_EQ(Git({"show", pair->candidate.id + ":a.txt"}), "222");
}

TEST_F(RepositoryTest, ASnapshotRunsNoHookMonitorOrFilter) {
  const std::string mark = folder() + "/ran";
  Git({"config", "core.fsmonitor", "touch " + mark + "-monitor; false"});
  Git({"config", "filter.evil.clean", "touch " + mark + "-filter; cat"});
  Git({"config", "filter.evil.required", "true"});
  for (const char* hook : {"reference-transaction", "post-index-change", "pre-commit"}) {
    const std::string path = repository() + "/.git/hooks/" + hook;
    Write(std::string(".git/hooks/") + hook, "#!/bin/sh\ntouch " + mark + "-hook\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  Write(".gitattributes", "*.bin filter=evil\n");
  Write("data.bin", "x\n");
  const auto pair = Pair("HEAD..WORKTREE");
  ASSERT_TRUE(pair) << pair.error().message;
  for (const char* what : {"-monitor", "-filter", "-hook"}) {
    EXPECT_FALSE(std::filesystem::exists(mark + what)) << what;
  }
}

TEST_F(RepositoryTest, AnUnfinishedMergeIsNoState) {
  Git({"checkout", "--quiet", "-b", "topic"});
  Write("a.txt", "topic\n");
  Commit("topic");
  Git({"checkout", "--quiet", "main"});
  Write("a.txt", "main\n");
  Commit("main");
  ProcessOrder merge;
  merge.words = {"git", "merge", "topic"};
  merge.cwd = repository();
  ASSERT_EQ(RunProcess(merge)->code, 1);  // git's code for a conflict
  ExpectNoPair("HEAD~1..WORKTREE");
}

TEST_F(RepositoryTest, SaysWhenGitIsMissing) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const auto pair = Pair("HEAD~1..HEAD");
  setenv("PATH", path.c_str(), 1);
  ExpectRefused(pair);
}

}  // namespace
}  // namespace benchd::client
