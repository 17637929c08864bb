#include <gtest/gtest.h>

#include "client/link/login.h"
#include "tests/client/refusals.h"
#include "tests/support/wording.h"

namespace benchd::client {
namespace {

TEST(SshTargetTest, ReadsWhatItWrites) {
  for (const char* text : {"ssh://far", "ssh://ci@far", "ssh://ci@far.example:2222", "ssh://[::1]",
                           "ssh://ci@[fe80::1]:22", "ssh://192.0.2.7:65535"}) {
    const auto target = ParseSshTarget(text);
    ASSERT_TRUE(target) << text << ": " << target.error().message;
    EXPECT_EQ(target->Text(), text);
  }
  EXPECT_EQ(*ParseSshTarget("ssh://ci@[::1]:22"), (SshTarget{"ci", "::1", 22}));
  EXPECT_EQ(ParseSshTarget("ssh://far/")->Text(), "ssh://far") << "as a URL of a server ends";
}

// ssh would take a word that begins with a dash for an option, such as ProxyCommand.
TEST(SshTargetTest, RefusesWhatSshWouldTakeForSomethingElse) {
  for (const char* text :
       {"ssh://-oProxyCommand=id", "ssh://-lroot@far", "ssh://@far", "ssh://[-oX]", "ssh://",
        "ssh://a b", "ssh://a@b@c", "ssh://a/path", "ssh://a\nb", "ssh://[::1", "ssh://::1",
        "ssh://[far]", "ssh://$(id)", "ssh://`id`"}) {
    ExpectRefused(ParseSshTarget(text));
  }
}

TEST(SshTargetTest, RefusesOtherAddresses) {
  for (const char* text :
       {"far", "tcp://far", "ssh://far:", "ssh://far:0", "ssh://far:65536", "ssh://far:2x"}) {
    ExpectRefused(ParseSshTarget(text));
  }
}

TEST(GreetingTest, ArrivesAsItWasSaid) {
  RemoteLogin login;
  login.uid = 1007;
  login.user = "ci";
  login.caller.context = {"/home/ci", {{"PATH", "/usr/bin"}, {"PS1", "\n\"ü\""}}};
  login.caller.skipped = {"BYTES"};
  const std::string line = Greeting(login);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line";
  const auto read = ParseGreeting(line);
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->uid, 1007U);
  EXPECT_EQ((*read)->user, "ci");
  EXPECT_EQ((*read)->caller.context.cwd, "/home/ci");
  EXPECT_EQ((*read)->caller.context.environment, login.caller.context.environment);
  EXPECT_EQ((*read)->caller.skipped, login.caller.skipped);
  EXPECT_FALSE((*read)->builds) << "of a benchctl that says nothing of them";
}

TEST(GreetingTest, SaysWhereCommitsAreBuilt) {
  RemoteLogin login;
  login.caller.context.cwd = "/home/ci";
  login.builds = {"/usr/bin/benchctl",
                  "/home/ci/.cache/benchd/worktrees",
                  "/run/b.sock",
                  {std::string(40, 'a'), std::string(64, '0')}};
  const auto read = ParseGreeting(Greeting(login));
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->builds, login.builds);
  for (const BuildPlace& place :
       {BuildPlace{"benchctl", "/r", "/s"}, BuildPlace{"/b", "", "/s"}, BuildPlace{"/b", "/r", "s"},
        BuildPlace{"/b", "/r", "/s", {"--all"}}}) {
    login.builds = place;
    EXPECT_FALSE(ParseGreeting(Greeting(login))) << place.program << place.root << place.socket;
  }
}

TEST(GreetingTest, NoiseIsNoneAndDamageIsAnError) {
  EXPECT_FALSE(ParseGreeting("Welcome to far!\n")->has_value());
  EXPECT_FALSE(ParseGreeting("")->has_value());
  const std::string mark(kGreetingMark);
  const char* const relative = R"({"cwd":"home","environment":{},"skipped":[],"uid":1,"user":"ci"})"
                               "\n";
  for (const char* rest : {"", "{}\n", "null\n", "[]\n", "{\"cwd\": 1}\n", relative}) {
    EXPECT_FALSE(ParseGreeting(mark + rest)) << rest;
  }
}

void ExpectExplained(const SshEnd& end) {
  const Error error = ExplainSshEnd({"ci", "far", 2222}, end);
  EXPECT_EQ(ExitFor(error), ExitCode::kRefused);
  EXPECT_WORDING(error);
}

TEST(SshEndTest, SshsOwnWordsAreTold) {
  ExpectExplained({.code = 255, .err = "banner\nci@far: Permission denied (publickey).\r\n"});
  ExpectExplained({.code = 255, .err = "ssh: connect to host far: Connection refused\n"});
}

TEST(SshEndTest, AMissingBenchctlIsTold) {
  ExpectExplained({.code = 127, .err = "bash: line 1: benchctl: command not found\n"});
}

TEST(SshEndTest, TheErrorOfTheOtherBenchctlIsTold) {
  ExpectExplained({.code = 5, .err = "error: no daemon is running: x\nhint: start one\n"});
  ExpectExplained({.code = 2, .err = "error: dial-stdio: unknown command\n"});
}

TEST(SshEndTest, AnotherProgramIsTold) {
  ExpectExplained({.code = 0, .unwelcome = "\nThis account is for backups.\n"});
  ExpectExplained({.code = 3, .err = "no\n"});
}

TEST(SshEndTest, AConnectionThatStoodWasClosed) {
  ExpectExplained({.code = 0, .greeted = true});
  ExpectExplained({.code = 137, .greeted = true});
}

}  // namespace
}  // namespace benchd::client
