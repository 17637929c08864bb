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

/// Who may connect, one at a time, and when the program ends.
///
/// With a listener it serves one benchd after the other; with a single inherited connection it
/// stops the loop when that one has ended. A signal ends it in both cases, after the run was
/// killed.
class Server : public EventSink, public PeerOwner {
 public:
  Server(MeasuredRun::Services services, UniqueFd signals);

  /// Accepts connections of `user` only.
  void Listen(UniqueFd listener, uid_t user);

  /// Serves this one.
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
  UniqueFd next_;  ///< came before what the last one left was cleaned up
};

/// Listens at `path` (SOCK_SEQPACKET, mode 0600, owned by `owner`). A socket that a dead runner
/// left there is replaced; anything else there is an error.
/// @errors kAlreadyExists when somebody listens there, or another kind of file is in the way.
Result<UniqueFd> ListenAt(const std::string& path, uid_t owner);

/// The listening socket that systemd handed over (sd_listen_fds(3)), or an empty one.
/// @errors kInvalidArgument when it is of another kind.
Result<UniqueFd> AdoptSystemdSocket();

/// The connected socket that "fd:N" names.
/// @errors kInvalidArgument when N is no SOCK_SEQPACKET socket of the Unix family.
Result<UniqueFd> AdoptConnection(std::string_view name);

/// Tells systemd `state`, such as "READY=1" (sd_notify(3)); nothing happens where nobody listens.
void NotifySystemd(std::string_view state);

/// How often systemd's watchdog is to be told that we live; 0 where there is none. Half of what it
/// waits, as sd_watchdog_enabled(3) advises.
std::int64_t WatchdogIntervalNs();

}  // namespace benchd
