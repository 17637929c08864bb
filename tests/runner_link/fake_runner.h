#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "daemon/runner_link/runner_connection.h"
#include "daemon/session/ports.h"
#include "daemon/wire/channel.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// The answer to a batch of one run.
inline wire::BatchFigures Finished(Result<wire::RunFigures> figures) {
  wire::BatchFigures finished;
  if (figures) {
    finished.runs.push_back(*std::move(figures));
  } else {
    finished.result = std::move(figures).error();
  }
  return finished;
}

/// The outcome of a batch of one run.
inline Result<RunOutcome> OnlyOne(BatchOutcome outcome) {
  if (outcome.error) return *std::move(outcome.error);
  EXPECT_EQ(outcome.runs.size(), 1U);
  return std::move(outcome.runs.at(0));
}

/// A fake benchd-runner: the other end of a socketpair, on the same io_context. Answers everything
/// at once with success, unless a script says otherwise.
class FakeRunner {
 public:
  /// Gets each message first; true means "answered (or meant to stay unanswered)".
  using Script = std::function<bool(FakeRunner&, const wire::Message&)>;

  FakeRunner(asio::io_context& io, int fd, Script script)
      : socket_(io, fd), script_(std::move(script)) {
    socket_.non_blocking(true);
    Listen();
  }

  const std::vector<wire::Record>& heard() const { return heard_; }
  void Say(const wire::Message& message, std::uint64_t request) {
    SayBytes(wire::Encode(message, request));
  }
  /// Answers the last message received.
  void Reply(const wire::Message& answer) { Say(answer, heard_.back().request); }
  /// Answers the newest request of that type.
  template <typename Question>
  void ReplyTo(const typename Question::Answer& answer) {
    std::uint64_t request = 0;
    for (const wire::Record& record : heard_) {
      if (std::holds_alternative<Question>(record.message)) request = record.request;
    }
    Say(answer, request);
  }
  void SayBytes(const std::string& record) {
    const auto sent = wire::SendRecord(socket_.native_handle(), record);
    EXPECT_TRUE(sent) << sent.error().message;
  }
  /// Simulates the death of the process.
  void Die() { socket_.close(); }
  bool hung_up_on() const { return hung_up_on_; }

  template <typename Question>
  std::vector<Question> HeardOf() const {
    std::vector<Question> found;
    for (const wire::Record& record : heard_) {
      if (const auto* question = std::get_if<Question>(&record.message)) found.push_back(*question);
    }
    return found;
  }

 private:
  void Listen() {
    socket_.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code stopped) {
      if (!stopped) TakeRecords();
    });
  }

  void TakeRecords() {
    while (socket_.is_open()) {
      auto record = wire::ReceiveRecord(socket_.native_handle());
      if (!record && record.error().code == ErrorCode::kResourceExhausted) return Listen();
      if (!record || record->empty()) {
        hung_up_on_ = true;
        return Die();
      }
      auto decoded = wire::Decode(*record);
      ASSERT_TRUE(decoded) << decoded.error().message;
      heard_.push_back(*decoded);
      if (script_ && script_(*this, decoded->message)) continue;
      std::visit([this](const auto& question) { Answer(question); }, decoded->message);
    }
  }

  void Answer(const wire::Hello&) {
    wire::HelloReply reply;
    reply.pid = 4711;
    reply.housekeeping_cpus = {0};
    reply.benchmark_cpus = {1, 2};
    reply.profiles = {{"default", {1, 2}}, {"quiet", {2}}};
    Reply(reply);
  }
  void Answer(const wire::Resolve& question) {
    ProgramIdentity program;
    program.path = "/bin/" + question.query.program;
    Reply(Result<ProgramIdentity>(program));
  }
  void Answer(const wire::OpenChild&) { Reply(Result<void>()); }
  void Answer(const wire::CloseChildren&) { Reply(Result<void>()); }
  void Answer(const wire::RunBatch& question) {
    Reply(wire::BatchFigures{std::vector<wire::RunFigures>(question.batch.runs.size()), {}});
  }
  void Answer(const wire::CancelRun&) {}
  void Answer(const wire::AcquireMachine&) {
    MachineReport report;
    report.benchmark_cpus = {1};
    Reply(Result<MachineReport>(report));
  }
  void Answer(const wire::ReleaseMachine&) {
    Reply(MachineEnd{.at_end = {"powersave"}, .warnings = {}});
  }
  void Answer(const wire::DescribeMachine& question) { Describe(question.profile, ""); }
  void Answer(const wire::ApplyProfile& question) { Describe(question.profile, "apply"); }
  void Answer(const wire::RestoreMachine&) { Describe("default", ""); }
  void Answer(const wire::DiagnoseMachine&) {
    Reply(Result<std::vector<NoiseSource>>(std::vector<NoiseSource>{{.name = "turbo"}}));
  }
  void Describe(const std::string& profile, const std::string& holder) {
    MachineStatus status;
    status.profile = profile;
    status.holder = holder;
    Reply(Result<MachineStatus>(status));
  }
  template <typename Other>
  void Answer(const Other&) {
    FAIL() << "benchd sent what only a runner sends";
  }

  asio::posix::stream_descriptor socket_;
  Script script_;
  std::vector<wire::Record> heard_;
  bool hung_up_on_ = false;
};

