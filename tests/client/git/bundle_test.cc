// Bundles of commits, from one repository into another.
#include "client/git/bundle.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "client/git/worktree_plan.h"
#include "client/git/worktree_store.h"
#include "core/base/file.h"
#include "tests/client/git/test_repository.h"
#include "tests/client/refusals.h"

namespace benchd::client {
namespace {

namespace fs = std::filesystem;

class BundleTest : public GitTest {
 protected:
  Result<std::optional<Bundle>> Made(const std::vector<std::string>& commits,
                                     const std::vector<std::string>& known = {},
                                     const std::string& where = "") const {
    auto opened = Repository::Open(where.empty() ? repository() : where);
    EXPECT_TRUE(opened) << opened.error().message;
    return MakeBundle(*opened, commits, known);
  }
  /// Writes the bytes of a bundle to a file of that name.
  std::string Put(const Bundle& bundle, const std::string& name) const {
    lseek(bundle.file.get(), 0, SEEK_SET);
    const std::string bytes = ReadAll(bundle.file.get(), "bundle").value_or("");
    EXPECT_EQ(bytes.size(), bundle.bytes);
    return PutText(bytes, name);
  }
  std::string PutText(const std::string& bytes, const std::string& name) const {
    const std::string path = folder() + "/" + name;
    const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    EXPECT_TRUE(WriteAll(file.get(), bytes, path));
    return path;
  }
  std::string PutBundle(const std::vector<std::string>& commits,
                        const std::vector<std::string>& known = {}) const {
    auto bundle = Made(commits, known);
    EXPECT_TRUE(bundle && *bundle);
    return bundle && *bundle ? Put(**bundle, "bundle") : "";
  }
  /// The error of Take, or "" on success.
  std::string Take(const std::string& bundle, const std::vector<std::string>& commits) const {
    const auto taken = received_.Take(bundle, commits);
    return taken ? "" : taken.error().message;
  }
  std::string There(std::vector<std::string> words) const {
    return client::Git("", path_).Ask(std::move(words)).value_or("");
  }
  /// The number of objects in the repository, including unreferenced ones.
  std::string ObjectsThere() const {
    return There({"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"});
  }

