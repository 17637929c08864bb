#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/peer.h"

namespace benchd {

/// Accepts connections, one at a time, and decides when the program ends.
///
/// With a listener it serves one benchd after another. With a single inherited connection it stops
/// the loop when that connection has closed. In both cases a signal ends it, after killing the run.
class Server : public EventSink, public PeerOwner {
 public:
  Server(MeasuredRun::Services services, UniqueFd signals);

  /// Accepts connections of `user` only.
  void Listen(UniqueFd listener, uid_t user);

  /// Serves this connection only.
  void Serve(UniqueFd connection);

 private:
  void OnReady(int fd, std::uint32_t events) override;
  void OnPeerGone(Peer& peer) override;

  void OnSignal();
  void OnWatchdog();
  void Accept();
  void Stop();

  const MeasuredRun::Services services_;
  UniqueFd signals_;
  UniqueFd listener_;
  uid_t user_ = 0;
  bool stopping_ = false;
  std::int64_t watchdog_interval_ns_ = 0;
  std::optional<Timer> watchdog_;
  Watch signal_watch_;
  std::optional<Watch> listener_watch_;
  std::unique_ptr<Peer> peer_;
  UniqueFd next_;  ///< accepted before the cleanup of the previous one ended
};

/// Listens at `path` (SOCK_SEQPACKET, mode 0600, owned by `owner`). Replaces a socket that a dead
/// runner left there.
/// @errors kAlreadyExists if another process listens there, or the path is another kind of file.
Result<UniqueFd> ListenAt(const std::string& path, uid_t owner);

/// Returns the listening socket from systemd (sd_listen_fds(3)), or an empty one.
/// @errors kInvalidArgument if it is of another kind.
Result<UniqueFd> AdoptSystemdSocket();

/// Returns the connected socket that "fd:N" names.
/// @errors kInvalidArgument if N is not a SOCK_SEQPACKET socket of the Unix family.
Result<UniqueFd> AdoptConnection(std::string_view name);

/// Sends `state`, such as "READY=1", to systemd (sd_notify(3)). Does nothing without a listener.
void NotifySystemd(std::string_view state);

/// The interval between messages to systemd's watchdog; 0 if there is none. Half of its timeout, as
/// sd_watchdog_enabled(3) recommends.
std::int64_t WatchdogIntervalNs();

}  // namespace benchd
