#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.grpc.pb.h"
#include "daemon/rpc/server.h"
#include "tests/rpc/rpc_support.h"
#include "tests/support/fakes.h"

namespace benchd::rpc {

/// A whole daemon above the ports, behind its socket; a base of fixtures.
///
/// Sessions wait until Work(). Their candidate is 10 % slower.
class WholeDaemon {
 protected:
  explicit WholeDaemon(std::chrono::milliseconds max_idle = std::chrono::minutes(10),
                       std::chrono::milliseconds max_silence = std::chrono::minutes(1));
  ~WholeDaemon();

  /// Starts the queue's worker.
  void Work();

  static v1::SubmitRequest Request();
  /// Submits a session and returns its id.
  std::string Submit(const v1::SubmitRequest& request = Request());

  OpenFolder dir_;
  LoopThread loop_;
  fake::Clock clock_;
  fake::RandomSource random_;
  fake::Runner runner_{clock_};
  TestStore store_;
  EventHub hub_;
  std::optional<Queue> queue_;
  std::optional<MachineController> machine_controller_;
  DaemonInfo info_;
  PeerTable peers_;
  LiveCalls calls_;
  std::optional<Server> server_;
  std::optional<Listener> listener_;
  bool working_ = false;                  // loop's thread
  int suspensions_ = 0;                   // of users who ignored refusals; loop's thread
  std::vector<std::string> audit_lines_;  // loop's thread
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::SessionService::Stub> sessions_;
};

}  // namespace benchd::rpc
