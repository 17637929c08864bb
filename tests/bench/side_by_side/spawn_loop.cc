// The minimum cost of starting a program, with a launcher that belongs to no tool:
//
//     spawn_loop [--since-execve] RUNS OUTPUT PROGRAM [WORD...]
//
// starts the program RUNS times by posix_spawn, one after the other, and waits for each by wait4.
// The output of the program is appended to the file OUTPUT. Then it prints one line per run, in
// seconds: the wall time, from before the start until after the wait, and the CPU time as the
// kernel counted it for the whole process. That includes the time before execve. With
// --since-execve the child is made by vfork and reads its own clock before execve, and that reading
// is subtracted.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND;
constexpr mode_t kMode = 0600;

struct Timed {
  double wall_s = 0;
  double cpu_s = 0;
};

double Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double OwnCpu() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The process, or -1 after printing a message.
pid_t Spawn(char** command, const char* output) {
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, kAppend, kMode);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, command[0], &actions, nullptr, command, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == 0) return pid;
  std::fprintf(stderr, "error: %s: %s\n", command[0], std::strerror(failed));
  return -1;
}

// `before`: the CPU time of the child up to execve, which it can store here because of vfork.
pid_t SpawnAndTell(char** command, const char* output, volatile double& before) {
  const pid_t pid = vfork();
  if (pid != 0) return pid;
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(output, kAppend, kMode);
  if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(126);
  close(in);
  close(out);
  before = OwnCpu();
  execvp(command[0], command);
  _exit(127);
}

bool Run(char** command, const char* output, bool since_execve, Timed& timed) {
  const double begin = Now();
  volatile double before = 0;
  const pid_t pid = since_execve ? SpawnAndTell(command, output, before) : Spawn(command, output);
  int status = 0;
  rusage usage{};
  if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) return false;
  timed = {Now() - begin, Seconds(usage.ru_utime) + Seconds(usage.ru_stime) - before};
  if (status == 0) return true;
  std::fprintf(stderr, "error: %s: it failed\n", command[0]);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool since_execve = argc > 1 && std::strcmp(argv[1], "--since-execve") == 0;
  char** words = argv + (since_execve ? 2 : 1);
  const std::uint64_t runs = argc - (words - argv) > 2 ? std::strtoull(words[0], nullptr, 10) : 0;
  if (runs == 0) {
    std::fputs("usage: spawn_loop [--since-execve] RUNS OUTPUT PROGRAM [WORD...]\n", stderr);
    return 2;
  }
  std::vector<Timed> timed(runs);
  for (Timed& one : timed) {
    if (!Run(words + 2, words[1], since_execve, one)) return 1;
  }
  for (const Timed& one : timed) std::printf("%.9f %.6f\n", one.wall_s, one.cpu_s);
  return 0;
}
