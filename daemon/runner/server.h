#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/unique_fd.h"
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

}  // namespace benchd
