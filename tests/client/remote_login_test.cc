#include <gtest/gtest.h>

#include "client/link/login.h"

namespace benchd::client {
namespace {

std::string Refused(std::string_view text) {
  const auto target = ParseSshTarget(text);
  return target ? "taken: " + target->Text() : target.error().message;
}

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
  EXPECT_EQ(Refused("ssh://-oProxyCommand=id"), "host 'ssh://-oProxyCommand=id': not a host name");
  EXPECT_EQ(Refused("ssh://-lroot@far"), "host 'ssh://-lroot@far': invalid user name before @");
  EXPECT_EQ(Refused("ssh://@far"), "host 'ssh://@far': invalid user name before @");
  EXPECT_EQ(Refused("ssh://[-oX]"), "host 'ssh://[-oX]': not a host name");
  for (const char* text : {"ssh://", "ssh://a b", "ssh://a@b@c", "ssh://a/path", "ssh://a\nb",
                           "ssh://[::1", "ssh://::1", "ssh://[far]", "ssh://$(id)", "ssh://`id`"}) {
    EXPECT_FALSE(ParseSshTarget(text)) << text;
  }
}

TEST(SshTargetTest, RefusesOtherAddresses) {
  EXPECT_EQ(Refused("far"), "host 'far': not an ssh:// address");
  EXPECT_EQ(ParseSshTarget("tcp://far").error().hint, "write ssh://[USER@]HOST[:PORT]");
  for (const char* text : {"ssh://far:", "ssh://far:0", "ssh://far:65536", "ssh://far:2x"}) {
    EXPECT_EQ(Refused(text),
              "host '" + std::string(text) + "': the port must be between 1 and 65535");
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

std::string Explained(const SshEnd& end) {
  const Error error = ExplainSshEnd({"ci", "far", 2222}, end);
  EXPECT_EQ(ExitFor(error), ExitCode::kRefused);
  return error.message + " | " + error.hint;
}

TEST(SshEndTest, SshsOwnWordsAreTold) {
  EXPECT_EQ(Explained({.code = 255, .err = "banner\nci@far: Permission denied (publickey).\r\n"}),
            "ssh: ci@far: Permission denied (publickey). | try it by hand: "
            "ssh -p 2222 ci@far benchctl version");
  EXPECT_EQ(Explained({.code = 255, .err = "ssh: connect to host far: Connection refused\n"}),
            "ssh: connect to host far: Connection refused | try it by hand: "
            "ssh -p 2222 ci@far benchctl version");
}

TEST(SshEndTest, AMissingBenchctlIsTold) {
  EXPECT_EQ(Explained({.code = 127, .err = "bash: line 1: benchctl: command not found\n"}),
            "benchctl is not installed on far | install it there, in the PATH of non-interactive "
            "logins");
}

TEST(SshEndTest, TheErrorOfTheOtherBenchctlIsTold) {
  EXPECT_EQ(Explained({.code = 5, .err = "error: no daemon is running: x\nhint: start one\n"}),
            "ssh://ci@far:2222: no daemon is running: x | start one");
  EXPECT_EQ(Explained({.code = 2, .err = "error: dial-stdio: unknown command\n"}),
            "ssh://ci@far:2222: the benchctl there is too old for --host | install the same "
            "version on both machines");
}

TEST(SshEndTest, AnotherProgramIsTold) {
  EXPECT_EQ(Explained({.code = 0, .unwelcome = "\nThis account is for backups.\n"}),
            "ssh://ci@far:2222: something other than benchctl dial-stdio answered: 'This account "
            "is for backups.' | check the login shell there, and command= of the key in "
            "authorized_keys");
  EXPECT_EQ(Explained({.code = 3, .err = "no\n"}).substr(0, 36),
            "ssh://ci@far:2222: exit code 3: no |");
}

TEST(SshEndTest, AConnectionThatStoodWasClosed) {
  EXPECT_EQ(Explained({.code = 0, .greeted = true}),
            "ssh://ci@far:2222: the connection was closed | check that the daemon there still "
            "runs; accepted sessions are kept");
  EXPECT_EQ(Explained({.code = 137, .greeted = true}).substr(0, 65),
            "ssh://ci@far:2222: the connection was closed (ssh: exit code 137)");
}

}  // namespace
}  // namespace benchd::client
