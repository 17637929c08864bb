// Finding a command as its caller would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/runner/runner_process.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

class ResolveTest : public testing::Test {
 protected:
  Result<ProgramIdentity> Resolve(const std::string& program, const std::string& path) {
    runner_.Send(
        wire::Resolve{{.caller = caller_, .program = program, .path = path, .cwd = folder_.path()}},
        11);
    auto resolved = runner_.Await<Result<ProgramIdentity>>();
    EXPECT_EQ(runner_.answered(), 11U);
    return resolved;
  }
  std::string MessageOf(const std::string& program, const std::string& path) {
    const auto resolved = Resolve(program, path);
    if (resolved) return "found " + resolved->path;
    return std::string(NameOf(resolved.error().code)) + ": " + resolved.error().message;
  }

  TempFolder folder_;
  Caller caller_ = OwnCaller();
  RunnerProcess runner_;
};

TEST_F(ResolveTest, FindsACommandInPathAndTakesItsIdentity) {
  const auto found = Resolve("true", "/no/such/folder:/usr/bin:/bin");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->path, "/usr/bin/true");
  ProgramIdentity expected = IdentityOf("/usr/bin/true");
  expected.sha256 = found->sha256;
  EXPECT_EQ(*found, expected);
}

TEST_F(ResolveTest, TheDigestIsSha256) {
  folder_.Put("abc", "abc", 0755);
  const auto found = Resolve("./abc", "");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->path, folder_ / "abc");
  // FIPS 180-2, appendix B.1: the digest of "abc".
  const std::array<std::uint8_t, 32> expected{0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                              0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                              0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                              0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
  EXPECT_EQ(found->sha256, expected);
}

TEST_F(ResolveTest, CountsRelativeAndEmptyPartsFromTheWorkingDirectory) {
  std::filesystem::create_directory(folder_ / "bin");
  folder_.Put("bin/tool", "#!/bin/sh\n", 0755);
  folder_.Put("tool", "#!/bin/sh\n", 0755);
  EXPECT_EQ(MessageOf("tool", "bin:/usr/bin"), "found " + (folder_ / "bin/tool"));
  EXPECT_EQ(MessageOf("tool", "/usr/bin:"), "found " + (folder_ / "tool"));
  EXPECT_EQ(MessageOf("tool", ":/usr/bin"), "found " + (folder_ / "tool"));
  EXPECT_EQ(MessageOf("bin/tool", ""), "found " + (folder_ / "bin/tool"));
  EXPECT_EQ(MessageOf(".//./tool", ""), "found " + (folder_ / "tool"));
}

TEST_F(ResolveTest, SkipsWhatIsNoExecutableFileButRemembersIt) {
  std::filesystem::create_directories(folder_ / "a/tool");  // a folder of that name
  std::filesystem::create_directory(folder_ / "b");
  folder_.Put("b/tool", "text", 0644);
  EXPECT_WORDING(MessageOf("tool", folder_ / "a"));
  EXPECT_WORDING(MessageOf("tool", (folder_ / "a") + ":" + (folder_ / "b")),
                 {{folder_.path(), "DIR"}, {"uid " + std::to_string(caller_.uid), "uid CALLER"}});
  std::filesystem::create_directory(folder_ / "c");
  folder_.Put("c/tool", "#!/bin/sh\n", 0755);
  EXPECT_EQ(MessageOf("tool", (folder_ / "b") + ":" + (folder_ / "c")),
            "found " + (folder_ / "c/tool"));
}

TEST_F(ResolveTest, SaysWhatIsWrong) {
  auto missing = Resolve("no-such-command", "/usr/bin:/bin");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_WORDING(missing.error());

  missing = Resolve("./gone", "");
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_WORDING(missing.error(), {{folder_.path(), "DIR"}});

  folder_.Put("text", "text", 0644);
  const auto refused = Resolve("./text", "");
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);

  EXPECT_WORDING(MessageOf("/", ""));
  EXPECT_WORDING(MessageOf("", ""));
}

