#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/limits.h"
#include "daemon/queue/machine_controller.h"
#include "daemon/queue/queue.h"
#include "daemon/rpc/audit.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/peer_table.h"
#include "daemon/rpc/queue_service.h"
#include "daemon/session/event_hub.h"
#include "daemon/session/ports.h"
#include "daemon/store/store.h"

namespace benchd::rpc {

/// benchd's gRPC server: the three services, health and reflection. It does not open a
/// port; connections come from a Listener, which identifies the caller.
///
/// Owned by main; created and used on the loop's thread. gRPC's threads inherit the CPU affinity of
/// the thread that calls Start(), so the process must be confined first.
class Server {
 public:
  /// The additional size of a submission beside its spec: its environment and the names of its
  /// fields.
  static constexpr std::uint64_t kMostBesideSpec = (1024 + 64) * 1024;

  /// References must outlive the server.
  struct Parts {
    Queue& queue;
    MachineController& machine;
    EventHub& hub;
    Store& store;
    RandomSource& random;
    const Clock& clock;
    const DaemonInfo& info;
    PeerTable& peers;
    LiveCalls& calls;
    Audit::Log audit;     ///< receives each line of the audit log
    RateLimit::Log warn;  ///< receives warnings about refusals
    /// A connection without a call for this long is closed; the client reconnects when necessary.
    std::chrono::milliseconds max_idle = std::chrono::minutes(10);
    Budgets limits = {};
    /// An upload without data for this long is ended.
    std::chrono::milliseconds max_silence = std::chrono::minutes(1);
    Suspend suspend = {};  ///< suspends a user who ignores refusals
    double forgiven_a_second = Refusals::kForgivenASecond;
  };

  Server(LoopOf loop_of, const Parts& parts);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Starts the server.
  /// @errors kInternal if gRPC does not start; those of CheckGrpc()
  Result<void> Start();

  /// Serves a connected socket that is in the peer table, and takes ownership of it.
  void Adopt(int fd);

  /// Ends all calls, by force after `grace`, and waits until all have ended.
  ///
  /// Blocks while the calls end on the loop. Call it on another thread while the loop runs, after
  /// LiveCalls::Close() and the last Adopt().
  void Shutdown(std::chrono::milliseconds grace);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benchd::rpc