  const std::string root_ = folder() + "/cache/benchd/worktrees";
  const std::string path_ = folder() + "/cache/benchd/received.git";
  const ReceivedRepository received_{path_};
  const std::string first_ = Git({"rev-parse", "HEAD"});
  const std::string second_ = Commit("second");
};

TEST_F(BundleTest, CommitsArriveWithTheirHistoryAndNothingElseDoes) {
  Git({"tag", "v1"});
  const std::string before = Git({"for-each-ref"});
  Git({"checkout", "--quiet", "--orphan", "other"});
  const std::string other = Commit("other");
  Git({"checkout", "--quiet", "main"});
  const std::string bundle = PutBundle({first_, second_});
  EXPECT_EQ(Git({"for-each-ref", "refs/tags", "refs/heads/main"}), before) << "left as it was";
  EXPECT_EQ(Git({"for-each-ref", "refs/benchd"}), "");
  EXPECT_FALSE(received_.Has({first_}));
  ASSERT_EQ(Take(bundle, {first_, second_, first_}), "");
  EXPECT_TRUE(received_.Has({first_, second_}));
  EXPECT_FALSE(received_.Has({first_, other}));
  EXPECT_EQ(There({"for-each-ref", "--format=%(refname)"}).find("v1"), std::string::npos);
  EXPECT_EQ(There({"rev-parse", second_ + "^"}), first_);
  const std::vector<std::string> commits = ReceivedCommits(root_);
  EXPECT_EQ(std::set(commits.begin(), commits.end()), (std::set{first_, second_}));
}

TEST_F(BundleTest, WhatIsKnownThereIsNotSentAgain) {
  ASSERT_EQ(Take(PutBundle({first_, second_}), {first_, second_}), "");
  // Commits that the clone lacks are ignored.
  const std::vector<std::string> known = {second_, std::string(40, 'a')};
  auto nothing = Made({first_, second_}, known);
  ASSERT_TRUE(nothing) << nothing.error().message;
  EXPECT_FALSE(*nothing) << "all of it is there";
  Write("b.txt", "three\n");
  const std::string third = Commit("third");
  const std::string all = PutBundle({second_, third});
  const auto all_bytes = fs::file_size(all);
  const std::string bundle = PutBundle({second_, third}, known);
  EXPECT_LT(fs::file_size(bundle), all_bytes);
  ASSERT_EQ(Take(bundle, {second_, third}), "");
  EXPECT_EQ(There({"show", third + ":b.txt"}), "three");
}

TEST_F(BundleTest, HistoryThatIsGoneThereIsNamed) {
  const std::string bundle = PutBundle({second_}, {first_});
  ExpectRefused(received_.Take(bundle, {second_}));
  EXPECT_EQ(ObjectsThere(), "");
}

TEST_F(BundleTest, WhatIsNoUsableBundleLeavesNothing) {
  const std::string good = PutBundle({first_, second_});
  const std::string bytes = Read(good);
  std::string broken = bytes;
  broken[bytes.size() - 30] = static_cast<char>(broken[bytes.size() - 30] ^ 1);
  const std::string nowhere(40, 'a');
  for (const std::string& text :
       {std::string(), std::string("PK\x03\x04"), std::string("# v2 git bundle\n"),
        std::string("# v2 git bundle\nnonsense\n\n"),
        "# v2 git bundle\n" + first_ + " ../../../etc/passwd\n\n" +
            bytes.substr(bytes.find("\n\n") + 2),
        bytes.substr(0, bytes.size() / 2), broken}) {
    // git's own words follow, which depend on its version.
    const std::string what = Take(PutText(text, "bad"), {first_, second_});
    EXPECT_TRUE(what.starts_with("the bundle: ")) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_EQ(ObjectsThere(), "") << what;
    EXPECT_EQ(There({"for-each-ref"}), "") << what;
  }
  // Another commit under the ref of the requested one.
  std::string lying = bytes;
  lying.replace(lying.find(second_), second_.size(), first_);
  ExpectRefused(received_.Take(PutText(lying, "bad"), {first_, second_}), {{second_, "SECOND"}});
  EXPECT_EQ(There({"for-each-ref"}), "");
  EXPECT_TRUE(Take(good, {nowhere}).starts_with("the bundle: ")) << "a commit that it has not";
  EXPECT_EQ(Take(good, {first_, second_}), "") << "and then a good one";
}

TEST_F(BundleTest, AShallowCloneIsRefused) {
  Git({"clone", "--quiet", "--depth", "1", "file://" + repository(), folder() + "/shallow"});
  const auto made = Made({second_}, {}, folder() + "/shallow");
  ExpectRefused(made);
}

TEST_F(BundleTest, ABareCloneAndALinkedWorktreeDo) {
  Git({"clone", "--quiet", "--bare", repository(), folder() + "/bare.git"});
  Git({"worktree", "add", "--quiet", folder() + "/linked", first_});
  for (const char* name : {"/bare.git", "/linked"}) {
    const auto made = Made({first_, second_}, {}, folder() + name);
    EXPECT_TRUE(made && *made) << name;
  }
}

TEST_F(BundleTest, ARepositoryOfSha256HasOneOfItsOwn) {
  const std::string where = folder() + "/sha256";
  Git({"init", "--quiet", "--object-format=sha256", where});
  const client::Git git(where);
  ASSERT_TRUE(git.Ask({"commit", "--quiet", "--allow-empty", "-m", "x"}));
  const std::string commit = *git.Ask({"rev-parse", "HEAD"});
  const auto made = Made({commit}, {first_}, where);
  ASSERT_TRUE(made && *made) << made.error().message;
  const std::string path = ReceivedRepository::PathFor(root_, commit);
  EXPECT_NE(path, ReceivedRepository::PathFor(root_, first_));
  const auto taken = ReceivedRepository(path).Take(Put(**made, "bundle"), {commit});
  EXPECT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(ReceivedCommits(root_), std::vector{commit});
}

TEST_F(BundleTest, ItsWorktreesAreMadeAsThoseOfAClone) {
  ASSERT_EQ(Take(PutBundle({first_, second_}), {first_, second_}), "");
  WorktreePlan plan{root_, path_, "cp a.txt out.txt", {}, "/run/x.sock"};
  for (const std::string& commit : {first_, second_}) {
    plan.trees.push_back({commit, *WorktreeKey(client::Git(repository()), path_, commit, "x")});
  }
  const WorktreeStore store(plan);
  ASSERT_TRUE(store.Open());
  for (const WorktreeOrder& order : plan.trees) EXPECT_EQ(*store.Provide(order), 0);
  EXPECT_EQ(Read(WorktreePlaces(root_, plan.trees[1]).built + "/out.txt"), "one\n");
  received_.Forget({first_, second_});
  EXPECT_FALSE(received_.Has({first_}));
  EXPECT_EQ(There({"cat-file", "-t", second_}), "commit") << "its worktree needs it";
  received_.CollectGarbage();
}

}  // namespace
}  // namespace benchd::client
