// Stands in for benchd in tests of its start. FAKE_BENCHD selects the behaviour: "ready" sends
// READY=1 and writes how it was started to FAKE_BENCHD_REPORT; "fail" prints an error and exits;
// "silent" exits.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace {

bool SayReady() {
  const char* name = std::getenv("NOTIFY_SOCKET");
  if (name == nullptr || name[0] != '@') return false;
  const std::string text = name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  text.copy(address.sun_path, sizeof address.sun_path);
  address.sun_path[0] = '\0';
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const std::string message = "STATUS=up\nREADY=1\n";
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size());
  const bool sent = sendto(fd, message.data(), message.size(), 0,
                           reinterpret_cast<const sockaddr*>(&address), length) > 0;
  close(fd);
  return sent;
}

void Report(int argc, char** argv) {
  const char* path = std::getenv("FAKE_BENCHD_REPORT");
  if (path == nullptr) return;
  std::ofstream report(path);
  char directory[4096] = "";
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, nullptr, &blocked);
  report << "leader " << (getsid(0) == getpid()) << "\n"
         << "cwd " << (getcwd(directory, sizeof directory) != nullptr ? directory : "?") << "\n"
         << "blocked " << sigismember(&blocked, SIGINT) << "\n"
         << "watchdog " << (std::getenv("WATCHDOG_USEC") != nullptr) << "\n";
  for (int i = 1; i < argc; ++i) report << "argument " << argv[i] << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const char* mode = std::getenv("FAKE_BENCHD");
  if (mode != nullptr && std::string(mode) == "ready") {
    Report(argc, argv);
    return SayReady() ? 0 : 3;
  }
  if (mode != nullptr && std::string(mode) == "fail") {
    std::cerr << "error: the config: it makes no sense\n";
    return 1;
  }
  return 7;
}
