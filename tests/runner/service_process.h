#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "core/base/file.h"
#include "daemon/wire/channel.h"
#include "tests/runner/runner_process.h"

namespace benchd {

inline sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

/// A runner that listens at a path, or fails to: gives access to its stderr and its end.
class Service {
 public:
  Service(const TempFolder& folder, const std::vector<std::string>& options)
      : socket_path_(folder / "runner.sock") {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    stderr_.Reset(ends[0]);
    const UniqueFd write_end(ends[1]);
    const std::string program = RunnerPath();
    std::vector<std::string> words{program, "--socket", socket_path_};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(write_end.get(), STDERR_FILENO);
      unsetenv("JOURNAL_STREAM");
      execv(program.c_str(), argv.data());
      _exit(126);
    }
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() {
    if (pid_ > 0) Stop();
  }

  /// The next line of stderr: "ready ..." or an error.
  std::string ReadLine() const {
    std::string line;
    char byte = 0;
    while (read(stderr_.get(), &byte, 1) == 1 && byte != '\n') line += byte;
    return line;
  }

  int Stop() {
    kill(pid_, SIGTERM);
    return Wait();
  }
  int Wait() {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  UniqueFd Connect() const {
    UniqueFd connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const sockaddr_un address = AddressOf(socket_path_);
    EXPECT_EQ(
        connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0)
        << std::strerror(errno);
    return connection;
  }

  const std::string& socket_path() const { return socket_path_; }
  pid_t pid() const { return pid_; }

 private:
  std::string socket_path_;
  UniqueFd stderr_;
  pid_t pid_ = 0;
};

/// True if a Hello is answered; false if the runner disconnects.
inline bool IsServed(int connection) {
  if (!wire::SendRecord(connection, wire::Encode(wire::Hello{}))) return false;
  const auto record = wire::ReceiveRecord(connection);
  if (!record || record->empty()) return false;
  const auto decoded = wire::Decode(*record);
  return decoded && std::holds_alternative<wire::HelloReply>(decoded->message);
}

/// A configuration with the test's own user, who may be root, as the only user.
inline std::string OwnUser() {
  return "[runner]\nuser = " + std::to_string(geteuid()) + "\n[access]\nallow_root = true\n";
}

}  // namespace benchd