TEST_F(ResolveTest, AnswersWhileAChildIsMeasured) {
  const Leash leash(folder_);
  ASSERT_TRUE(
      runner_.Open(ScriptOf("exec 9>" + leash.path() + "; echo ready >&9; exec sleep 1000")));
  runner_.Start();
  ASSERT_EQ(leash.ReadLine(), "ready");
  EXPECT_EQ(MessageOf("true", "/usr/bin"), "found /usr/bin/true");
  EXPECT_WORDING(MessageOf("gone", "/usr/bin"));
  runner_.Send(wire::CancelRun{});
  EXPECT_EQ(runner_.Finish().error().code, ErrorCode::kCancelled);
}

TEST_F(ResolveTest, AnswersManyAtOnceEachWithItsNumber) {
  constexpr std::uint64_t kRequests = 30;  // more than run at a time
  for (std::uint64_t request = 0; request < kRequests; ++request) {
    runner_.Send(wire::Resolve{{.caller = caller_,
                                .program = request % 2 == 0 ? "true" : "gone",
                                .path = "/usr/bin",
                                .cwd = "/"}},
                 request);
  }
  std::set<std::uint64_t> answered;
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    const auto resolved = runner_.Await<Result<ProgramIdentity>>();
    EXPECT_EQ(resolved.has_value(), runner_.answered() % 2 == 0);
    answered.insert(runner_.answered());
  }
  EXPECT_EQ(answered.size(), kRequests);
}

/// An executable that takes longer to read than the timeout of a lookup.
std::string PutEndlessProgram(const TempFolder& folder) {
  std::string path = folder.Put("endless", "", 0755);
  constexpr off_t kTebibyte = off_t{1} << 40;
  EXPECT_EQ(truncate(path.c_str(), kTebibyte), 0);
  return path;
}

TEST_F(ResolveTest, WhatOneUserLooksUpDoesNotDelayAnother) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  const std::string endless = PutEndlessProgram(folder_);
  constexpr std::uint64_t kMany = 41;
  for (std::uint64_t request = 0; request < kMany; ++request) {
    runner_.Send(
        wire::Resolve{{.caller = NobodyCaller(), .program = endless, .path = "", .cwd = "/"}},
        request);
  }
  // This answer comes before all others.
  EXPECT_EQ(MessageOf("true", "/usr/bin"), "found /usr/bin/true");
}

TEST_F(ResolveTest, AHelperAtWorkCannotBeTracedByItsUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  const std::string endless = PutEndlessProgram(folder_);
  const UniqueFd opened(inotify_init1(IN_CLOEXEC));
  ASSERT_GE(inotify_add_watch(opened.get(), endless.c_str(), IN_OPEN), 0);
  runner_.Send(
      wire::Resolve{{.caller = NobodyCaller(), .program = endless, .path = "", .cwd = "/"}});
  char event[4096];
  ASSERT_GT(read(opened.get(), event, sizeof(event)), 0) << "the helper has not started";
  bool found = false;
  for (const pid_t pid : ChildrenOf(runner_.pid())) {
    const std::string child = "/proc/" + std::to_string(pid);
    const std::string status = ReadFile(child + "/status");
    found = true;
    EXPECT_NE(status.find("\nUid:\t65534\t65534\t65534\t65534\n"), std::string::npos) << status;
    // The files of a process that cannot be traced belong to root (proc(5)).
    struct stat folder {};
    ASSERT_EQ(stat((child + "/mem").c_str(), &folder), 0);
    EXPECT_EQ(folder.st_uid, 0U);
  }
  EXPECT_TRUE(found);
}

/// The nice values of a runner's helpers.
std::vector<int> NicesOfHelpers(pid_t runner) {
  std::vector<int> nices;
  for (const pid_t pid : ChildrenOf(runner)) {
    const std::string stat = ReadFile("/proc/" + std::to_string(pid) + "/stat");
    if (stat.find("(benchd-helper)") == std::string::npos) continue;
    // After the name come state, parent and so on; the nice value is field 19 (proc(5)).
    std::istringstream fields(stat.substr(stat.rfind(')') + 1));
    std::string skipped;
    for (int i = 3; i < 19; ++i) fields >> skipped;
    fields >> nices.emplace_back();
  }
  return nices;
}

