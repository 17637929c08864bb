#pragma once

#include <grpcpp/server.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/queue.grpc.pb.h"
#include "benchd/v1/session.grpc.pb.h"
#include "tests/client/fake_machine.h"

namespace benchd::client {

/// A daemon that plays back events, to test the calls and the output of benchctl.
///
/// Listens on a Unix socket until it is destroyed. Events of a watched session come from `script`.
/// After them the stream stays open until Cancel, unless the last event was final.
class FakeDaemon : public v1::SessionService::Service, public v1::QueueService::Service {
 public:
  explicit FakeDaemon(const std::string& socket_path);
  ~FakeDaemon() override;

  void SetScript(std::vector<v1::SessionEvent> script);
  /// The events of a watch after a submission with SessionSpec.profile; the script if empty.
  void SetSampledScript(std::vector<v1::SessionEvent> script);
  /// Adds a session that Get returns and List lists, newest first, instead of the usual ones.
  void AddSession(v1::Session session);
  void SetHousekeepingCpus(std::vector<int> cpus) { cpus_ = std::move(cpus); }
  /// Status that Submit returns, OK by default.
  void RefuseSubmit(grpc::Status status);
  /// Refuses this many of the next submissions because of too many calls.
  void HoldOffSubmits(int count);
  /// Breaks off this many of the next watches after their first event.
  void BreakWatches(int count);

  /// Answers this many of the next watches with the status and no event.
  void RefuseWatches(int count, grpc::Status status);

  /// Number of sessions to list, 1 by default. A page has at most 12.
  void SetListed(int count) { listed_ = count; }

  /// The oldest session belongs to that user, the others do not.
  void SetOldestOwner(std::uint32_t uid) { oldest_owner_ = uid; }

  /// The session that is reported as running.
  void SetRunning(std::string session);

  /// The user who is reported to have reserved the machine.
  void SetReservedBy(std::uint32_t uid);
  FakeMachine& machine() { return machine_; }

  /// Blocks until a watcher has read the whole script and waits.
  void AwaitWatcher();
  v1::SubmitRequest last_submit() const;
  v1::MoveRequest last_move() const;
  std::vector<std::string> request_ids() const;
  bool cancelled() const;

  grpc::Status Submit(grpc::ServerContext*, const v1::SubmitRequest* request,
                      v1::SubmitResponse* response) override;
  grpc::Status Get(grpc::ServerContext*, const v1::GetSessionRequest* request,
                   v1::Session* session) override;
  grpc::Status List(grpc::ServerContext*, const v1::ListSessionsRequest* request,
                    v1::ListSessionsResponse* response) override;
  using v1::QueueService::Service::Watch;  // which the next one would hide
  grpc::Status Watch(grpc::ServerContext* context, const v1::WatchRequest*,
                     grpc::ServerWriter<v1::SessionEvent>* writer) override;
  grpc::Status Cancel(grpc::ServerContext*, const v1::CancelRequest*,
                      v1::CancelResponse* response) override;
  grpc::Status Move(grpc::ServerContext*, const v1::MoveRequest* request,
                    v1::MoveResponse* response) override;
  grpc::Status ListSamples(grpc::ServerContext*, const v1::ListSamplesRequest* request,
                           grpc::ServerWriter<v1::ListSamplesResponse>* writer) override;
  grpc::Status Get(grpc::ServerContext*, const v1::GetQueueRequest*,
                   v1::QueueStatus* status) override;
  grpc::Status Pause(grpc::ServerContext*, const v1::PauseRequest*,
                     v1::QueueStatus* status) override;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<v1::SessionEvent> script_;
  std::vector<v1::SessionEvent> sampled_script_;
  std::vector<v1::Session> sessions_;
  std::vector<int> cpus_;
  std::vector<v1::SubmitRequest> submits_;
  v1::MoveRequest move_;
  std::atomic<int> listed_{1};
  std::atomic<std::uint32_t> oldest_owner_{1000};
  grpc::Status submit_status_;
  std::string running_;
  std::optional<std::uint32_t> reserved_by_;
  int breaks_ = 0;
  int refused_watches_ = 0;
  grpc::Status watch_status_;
  int hold_offs_ = 0;
  int waiting_ = 0;
  bool cancelled_ = false;
  bool already_ended_ = false;
  bool stopping_ = false;
  FakeMachine machine_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace benchd::client
