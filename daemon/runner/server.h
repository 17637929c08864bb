#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"
#include "daemon/launch/event_loop.h"
#include "daemon/runner/peer.h"

namespace benchd {

/// Accepts one connection at a time, and determines when the program ends.
///
/// With a listening socket, the server serves one benchd after another. With an inherited
/// connection, it stops the event loop when that connection closes. In both cases, a signal kills
/// the run and then ends the program.
class Server : public EventSink, public PeerOwner {
 public:
  Server(MeasuredRun::Services services, UniqueFd signals);

  /// Accepts connections from `user` only.
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
  UniqueFd next_;  ///< a connection accepted before the cleanup of the previous one ended
};

/// Listens on `path` (SOCK_SEQPACKET, mode 0600, owned by `owner`). Replaces a socket that a dead
/// runner left there.
/// @errors kAlreadyExists if another process is listening there, or if the file is not a socket.
Result<UniqueFd> ListenAt(const std::string& path, uid_t owner);

/// Returns the listening socket that systemd passed (sd_listen_fds(3)); empty if there is none.
/// @errors kInvalidArgument if it is another kind of socket, or if systemd passed several.
Result<UniqueFd> AdoptSystemdSocket();

/// Returns the connected socket that "fd:N" names.
/// @errors kInvalidArgument if N is not a Unix SOCK_SEQPACKET socket.
Result<UniqueFd> AdoptConnection(std::string_view name);

/// Sends `state`, such as "READY=1", to systemd (sd_notify(3)). Does nothing unless NOTIFY_SOCKET
/// is set.
void NotifySystemd(std::string_view state);

/// Returns the interval between messages to systemd's watchdog, which is half of the watchdog's
/// timeout, as sd_watchdog_enabled(3) recommends. Returns 0 if there is no watchdog.
std::int64_t WatchdogIntervalNs();

}  // namespace benchd