// A program of 64 MiB, which takes long enough to be observed.
TEST_F(ResolveTest, AUsersFirstLookupIsNotBehindOthersUntilItReadsALargeFile) {
  const std::string large = folder_.Put("large", "", 0755);
  ASSERT_EQ(truncate(large.c_str(), off_t{64} << 20), 0);
  const UniqueFd opened(inotify_init1(IN_CLOEXEC));
  ASSERT_GE(inotify_add_watch(opened.get(), large.c_str(), IN_OPEN), 0);
  const wire::Resolve lookup{{.caller = caller_, .program = large, .path = "", .cwd = "/"}};
  const auto nices_at_begin = [&] {
    runner_.Send(lookup);
    char event[4096];
    EXPECT_GT(read(opened.get(), event, sizeof(event)), 0) << "the helper has not started";
    return NicesOfHelpers(runner_.pid());
  };
  bool was_first = false;
  bool was_behind = false;
  // If the test itself has to wait for a CPU, it may look too late.
  for (int i = 0; i < 50 && !(was_first && was_behind); ++i) {
    std::vector<int> nices = nices_at_begin();
    was_first = was_first || nices == std::vector<int>{0};
    while (!was_behind && !nices.empty()) {
      was_behind = nices == std::vector<int>{10};
      nices = NicesOfHelpers(runner_.pid());
    }
    ASSERT_TRUE(runner_.Await<Result<ProgramIdentity>>());
  }
  EXPECT_TRUE(was_first);
  EXPECT_TRUE(was_behind);
}

TEST_F(ResolveTest, AUsersFurtherLookupsAreBehindOthers) {
  const std::string endless = PutEndlessProgram(folder_);
  const UniqueFd opened(inotify_init1(IN_CLOEXEC));
  ASSERT_GE(inotify_add_watch(opened.get(), endless.c_str(), IN_OPEN), 0);
  char event[4096];
  runner_.Send(wire::Resolve{{.caller = caller_, .program = endless, .path = "", .cwd = "/"}}, 1);
  ASSERT_GT(read(opened.get(), event, sizeof(event)), 0);
  runner_.Send(wire::Resolve{{.caller = caller_, .program = endless, .path = "", .cwd = "/"}}, 2);
  ASSERT_GT(read(opened.get(), event, sizeof(event)), 0);
  EXPECT_THAT(NicesOfHelpers(runner_.pid()), testing::Contains(10));
}

TEST_F(ResolveTest, AUserWhoAsksForTooManyIsRefusedAtOnce) {
  const std::string endless = PutEndlessProgram(folder_);
  constexpr std::uint64_t kRunning = 2;
  constexpr std::uint64_t kWaiting = 256;
  for (std::uint64_t request = 0; request <= kRunning + kWaiting; ++request) {
    runner_.Send(wire::Resolve{{.caller = caller_, .program = endless, .path = "", .cwd = "/"}},
                 request);
  }
  const auto refused = runner_.Await<Result<ProgramIdentity>>();
  EXPECT_EQ(runner_.answered(), kRunning + kWaiting);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
}

TEST_F(ResolveTest, LooksWithTheRightsOfTheCaller) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  const std::string hidden = folder_.Put("tool", "#!/bin/sh\n", 0700);
  EXPECT_EQ(MessageOf(hidden, ""), "found " + hidden);
  caller_ = NobodyCaller();
  const auto refused = Resolve(hidden, "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);

  // Executable but not readable: found, without a digest.
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(hidden.c_str(), 0711), 0);
  const auto unreadable = Resolve(hidden, "");
  ASSERT_TRUE(unreadable) << unreadable.error().message;
  EXPECT_EQ(unreadable->sha256, (std::array<std::uint8_t, 32>{}));
}

TEST_F(ResolveTest, ACallerWithoutAFreeProcessIsToldSo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  // One process exists already and no other is allowed, so execve refuses the second.
  const Leash leash(folder_);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  ChildSpec child = ScriptOf("exec 9>" + leash.path() + "; echo ready >&9; exec sleep 1000");
  child.caller = NobodyCaller();
  ASSERT_TRUE(runner_.Open(child));
  runner_.Start();
  ASSERT_EQ(leash.ReadLine(), "ready");
  caller_ = NobodyCaller();
  caller_.limits = {{.resource = RLIMIT_NPROC, .soft = 0, .hard = 0}};
  const auto refused = Resolve("true", "/usr/bin");
  ASSERT_FALSE(refused);
  EXPECT_WORDING(refused.error());
}

}  // namespace
}  // namespace benchd