/// Returns a new FakeRunner for every connection and keeps them all.
class FakeSource : public RunnerSource {
 public:
  explicit FakeSource(asio::io_context& io) : io_(io) {}

  FakeRunner::Script script;     // for future runners
  std::optional<Error> refusal;  // for future connections
  std::vector<std::unique_ptr<FakeRunner>> runners;
  int disconnected = 0;

  Result<UniqueFd> Connect() override {
    if (refusal) return *refusal;
    std::array<int, 2> ends{-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      return Error{ErrorCode::kInternal, "socketpair", {}};
    }
    runners.push_back(std::make_unique<FakeRunner>(io_, ends[1], script));
    return UniqueFd(ends[0]);
  }
  void Disconnected() override { ++disconnected; }
  std::string Hint() const override { return "what to do"; }

  FakeRunner& newest() { return *runners.back(); }

 private:
  asio::io_context& io_;
};

/// Runs the loop until `reached`; fails after 20 s.
inline void RunUntil(asio::io_context& io, const std::function<bool()>& reached) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  io.restart();
  while (!reached()) {
    if (io.run_one_until(deadline) == 0) {
      FAIL() << "the loop " << (io.stopped() ? "ran dry" : "waited in vain");
    }
  }
}

/// A coroutine in progress, with its value once it has completed.
template <typename T>
class Started {
 public:
  Started(asio::io_context& io, asio::awaitable<T> task) : io_(io) {
    // Through Keep(), because co_spawn() requires default-constructible values.
    asio::co_spawn(io, Keep(std::move(task), &value_),
                   [](std::exception_ptr thrown) { EXPECT_FALSE(thrown); });
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  bool done() const { return value_.has_value(); }
  T Wait() {
    RunUntil(io_, [this] { return done(); });
    if (!value_) throw std::runtime_error("no value in time");
    return std::move(*value_);
  }

 private:
  static asio::awaitable<void> Keep(asio::awaitable<T> task, std::optional<T>* kept) {
    kept->emplace(co_await std::move(task));
  }

  asio::io_context& io_;
  std::optional<T> value_;
};

template <typename T>
T Await(asio::io_context& io, asio::awaitable<T> task) {
  return Started<T>(io, std::move(task)).Wait();
}

inline void Await(asio::io_context& io, asio::awaitable<void> task) {
  bool done = false;
  asio::co_spawn(io, std::move(task), [&done](std::exception_ptr) { done = true; });
  RunUntil(io, [&done] { return done; });
}

}  // namespace benchd
