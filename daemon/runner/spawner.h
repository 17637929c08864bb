#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "daemon/runner/spawn.h"

namespace benchd {

/// Makes held children on the CPUs where they are going to run.
///
/// A process beside the runner, in its memory, that sleeps on the benchmark CPUs while a child is
/// measured there, and makes the next one the moment that child has ended. Made elsewhere, each
/// child would bring kernel memory onto that CPU which only ends there: the kernel frees it in work
/// of its own, in the middle of the runs that follow. And what runs where the last child ended
/// finds the CPU awake.
///
/// One order at a time. It can be killed by whoever can kill the runner: then Take() fails and a
/// new one must be opened.
class Spawner {
 public:
  /// @errors of clone; kUnimplemented without clone3.
  static Result<std::unique_ptr<Spawner>> Open();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;
  /// Kills it. No order may be under way.
  ~Spawner();

  pid_t pid() const { return process_.pid; }

  /// Orders the child of `plan`, to be made when `after` has ended if that was made here, else at
  /// Take(). Plan and area must live until it is taken or withdrawn. False when the CPUs of `plan`
  /// cannot be had.
  bool Order(ChildPlan& plan, SpawnArea& area, SpawnOptions options, pid_t after);

  /// Takes the order back. False when the child is there already, or being made: Take() it.
  bool Withdraw();

  /// When the child `pid` had ended, as seen from its own CPU: CLOCK_MONOTONIC in nanoseconds.
  /// Empty where the spawner did not make it, or has not come to look yet because others are on
  /// that CPU.
  std::optional<std::int64_t> EndOf(pid_t pid) const;

  /// The child that was ordered, at its gate or on its way there.
  /// @errors those of Spawn(); kUnavailable when the spawner was killed.
  Result<Spawned> Take();

 private:
  struct Desk;

  Spawner();
  bool Gone() const;

  SpawnArea area_;  // its stack
  std::unique_ptr<Desk> desk_;
  Spawned process_;
};

}  // namespace benchd
