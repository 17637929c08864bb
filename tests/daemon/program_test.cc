#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "daemon/control_socket.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd {
namespace {

constexpr std::chrono::seconds kTimeout{30};

/// The program benchd, with both of its outputs in one file.
class Program {
 public:
  Program(const TempFolder& dir, std::vector<std::string> arguments) : output_(dir / "output") {
    arguments.insert(arguments.begin(), test::BuiltFile("bin/benchd"));
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output_.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    EXPECT_EQ(::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Program() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      Wait();
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  int Wait() {
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  int Stop(int signal) {
    ::kill(pid_, signal);
    return Wait();
  }
  std::string Output() const {
    std::ifstream file(output_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// What it printed from its error on, which is all if it has logged nothing.
  std::string ErrorText() const {
    const std::string output = Output();
    return output.substr(std::min(output.find("error: "), output.size()));
  }
  /// The first line of its log with that text, without the time. Empty if there is none.
  std::string LogLine(const std::string& text) const {
    constexpr std::size_t kTime = std::string_view("2026-01-31 12:00:00.000 ").size();
    std::istringstream lines(Output());
    for (std::string line; std::getline(lines, line);) {
      if (line.size() > kTime && line.find(text) != std::string::npos) return line.substr(kTime);
    }
    return {};
  }
  /// Returns false if it has exited, or does not print the text in time.
  bool AwaitOutput(const std::string& text) const {
    const auto deadline = std::chrono::steady_clock::now() + kTimeout;
    while (Output().find(text) == std::string::npos) {
      siginfo_t info{};
      ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
      if (info.si_pid != 0 || std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

 private:
  std::filesystem::path output_;
  pid_t pid_ = -1;
};

std::vector<std::string> UserDaemon(const TempFolder& dir, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{
      "--user",   "--force",     "--config",    dir.Put("empty.toml", ""),
      "--socket", dir / "run/s", "--state-dir", dir / "state"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(ProgramTest, TellsItsVersion) {
  const TempFolder dir;
  Program program(dir, {"--version"});
  EXPECT_EQ(program.Wait(), 0);
  EXPECT_EQ(program.Output().substr(0, 7), "benchd ");
}

TEST(ProgramTest, AnUnknownOptionIsWrongUsage) {
  for (const char* wrong : {"--frobnicate", "--log-level=loud", "--idle-exit=0", "stray"}) {
    const TempFolder dir;
    Program program(dir, {"--user", wrong});
    EXPECT_EQ(program.Wait(), 2) << wrong;
    const std::string output = program.Output();
    EXPECT_TRUE(output.starts_with("error: benchd: ")) << output;
    // The words about the others are those of CLI11, which differ between its versions.
    if (std::string_view(wrong).starts_with("--log-level")) {
      EXPECT_WORDING(output);
    }
  }
}

TEST(ProgramTest, CheckConfigSaysOkOrWhatIsWrong) {
  const TempFolder good;
  Program ok(good, {"--user", "--check-config", "--config", good.Put("c.toml", "[log]\n")});
  EXPECT_EQ(ok.Wait(), 0);
  EXPECT_EQ(ok.Output(), "ok\n");
  const TempFolder bad;
  Program wrong(bad, {"--user", "--check-config", "--config", bad.Put("c.toml", "[lag]\n")});
  EXPECT_EQ(wrong.Wait(), 2);
  EXPECT_WORDING(wrong.Output(), {{bad.path(), "DIR"}});
}

TEST(ProgramTest, SystemModeNeverRunsAsRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const TempFolder dir;
  Program program(dir, {"--socket", dir / "s", "--state-dir", dir / "state"});
  EXPECT_EQ(program.Wait(), 2);
  EXPECT_WORDING(program.Output());
}

TEST(ProgramTest, ServesUntilASignalAndLeavesNoSocket) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const TempFolder dir;
    Program daemon(dir, UserDaemon(dir));
    ASSERT_TRUE(daemon.AwaitOutput("is listening on")) << daemon.Output();
    EXPECT_TRUE(SomebodyListens(dir / "run/s"));
    struct stat info {};
    ASSERT_EQ(::lstat((dir / "run/s").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, 0600U);
    EXPECT_EQ(daemon.Stop(signal), 0) << daemon.Output();
    EXPECT_FALSE(std::filesystem::exists(dir / "run/s"));
  }
}

TEST(ProgramTest, LinesForTheJournalHaveItsPriorities) {
  const TempFolder dir;
  ASSERT_EQ(::setenv("JOURNAL_STREAM", "1:1", 1), 0);
  Program daemon(dir, UserDaemon(dir));
  ASSERT_EQ(::unsetenv("JOURNAL_STREAM"), 0);
  ASSERT_TRUE(daemon.AwaitOutput("is listening on")) << daemon.Output();
  std::istringstream lines(daemon.Output());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("<4>") || line.starts_with("<6>")) << line;
  }
  EXPECT_EQ(daemon.Stop(SIGTERM), 0);
}

TEST(ProgramTest, ALogFileThatCannotBeOpenedIsNamed) {
  const TempFolder dir;
  Program daemon(dir, UserDaemon(dir, {"--log-file", dir / "no/log"}));
  EXPECT_NE(daemon.Wait(), 0);
  EXPECT_WORDING(daemon.ErrorText(), {{dir.path(), "DIR"}}) << daemon.Output();
}

TEST(ProgramTest, ASecondDaemonOnTheSameSocketIsToldWhoIsThere) {
  const TempFolder dir;
  Program first(dir, UserDaemon(dir));
  ASSERT_TRUE(first.AwaitOutput("is listening on")) << first.Output();
  const TempFolder other;
  Program second(other, UserDaemon(dir));
  EXPECT_EQ(second.Wait(), 1);
  EXPECT_WORDING(second.ErrorText(),
                 {{dir.path(), "DIR"}, {"pid " + std::to_string(first.pid()), "pid FIRST"}})
      << second.Output();
  EXPECT_EQ(first.Stop(SIGTERM), 0);
}

TEST(ProgramTest, StartsAgainAfterKillNine) {
  const TempFolder dir;
  {
    Program killed(dir, UserDaemon(dir));
    ASSERT_TRUE(killed.AwaitOutput("is listening on")) << killed.Output();
    killed.Stop(SIGKILL);
  }
  EXPECT_TRUE(std::filesystem::exists(dir / "run/s"));
  std::filesystem::remove(dir / "output");
  Program again(dir, UserDaemon(dir));
  ASSERT_TRUE(again.AwaitOutput("is listening on")) << again.Output();
  EXPECT_EQ(again.Stop(SIGTERM), 0);
}

TEST(ProgramTest, AnIdleUserDaemonGoesByItself) {
  const TempFolder dir;
  Program daemon(dir, UserDaemon(dir, {"--idle-exit", "1"}));
  EXPECT_EQ(daemon.Wait(), 0);
  EXPECT_WORDING(daemon.LogLine("stopping")) << daemon.Output();
}

TEST(ProgramTest, LogsToAFileWhenAsked) {
  const TempFolder dir;
  Program daemon(dir, UserDaemon(dir, {"--idle-exit", "1", "--log-file", dir / "log"}));
  EXPECT_EQ(daemon.Wait(), 0);
  EXPECT_EQ(daemon.Output(), "");
  std::ifstream file(dir / "log");
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(log.find("info benchd "), std::string::npos) << log;
}

TEST(ProgramTest, ADamagedDatabaseIsSetAsideAndNamed) {
  const TempFolder dir;
  std::filesystem::create_directory(dir / "state");
  dir.Put("state/benchd.db", std::string(4096, 'x'));
  Program daemon(dir, UserDaemon(dir));
  ASSERT_TRUE(daemon.AwaitOutput("is listening on")) << daemon.Output();
  const std::string line = daemon.LogLine(dir / "state/benchd.db");
  EXPECT_TRUE(line.starts_with("warning ")) << daemon.Output();
  EXPECT_WORDING(std::regex_replace(line, std::regex("damaged-[0-9TZ]+"), "damaged-TIME"),
                 {{dir.path(), "DIR"}});
  EXPECT_EQ(daemon.Stop(SIGTERM), 0);
}

TEST(ProgramTest, AFailedStartSaysWhyAndLeavesNoSocket) {
  const TempFolder dir;
  std::filesystem::create_directories(dir / "state/benchd.db");
  Program daemon(dir, UserDaemon(dir));
  EXPECT_EQ(daemon.Wait(), 1);
  EXPECT_WORDING(daemon.ErrorText(), {{dir.path(), "DIR"}}) << daemon.Output();
  EXPECT_FALSE(std::filesystem::exists(dir / "run/s"));
}

TEST(ProgramTest, RefusesALinkInPlaceOfItsRuntimeDirectory) {
  const TempFolder dir;
  std::filesystem::create_directory(dir / "runtime");
  std::filesystem::create_directory(dir / "trap");
  std::filesystem::create_directory_symlink(dir / "trap", dir / "runtime/benchd");
  ::setenv("XDG_RUNTIME_DIR", (dir / "runtime").c_str(), 1);
  Program daemon(dir, {"--user", "--force", "--state-dir", dir / "state", "--config",
                       dir.Put("empty.toml", "")});
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(daemon.Wait(), 1);
  EXPECT_WORDING(daemon.ErrorText(), {{dir.path(), "DIR"}}) << daemon.Output();
}

}  // namespace
}  // namespace benchd
