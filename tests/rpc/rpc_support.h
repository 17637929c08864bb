#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/server.h>
#include <grpcpp/support/status.h>

#include <array>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "benchd/v1/session.grpc.pb.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/listener.h"
#include "daemon/rpc/stored_reactors.h"
#include "daemon/rpc/watch_reactor.h"
#include "tests/support/fakes.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_store.h"
#include "tests/support/wording.h"

namespace benchd::test {

/// Compares the code, message and details of an answer. Inline, because the fuzzers link this
/// file's source without wording.cc.
inline ::testing::AssertionResult MatchesWording(const grpc::Status& status,
                                                 const Replacements& replacements = {}) {
  // In the order of grpc/status.h.
  constexpr auto kNames = std::to_array<std::string_view>(
      {"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
       "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
       "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
       "UNAUTHENTICATED"});
  std::string text(kNames.at(static_cast<std::size_t>(status.error_code())));
  text += ": " + status.error_message();
  if (!status.error_details().empty()) text += "\n  hint: " + status.error_details();
  return MatchesWording(std::move(text), replacements);
}

}  // namespace benchd::test

/// Helpers for the tests of rpc/: a loop in a thread, a control socket in a temporary directory,
/// and a service whose sessions are in a map.
namespace benchd::rpc {

/// The longest wait for an event that should happen at once.
inline constexpr std::chrono::seconds kTimeout{20};

/// A folder that clients with other uids can enter.
class OpenFolder : public TempFolder {
 public:
  OpenFolder();
};

/// The loop's thread of a daemon.
class LoopThread {
 public:
  LoopThread() : guard_(loop_.get_executor()), thread_([this] { loop_.run(); }) {}
  ~LoopThread() {
    guard_.reset();
    thread_.join();
  }
  asio::any_io_executor executor() { return loop_.get_executor(); }

  /// Runs `action` on the loop's thread, waits, and returns its result.
  template <typename Action>
  auto Run(Action action) {
    std::packaged_task<std::invoke_result_t<Action>()> task(std::move(action));
    auto result = task.get_future();
    asio::post(loop_, [&task] { task(); });
    return result.get();
  }

  /// Returns true as soon as `condition` holds on the loop's thread, and false after kTimeout.
  template <typename Condition>
  bool Await(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kTimeout;
    while (!Run(condition)) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

 private:
  asio::io_context loop_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  std::thread thread_;
};

/// A listening Unix socket to which any user may connect.
UniqueFd ListenAt(const std::string& path);

/// A separate connection (gRPC would share one between channels). Its calls end after two minutes,
/// so that a test whose stream does not end fails instead of waiting for ever.
std::shared_ptr<grpc::Channel> ConnectTo(const std::string& path);

/// Serves Watch and ListSamples from a map of records; Get returns the caller's uid and peer
/// string.
class StubService final : public v1::SessionService::CallbackService {
 public:
  StubService(const Endpoint& endpoint, EventHub& hub, const Clock& clock, Store& store);

  grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context,
                                const v1::GetSessionRequest* request,
                                v1::Session* response) override;
  grpc::ServerWriteReactor<v1::SessionEvent>* Watch(grpc::CallbackServerContext* context,
                                                    const v1::WatchRequest* request) override;
  grpc::ServerWriteReactor<v1::ListSamplesResponse>* ListSamples(
      grpc::CallbackServerContext* context, const v1::ListSamplesRequest* request) override;

  /// Loop's thread only.
  std::map<std::string, SessionRecord> records;

 private:
  asio::awaitable<Result<SessionRecord>> Find(std::string id) const;

  Endpoint endpoint_;
  WatchSources watch_;
  ListSamplesSources samples_;
};

/// A daemon's transport in front of the stub.
class StubDaemon {
 public:
  StubDaemon();
  ~StubDaemon();

  std::unique_ptr<v1::SessionService::Stub> Client() {
    return v1::SessionService::NewStub(ConnectTo(socket()));
  }
  std::string socket() const { return dir_ / "s"; }
  void Publish(SessionSnapshot snapshot);

  OpenFolder dir_;
  LoopThread loop;
  fake::Clock clock;      ///< loop's thread only
  EventHub hub;           ///< loop's thread only
  TestStore store;        ///< loop's thread only
  LiveCalls calls;        ///< loop's thread only
  std::size_t noted = 0;  ///< calls; loop's thread only
  PeerTable peers;
  RateLimit rate{clock, [](const std::string&) {}};  ///< loop's thread only
  CallBudget budget;
  Refusals refusals;
  StubService service;
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<Listener> listener;
};

/// Runs this test program again as a client with its own process and uid: `--client UID SOCKET
/// WHAT`. "whoami" prints the answer of Get; "watch" prints one line at the first event and then
/// hangs.
int ClientMain(const std::vector<std::string>& arguments);

}  // namespace benchd::rpc
