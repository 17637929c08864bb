#pragma once

#include <grpcpp/support/server_callback.h>

#include <asio/post.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "daemon/queue/queue.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/side_batch.h"
#include "daemon/rpc/status_mapping.h"

namespace benchd::rpc {

/// What all calls share that gather a file in memory. Owned by the service; outlives every call.
struct GatherDesk {
  GatherDesk(const Endpoint& of, Queue& sessions)
      : endpoint(of), queue(sessions), batch(of.loop, sessions) {}

  static constexpr std::size_t kMaxChunkBytes = std::size_t{64} * 1024;
  /// Of one call; the numbers in it are limited further (parse/run_set.h).
  static constexpr std::size_t kMaxBytes = std::size_t{32} << 20;
  static constexpr std::size_t kMaxBytesOfAll = std::size_t{256} << 20;
  /// Calls of one user at a time.
  static constexpr std::size_t kMaxCallsPerUid = 8;

  Endpoint endpoint;
  Queue& queue;
  std::map<std::uint32_t, std::size_t> by_uid;  ///< calls under way; loop's thread only
  std::size_t bytes = 0;                        ///< that all calls hold; likewise
  SideBatch batch;
};

/// A client-streaming call that takes a file in, waits until no session measures, computes on
/// another thread, answers.
///
/// All state lives on the loop's thread; gRPC's reactions only post. While `working_`, what was
/// gathered and the response are the computing thread's. Finish is called exactly once; the object
/// deletes itself on the loop after gRPC's last word. As AnalyzeReactor, but for tables that fit in
/// memory and jobs that take milliseconds.
template <typename Request, typename Response>
class GatherReactor : public grpc::ServerReadReactor<Request> {
 public:
  GatherReactor(GatherDesk& desk, std::optional<Caller> caller, Response* response)
      : desk_(desk), caller_(std::move(caller)), response_(response) {
    asio::post(desk_.endpoint.loop, [this] { Begin(); });
  }

  void OnReadDone(bool ok) override {
    asio::post(desk_.endpoint.loop, [this, ok] { ReadDone(ok); });
  }
  void OnCancel() override {
    unwanted_ = true;
    asio::post(desk_.endpoint.loop, [this] { End(grpc::Status::CANCELLED); });
  }
  void OnDone() override {
    asio::post(desk_.endpoint.loop, [this] { delete this; });
  }

 protected:
  ~GatherReactor() override {
    desk_.bytes -= data_.size();
    if (!counted_) return;
    const auto of_caller = desk_.by_uid.find(caller_->uid);
    if (--of_caller->second == 0) desk_.by_uid.erase(of_caller);
  }

  /// Takes one message; on the loop.
  virtual Result<void> Take(const Request& request) = 0;
  /// Whether all that must come has come; on the loop, at the end of the messages.
  virtual Result<void> CheckComplete() = 0;
  /// Fills the response; on another thread.
  virtual Result<void> Compute(std::string_view data, Response* response) = 0;

  Result<void> TakeChunk(const std::string& chunk) {
    if (chunk.size() > GatherDesk::kMaxChunkBytes) {
      return InvalidArgument("chunk",
                             std::to_string(chunk.size()) + " bytes, over the limit of " +
                                 std::to_string(GatherDesk::kMaxChunkBytes),
                             "send the file in smaller pieces");
    }
    if (data_.size() + chunk.size() > GatherDesk::kMaxBytes) {
      return Error{ErrorCode::kResourceExhausted,
                   "file: over " + std::to_string(GatherDesk::kMaxBytes >> 20U) + " MiB",
                   "split it, or leave out what does not matter"};
    }
    if (desk_.bytes + chunk.size() > GatherDesk::kMaxBytesOfAll) {
      return Error{ErrorCode::kResourceExhausted, "file: too many of them are under way",
                   "wait until one of them is done"};
    }
    data_ += chunk;
    desk_.bytes += chunk.size();
    return {};
  }

  /// True once nobody waits any more; any thread.
  bool unwanted() const { return unwanted_.load(); }

 private:
  void Begin() {
    if (const grpc::Status admitted = desk_.endpoint.Admit(caller_); !admitted.ok()) {
      return End(admitted);
    }
    token_ = desk_.endpoint.calls.Begin([this] { End(Stopping()); });
    if (desk_.by_uid[caller_->uid] == GatherDesk::kMaxCallsPerUid) {
      return End(ToStatus(Error{ErrorCode::kResourceExhausted,
                                "file: " + std::to_string(GatherDesk::kMaxCallsPerUid) +
                                    " of yours are under way already",
                                "wait until one of them is done"}));
    }
    ++desk_.by_uid[caller_->uid];
    counted_ = true;
    this->StartRead(&request_);
  }

  void ReadDone(bool ok) {
    desk_.queue.NoteDisturbance();
    if (ended_) return;
    Result<void> taken = ok ? Take(request_) : CheckComplete();
    if (!taken) return End(ToStatus(taken));
    if (ok) return this->StartRead(&request_);
    job_ = desk_.batch.Ask([this] { Work(); },
                           [this] {
                             job_.reset();
                             if (!computed_) End(ToStatus(computed_));
                             if (ended_) return FinishWhenFree();
                             End(grpc::Status::OK);
                           });
  }

  void Work() {
    if (unwanted()) return;
    try {
      computed_ = Compute(data_, response_);
    } catch (const std::exception& error) {
      computed_ = Error{ErrorCode::kInternal, std::string("computing: ") + error.what(), {}};
    }
  }

  // The first status counts.
  void End(const grpc::Status& status) {
    if (ended_) return;
    ended_ = true;
    unwanted_ = true;
    status_ = status;
    if (job_ && desk_.batch.Withdraw(*job_)) job_.reset();
    FinishWhenFree();
  }

  void FinishWhenFree() {
    if (!status_ || job_) return;
    const grpc::Status status = *std::exchange(status_, std::nullopt);
    this->Finish(status);
  }

  GatherDesk& desk_;
  const std::optional<Caller> caller_;
  Response* const response_;
  Request request_;
  LiveCalls::Token token_;
  bool counted_ = false;  // in desk_.by_uid
  std::string data_;
  std::optional<std::uint64_t> job_;  // asked for, not done
  Result<void> computed_;
  std::atomic<bool> unwanted_ = false;
  bool ended_ = false;
  std::optional<grpc::Status> status_;  // to finish with, until Finish is called
};

}  // namespace benchd::rpc
