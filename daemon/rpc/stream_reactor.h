#pragma once

#include <grpcpp/support/server_callback.h>

#include <asio/post.hpp>
#include <optional>
#include <utility>

#include "daemon/rpc/endpoint.h"

namespace benchd::rpc {

/// A stream to one client, all of whose state lives on the loop's thread.
///
/// gRPC's reactions only post; the derived class sees Started() and Written() on the loop. One
/// write is in flight at most; Finish is called exactly once, also when the client has gone; the
/// object deletes itself on the loop after gRPC's last word (OnDone). While Hold() is in force (a
/// load from the store, say) Finish waits, so that the object outlives what it has asked for.
template <typename Message>
class StreamReactor : public grpc::ServerWriteReactor<Message> {
 public:
  void OnWriteDone(bool ok) final {
    asio::post(endpoint_.loop, [this, ok] { WriteDone(ok); });
  }
  void OnCancel() final {
    asio::post(endpoint_.loop, [this] { End(grpc::Status::CANCELLED); });
  }
  void OnDone() final {
    asio::post(endpoint_.loop, [this] { delete this; });
  }

 protected:
  StreamReactor(const Endpoint& endpoint, std::optional<Caller> caller)
      : endpoint_(endpoint), caller_(std::move(caller)) {}
  ~StreamReactor() override = default;

  /// Called once, by the maker, on gRPC's thread, when the object is complete.
  void Begin() {
    asio::post(endpoint_.loop, [this] {
      if (const grpc::Status admitted = endpoint_.Admit(caller_); !admitted.ok()) {
        return End(admitted);
      }
      token_ = endpoint_.calls.Begin([this] { End(Stopping()); });
      Started();
    });
  }

  virtual void Started() = 0;
  /// The last message is on its way: the next may be written.
  virtual void Written() = 0;
  /// No message will be written any more; called before Finish.
  virtual void Ended() {}

  const Caller& caller() const { return *caller_; }
  const asio::any_io_executor& loop() const { return endpoint_.loop; }
  bool writing() const { return writing_; }
  bool ended() const { return ended_; }

  /// The message to fill before Write() or WriteLast(); not to be touched while writing().
  Message& message() { return message_; }

  void Write() {
    writing_ = true;
    this->StartWrite(&message_);
  }
  /// Writes the message and ends the stream with OK.
  void WriteLast() {
    ended_ = true;
    Ended();
    this->StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
  }
  /// Ends the stream as soon as nothing is in flight; the first status counts.
  void End(const grpc::Status& status) {
    if (ended_) return;
    ended_ = true;
    status_ = status;
    Ended();
    FinishWhenFree();
  }
  void Hold() { held_ = true; }
  void Unhold() {
    held_ = false;
    FinishWhenFree();
  }

 private:
  void WriteDone(bool ok) {
    writing_ = false;
    if (!ok) End(grpc::Status::CANCELLED);
    if (ended_) return FinishWhenFree();
    Written();
  }
  void FinishWhenFree() {
    if (!status_ || writing_ || held_) return;
    const grpc::Status status = *std::exchange(status_, std::nullopt);
    this->Finish(status);
  }

  const Endpoint& endpoint_;
  const std::optional<Caller> caller_;
  LiveCalls::Token token_;
  Message message_;
  bool writing_ = false;
  bool held_ = false;
  bool ended_ = false;
  std::optional<grpc::Status> status_;  ///< to finish with, until Finish is called
};

}  // namespace benchd::rpc
