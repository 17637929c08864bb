#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "daemon/run/runner_connection.h"

namespace benchd {

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
