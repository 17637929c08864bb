#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/client/fake_daemon.h"
#include "tests/support/temp_folder.h"

namespace benchd::client {

/// The exit code and the output of a program.
struct Ended {
  int exit_code = -1;
  int signal = 0;
  std::string out;
  std::string err;
};

/// Runs benchctl as a process, with a fake daemon at BENCHD_SOCKET.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest() : daemon_(std::make_unique<FakeDaemon>(dir_ / "d.sock")) {}

  pid_t Start(const std::vector<std::string>& words);
  Ended Wait(pid_t pid);
  Ended Run(const std::vector<std::string>& words) { return Wait(Start(words)); }

  TempFolder dir_;
  std::string stdin_ = "/dev/null";
  std::vector<std::string> more_environment_;
  std::unique_ptr<FakeDaemon> daemon_;

 private:
  std::string Read(const std::string& name) const;
};

}  // namespace benchd::client
