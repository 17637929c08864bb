#pragma once

#include <sched.h>
#include <sys/types.h>

#include <asio/any_io_executor.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "daemon/run/runner_connection.h"

namespace benchd {

/// Returns the benchd-runner that belongs to the program at `benchd`: beside it, or in
/// ../libexec/benchd.
/// @errors kNotFound, naming both places.
Result<std::string> FindRunnerProgram(const std::filesystem::path& benchd);

/// The runner of user mode: a child of benchd on a socketpair, started by Connect().
///
/// It ends when its socket closes and is killed if it has not ended within the grace time. Reaped
/// through its pidfd on the loop, never by SIGCHLD. The destructor waits for runners that are left:
/// destroy the RunnerConnection first.
class SpawnedRunner : public RunnerSource {
 public:
  struct Options {
    std::string program;     ///< empty: the one that belongs to this executable
    std::string sysfs_root;  ///< --sysfs-root; empty: none
    std::string config;      ///< --config; empty: none
    /// How long a runner may take to kill its children and end after its socket has closed.
    std::chrono::milliseconds grace{5000};
  };

  /// Construct before benchd sets its own affinity: runners start on the CPUs allowed now.
  SpawnedRunner(asio::any_io_executor executor, Options options);
  ~SpawnedRunner() override;
  SpawnedRunner(const SpawnedRunner&) = delete;
  SpawnedRunner& operator=(const SpawnedRunner&) = delete;

  Result<UniqueFd> Connect() override;
  void Disconnected() override;
  std::string Hint() const override;

 private:
  struct Process;

  Result<pid_t> Spawn(const std::string& program, int socket) const;
  Result<void> Adopt(pid_t pid);

  asio::any_io_executor executor_;
  Options options_;
  cpu_set_t allowed_cpus_{};
  // Shared by this list, which the destructor waits for, and by the handlers on the loop.
  std::vector<std::shared_ptr<Process>> processes_;
};

/// The runner of system mode: a service of its own behind a socket. Trusted only if SO_PEERCRED
/// reports root's or our own uid, because the peer receives every command and its environment.
class ConnectedRunner : public RunnerSource {
 public:
  /// @param path          of the listening SOCK_SEQPACKET socket
  /// @param trusted_uids  uids whose runner is trusted; by default root and our own
  explicit ConnectedRunner(std::string path);
  ConnectedRunner(std::string path, std::vector<uid_t> trusted_uids);

  Result<UniqueFd> Connect() override;
  void Disconnected() override {}
  std::string Hint() const override;

 private:
  Result<void> CheckPeer(int socket) const;

  std::string path_;
  std::vector<uid_t> trusted_uids_;
};

}  // namespace benchd
