// The least that starting a program costs, and a launcher that belongs to no tool:
//
//     spawn_loop RUNS OUTPUT PROGRAM [WORD...]
//
// starts the program RUNS times by posix_spawn, one after the other, and waits for each by wait4.
// What the program prints is appended to the file OUTPUT. Then one line a run is printed, in
// seconds: its wall time, from before the start to after the wait, and its CPU time as the kernel
// counted it for the whole process.

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

bool Run(char** command, const posix_spawn_file_actions_t& actions, Timed& timed) {
  const double begin = Now();
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, command[0], &actions, nullptr, command, environ);
  if (failed != 0) {
    std::fprintf(stderr, "error: %s: %s\n", command[0], std::strerror(failed));
    return false;
  }
  int status = 0;
  rusage usage{};
  if (wait4(pid, &status, 0, &usage) != pid) return false;
  timed = {Now() - begin, Seconds(usage.ru_utime) + Seconds(usage.ru_stime)};
  if (status == 0) return true;
  std::fprintf(stderr, "error: %s: it failed\n", command[0]);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t runs = argc > 3 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (runs == 0) {
    std::fputs("usage: spawn_loop RUNS OUTPUT PROGRAM [WORD...]\n", stderr);
    return 2;
  }
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, argv[2], O_WRONLY | O_CREAT | O_APPEND,
                                   0600);
  std::vector<Timed> timed(runs);
  for (Timed& one : timed) {
    if (!Run(argv + 3, actions, one)) return 1;
  }
  posix_spawn_file_actions_destroy(&actions);
  for (const Timed& one : timed) std::printf("%.9f %.6f\n", one.wall_s, one.cpu_s);
  return 0;
}
