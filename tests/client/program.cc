#include "tests/client/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>

#include "tests/support/places.h"

namespace benchd::client {
namespace {

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

pid_t ProgramTest::Start(const std::vector<std::string>& words) {
  std::vector<std::string> all = {test::BuiltFile("bin/benchctl")};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<std::string> environment = {"BENCHD_SOCKET=" + (dir_ / "d.sock"), "LC_ALL=C.UTF-8",
                                          "PATH=/usr/bin:/bin"};
  environment.insert(environment.end(), more_environment_.begin(), more_environment_.end());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 0, stdin_.c_str(), O_RDONLY | O_NOCTTY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, (dir_ / "out").c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, (dir_ / "err").c_str(), kFlags, 0600);
  // A shell starts background jobs with SIGINT ignored, and nohup ignores SIGHUP. The tests may be
  // such a job.
  sigset_t interrupts;
  sigemptyset(&interrupts);
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) sigaddset(&interrupts, signal);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &interrupts);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = -1;
  EXPECT_EQ(posix_spawn(&pid, all[0].c_str(), &actions, &attributes, Pointers(all).data(),
                        Pointers(environment).data()),
            0);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

Ended ProgramTest::Wait(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          Read("out"), Read("err")};
}

std::string ProgramTest::Read(const std::string& name) const {
  std::ifstream file(dir_ / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace benchd::client
