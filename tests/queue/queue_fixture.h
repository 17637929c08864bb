#pragma once

#include <gtest/gtest.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/queue/queue.h"
#include "tests/support/fakes.h"
#include "tests/support/loop.h"
#include "tests/support/test_store.h"

namespace benchd {

inline Caller User(std::uint32_t uid, std::int32_t pid = 0) {
  Caller caller;
  caller.uid = uid;
  caller.gid = uid;
  caller.pid = pid;
  caller.limits = {{0, 1, 1}};
  return caller;
}

/// A queue with fakes, and common operations of tests.
class QueueFixture : public testing::Test {
 protected:
  explicit QueueFixture(QueuePolicy policy = {}) : policy_(policy) {}
  ~QueueFixture() override { End(); }

  /// Stops the queue and waits for its end, as benchd does when it ends.
  void End() {
    queue_.Stop();
    loop_.restart();
    loop_.run();
  }

  SessionSpec SpecOf(std::uint32_t uid, std::int32_t priority = 0) {
    SessionSpec spec = fake::TwoArms();
    spec.caller = User(uid, 123);
    spec.priority = priority;
    spec.limits.runs = 4;
    return spec;
  }

  SessionSnapshot SubmitFully(SessionSpec spec, std::string request_id = {}) {
    Result<SessionSnapshot> submitted =
        RunToEnd(loop_, queue_.Submit(std::move(spec), std::move(request_id)));
    EXPECT_TRUE(submitted) << submitted.error().message;
    return submitted ? *submitted : SessionSnapshot{};
  }

  SessionId Submit(SessionSpec spec, std::string request_id = {}) {
    return SubmitFully(std::move(spec), std::move(request_id)).id;
  }

  Error Refused(SessionSpec spec) {
    Result<SessionSnapshot> submitted = RunToEnd(loop_, queue_.Submit(std::move(spec), {}));
    EXPECT_FALSE(submitted);
    return submitted ? Error{} : submitted.error();
  }

  Result<SessionSnapshot> Cancel(Caller caller, const SessionId& id) {
    return RunToEnd(loop_, queue_.Cancel(std::move(caller), id.value));
  }
  Result<SessionSnapshot> Move(Caller caller, const SessionId& id, std::int32_t priority) {
    return RunToEnd(loop_, queue_.Move(std::move(caller), id.value, priority));
  }
  /// Asked on a loop of their own: also from inside of ours.
  std::vector<SessionView> List(Caller caller, SessionFilter filter) {
    asio::io_context loop;
    const auto views = RunToEnd(loop, queue_.List(std::move(caller), std::move(filter)));
    EXPECT_TRUE(views) << views.error().message;
    return views.value_or(std::vector<SessionView>{});
  }
  bool HasEnded(Caller caller, const SessionId& id) {
    asio::io_context loop;
    return RunToEnd(loop, queue_.HasEnded(std::move(caller), id.value));
  }
  bool HasPriority(Caller caller, const SessionId& id, std::int32_t priority) {
    return RunToEnd(loop_, queue_.HasPriority(std::move(caller), id.value, priority));
  }
  Result<QueueStatus> SetMode(QueueMode mode, std::uint32_t uid = 0) {
    return RunToEnd(loop_, queue_.SetMode(User(uid), mode));
  }

  template <typename T>
  void Start(asio::awaitable<T> coroutine, std::optional<T>* result) {
    asio::co_spawn(loop_, KeepResult(std::move(coroutine), result), Rethrow);
  }

  void Work() { asio::co_spawn(loop_, queue_.Work(), Rethrow); }

  /// Runs the loop until it needs an event from outside.
  void Settle() {
    loop_.restart();
    while (loop_.poll() > 0) {
    }
  }

  /// Calls on a separate loop, also from within ours.
  Result<SessionRecord> Get(Caller caller, std::string id) {
    asio::io_context loop;
    return RunToEnd(loop, queue_.Get(std::move(caller), std::move(id)));
  }
  SessionSnapshot SnapshotOf(const SessionId& id) {
    const Result<SessionRecord> record = Get(User(0), id.value);
    EXPECT_TRUE(record) << record.error().message;
    return record ? record->snapshot : SessionSnapshot{};
  }
  SessionState StateOf(const SessionId& id) { return SnapshotOf(id).state; }
  SessionState StoredStateOf(const SessionId& id) {
    return store_.Ask(&Records::Load, id)->snapshot.state;
  }

  const QueuePolicy policy_;
  asio::io_context loop_;
  fake::Clock clock_;
  fake::RandomSource random_;
  fake::Runner runner_{clock_};
  TestStore store_;
  EventHub hub_;
  Queue queue_{loop_.get_executor(), {runner_, store_, clock_, random_, hub_}, policy_};
};

using History = std::vector<std::string>;

/// A history, or other lines, as one text.
inline std::string TextOf(const History& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace benchd
