#pragma once

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "daemon/config/config.h"
#include "daemon/control_socket.h"
#include "daemon/idle_exit.h"
#include "daemon/kernel_random.h"
#include "daemon/loop_inbox.h"
#include "daemon/notifier.h"
#include "daemon/options.h"
#include "daemon/queue/machine_controller.h"
#include "daemon/queue/queue.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/listener.h"
#include "daemon/rpc/server.h"
#include "daemon/runner_link/runner_client.h"
#include "daemon/runner_link/runner_connection.h"
#include "daemon/session/event_hub.h"
#include "daemon/store/store.h"
#include "daemon/system_clock.h"

namespace benchd {

/// The composition root of benchd, beside main.cc: creates, connects and owns all parts.
///
/// Each part is declared after the parts that it refers to, so that it is destroyed first. All
/// state lives on the loop's thread, which calls Run(). The daemon stops in this order:
///
/// 1. It accepts no new connections.
/// 2. It interrupts the running session, which resumes at the next start, and kills its children.
/// 3. It ends the calls.
/// 4. It shuts gRPC down on a separate thread while the loop still runs.
/// 5. The loop processes its remaining work.
class Daemon {
 public:
  Daemon(const Options& options, const Config& config, const Paths& paths);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Takes the locks and the socket, opens the store, connects to the runner, loads the queue and
  /// starts gRPC.
  /// @errors with a hint that a user can follow; nothing is left behind
  Result<void> Start();

  /// Serves until SIGTERM, SIGINT or SIGHUP, or until a user daemon has been idle for too long.
  void Run();

 private:
  Result<void> TakePlaces();
  void ConnectRunner();
  Result<void> LoadQueue();
  Result<void> Serve();
  void ConfineTo(const RunnerFacts& facts);
  AccessPolicy Access() const;
  QueuePolicy Policy() const;

  void RunLoop();
  void BeginStop(const std::string& why);
  asio::awaitable<void> Stop();
  asio::awaitable<void> AwaitQueueEnd();
  void ShutDownServer();
  void LetLoopEnd();
  void QueueEnded(const std::exception_ptr& thrown);

  const Options options_;
  const Config config_;
  const Paths paths_;

  asio::io_context loop_{1};
  LoopInbox inbox_{loop_};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> guard_;
  std::optional<InstanceLock> socket_lock_;
  std::optional<InstanceLock> state_lock_;
  std::optional<ControlSocket> socket_;
  SystemClock clock_;
  KernelRandom random_;
  rpc::DaemonInfo info_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<RunnerSource> runner_source_;
  RunnerConnection connection_;
  RunnerClient runner_;
  EventHub hub_;
  std::optional<Queue> queue_;
  std::optional<MachineController> machine_controller_;
  rpc::PeerTable peers_;
  rpc::LiveCalls calls_;
  std::optional<rpc::Server> server_;
  std::optional<rpc::Listener> listener_;
  Notifier notifier_;
  std::optional<IdleExit> idle_;
  std::optional<asio::signal_set> signals_;
  asio::steady_timer queue_end_;
  bool queue_ended_ = false;
  bool stopping_ = false;
  std::thread server_shutdown_;
};

}  // namespace benchd
