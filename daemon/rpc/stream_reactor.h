#pragma once

#include <grpcpp/support/server_callback.h>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <optional>
#include <stop_token>
#include <utility>

#include "core/base/result.h"
#include "daemon/rpc/endpoint.h"
#include "daemon/rpc/status_mapping.h"

namespace benchd::rpc {

/// A stream to one client, all of whose state lives on the loop's thread.
///
/// gRPC's callbacks only post; the derived class is called on the loop, in Started() and Written().
/// At most one write is in flight. Finish is called exactly once, even if the client has
/// disconnected, and the object deletes itself on the loop after gRPC's last callback (OnDone).
/// While a step of Await() is running (such as a load from the store), Finish is delayed, so that
/// the object outlives its own request.
///
/// The call counts as in progress until OnDone, and the bytes of an unsent message count as held.
template <typename Message>
class StreamReactor : public grpc::ServerWriteReactor<Message> {
 public:
  void OnWriteDone(bool ok) final {
    asio::post(entry_.loop, [this, ok] { WriteDone(ok); });
  }
  void OnCancel() final {
    gone_.request_stop();
    if (entered()) asio::post(entry_.loop, [this] { End(grpc::Status::CANCELLED); });
  }
  void OnDone() final {
    if (!entered()) {
      delete this;
    } else {
      asio::post(entry_.loop, [this] { delete this; });
    }
  }

 protected:
  StreamReactor(const Endpoint& endpoint, Entry entry)
      : endpoint_(endpoint), entry_(std::move(entry)) {}
  ~StreamReactor() override = default;

  /// Called once by the creator, on gRPC's thread, when the object is complete.
  void Begin() {
    if (!entered()) return this->Finish(entry_.status);
    asio::post(entry_.loop, [this] {
      if (const grpc::Status admitted = endpoint_.Admit(entry_); !admitted.ok()) {
        return End(admitted);
      }
      token_ = endpoint_.calls.Begin([this] { End(Stopping()); });
      Started();
    });
  }

  virtual void Started() = 0;
  /// Called when the last message has been sent and the next one may be written.
  virtual void Written() = 0;
  /// Called before Finish, when no more messages will be written.
  virtual void Ended() {}

  const Caller& caller() const { return entry_.caller; }
  /// Returns a token whose stop is requested when the client no longer reads.
  std::stop_token gone() const { return gone_.get_token(); }
  /// Returns this stream's share of the caller's budget.
  CallShare& share() { return entry_.share; }
  const asio::any_io_executor& loop() const { return entry_.loop; }
  bool writing() const { return writing_; }
  bool ended() const { return ended_; }

  /// The message to fill before Write() or WriteLast(); must not be modified while writing().
  Message& message() { return message_; }

  void Write() {
    if (!MayHold()) return;
    writing_ = true;
    this->StartWrite(&message_);
  }
  /// Writes the message and ends the stream with OK.
  void WriteLast() {
    if (!MayHold()) return;
    ended_ = true;
    Ended();
    this->StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
  }
  /// Ends the stream as soon as no write is in flight; the first status counts.
  void End(const grpc::Status& status) {
    if (ended_) return;
    ended_ = true;
    status_ = status;
    Ended();
    FinishWhenFree();
  }
  /// Runs a step on the loop, one at a time; an error or exception ends the stream.
  void Await(Step step) {
    awaiting_ = true;
    asio::co_spawn(entry_.loop, Finished(std::move(step)), asio::detached);
  }

 private:
  asio::awaitable<void> Finished(Step step) {
    const grpc::Status status = co_await StatusOf(step);
    if (!status.ok()) End(status);
    awaiting_ = false;
    FinishWhenFree();
  }
  /// Returns false if the budget has no room for the message; the stream has then ended.
  bool MayHold() {
    const Result<void> room = share().Hold(message_.ByteSizeLong());
    if (!room) {
      InviteRetry(*entry_.context);
      End(ToStatus(room));
    }
    return static_cast<bool>(room);
  }
  bool entered() const { return entry_.status.ok(); }
  void WriteDone(bool ok) {
    writing_ = false;
    static_cast<void>(share().Hold(0));
    if (!ok) End(grpc::Status::CANCELLED);
    if (ended_) return FinishWhenFree();
    Written();
  }
  void FinishWhenFree() {
    if (!status_ || writing_ || awaiting_) return;
    const grpc::Status status = *std::exchange(status_, std::nullopt);
    this->Finish(status);
  }

  const Endpoint& endpoint_;
  Entry entry_;
  std::stop_source gone_;
  LiveCalls::Token token_;
  Message message_;
  bool writing_ = false;
  bool awaiting_ = false;
  bool ended_ = false;
  std::optional<grpc::Status> status_;  ///< the status for Finish, until it is called
};

}  // namespace benchd::rpc
