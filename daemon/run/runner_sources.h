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

/// The benchd-runner that belongs to the program at `benchd`: beside it, or in ../libexec/benchd.
/// @errors kNotFound naming both places.
Result<std::string> FindRunnerProgram(const std::filesystem::path& benchd);

/// The runner of user mode: a child of benchd on a socketpair, started by Connect().
///
/// It ends by itself when its socket closes; one that does not within the grace
/// time is killed.
/// Reaped through its pidfd on the loop, never by SIGCHLD. The destructor waits for those that are
/// left: destroy the RunnerConnection first.
class SpawnedRunner : public RunnerSource {
 public:
  struct Options {
    std::string program;     ///< empty = the one that belongs to this executable
    std::string sysfs_root;  ///< --sysfs-root, empty = none
    std::string config;      ///< --config, empty = none
    /// How long a runner may take to kill its children and leave after its socket closed.
    std::chrono::milliseconds grace{5000};
  };

  /// Construct before benchd pins itself: runners start on the CPUs that are allowed now.
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
  // Each shared by this list (the destructor waits for it) and by its handlers on the loop.
  std::vector<std::shared_ptr<Process>> processes_;
};

/// The runner of system mode: a service of its own behind a socket. Believed only when SO_PEERCRED
/// says that it is root's or our own: whoever answers there learns every command and its
/// environment.
class ConnectedRunner : public RunnerSource {
 public:
  /// @param path          of the listening SOCK_SEQPACKET socket
  /// @param trusted_uids  whose runner is believed; root and ourselves unless a test says otherwise
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
