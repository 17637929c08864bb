#pragma once

#include <asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "daemon/queue/queue.h"
#include "daemon/rpc/side_thread.h"

namespace benchd::rpc {

/// Computes many small jobs side by side, on every CPU that the daemon may use, never while a
/// session measures.
///
/// Jobs that wait share one turn of the queue (queue/side_turns.h): one turn a job would be a round
/// of the queue's worker each, and one CPU at a time. Jobs that come while a turn is held join it,
/// but not for ever: after kLongestTurn no further one begins, the turn is given up, and a session
/// that waits comes first. Loop's thread only, but for the jobs themselves. Outlives every job.
class SideBatch {
 public:
  static constexpr std::chrono::milliseconds kLongestTurn{500};

  /// `queue` outlives this.
  SideBatch(asio::any_io_executor loop, Queue& queue) : loop_(std::move(loop)), queue_(queue) {}

  /// @param work  done on a thread of its own; must not throw.
  /// @param done  called on the loop afterwards.
  /// @return a key for Withdraw().
  std::uint64_t Ask(std::function<void()> work, std::function<void()> done);

  /// The job will not be done, if it has not begun.
  /// @return whether that is so: then `done` is never called.
  bool Withdraw(std::uint64_t key);

 private:
  struct Job {
    std::function<void()> work;
    std::function<void()> done;
  };

  void Pump();
  bool MayBeginAnother() const;
  void Begin(Job job);
  void AskForTurn();

  asio::any_io_executor loop_;
  Queue& queue_;
  std::map<std::uint64_t, Job> waiting_;  // by key: in order of asking
  std::uint64_t next_key_ = 0;
  std::size_t running_ = 0;
  std::optional<SideTurns::Turn> turn_;  // held, or asked for
  bool held_ = false;
  std::chrono::steady_clock::time_point held_since_{};
  std::optional<SideThreads> threads_;  // made with the first job: by then the CPUs are known
};

}  // namespace benchd::rpc
