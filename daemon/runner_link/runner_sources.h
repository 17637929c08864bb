#pragma once

#include <sys/types.h>

#include <asio/any_io_executor.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "daemon/runner_link/runner_connection.h"

namespace benchd {

/// Returns the path of the benchd-runner that belongs to the program `benchd`. It is in the folder
/// of that program or in ../libexec/benchd.
/// @errors kNotFound, naming both places.
Result<std::string> FindRunnerProgram(const std::filesystem::path& benchd);

/// The runner of user mode: a child of benchd, connected by a socketpair and started by Connect().
///
/// The runner ends when its socket closes, and it is killed if it has not ended within the grace
/// period. It is reaped through its pidfd on the loop, never by SIGCHLD. The destructor waits for
/// remaining runners, so destroy the RunnerConnection first.
class SpawnedRunner : public RunnerSource {
 public:
  struct Options {
    std::string program;     ///< empty: the benchd-runner that belongs to this executable
    std::string sysfs_root;  ///< value of --sysfs-root; empty: not passed
    std::string config;      ///< value of --config; empty: not passed
    /// The time that a runner may take to kill its children and exit after its socket has closed.
    std::chrono::milliseconds grace{5000};
  };

  /// Call this before benchd sets its own affinity, because runners start on the CPUs that are
  /// allowed at this time.
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
  std::vector<int> allowed_cpus_;
  // Shared with the handlers on the loop. The destructor waits for these processes.
  std::vector<std::shared_ptr<Process>> processes_;
};

/// The runner of system mode: a separate service that listens on a socket. It is trusted only if
/// SO_PEERCRED reports the uid of root or of benchd, because the peer receives every command and
/// its environment.
class ConnectedRunner : public RunnerSource {
 public:
  /// @param path          path of the listening SOCK_SEQPACKET socket
  /// @param trusted_uids  uids whose runner is trusted; by default those of root and benchd
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
