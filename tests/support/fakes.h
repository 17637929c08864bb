#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daemon/session/ports.h"

/// Hand-written stand-ins for the ports: no process, file or clock behind them.
namespace benchd::fake {

/// Time advances only when a test or a fake run advances it.
class Clock : public benchd::Clock {
 public:
  Timestamp Now() const override { return Timestamp(std::chrono::hours(24)) + passed_; }
  SteadyTime Steady() const override { return SteadyTime(passed_); }
  /// Advances the time at once.
  asio::awaitable<void> Wait(Nanoseconds duration) const override;
  void Advance(Nanoseconds duration) { passed_ += duration; }

  /// Called in every Wait(), before the time advances.
  std::function<void()> during_wait;
  int waits() const { return waits_; }

 private:
  mutable Nanoseconds passed_{};
  mutable int waits_ = 0;
};

/// 1, 2, 3, ...: every id in a test is predictable.
class RandomSource : public benchd::RandomSource {
 public:
  std::uint64_t Next() override { return next_++; }

 private:
  std::uint64_t next_ = 1;
};

/// A runner whose children are functions: (child index, number of that child's run) -> outcome. Its
/// machine returns the values that the test sets here.
class Runner : public benchd::Runner {
 public:
  using Program = std::function<Result<RunOutcome>(std::uint32_t child, std::uint64_t run)>;

  explicit Runner(Clock& clock) : clock_(clock) {}

  /// Every run takes this long on the fake clock.
  Nanoseconds run_time = std::chrono::milliseconds(10);
  Program program;
  /// A batch ends after this many runs.
  std::size_t most_runs = 1000;
  /// Results of Resolve by program; a program without an entry exists, with a default identity.
  std::map<std::string, Result<ProgramIdentity>> programs;
  /// The outcome of a child with that argv[0], instead of `program`; for hooks.
  std::map<std::string, RunOutcome> outcomes;
  Result<void> check;
  Result<MachineReport> report = MachineReport{};
  MachineEnd end;
  Result<MachineStatus> status = MachineStatus{};
  Result<std::vector<NoiseSource>> sources = std::vector<NoiseSource>{};

  /// Called in every run before the program, so that a test can cancel or count.
  std::function<void()> during_run;
  /// Called in every Resolve() and every Open(), when no run is under way.
  std::function<void()> during_resolve;
  std::function<void()> during_open;
  /// Called when the machine is released; everything of the session but its end is stored by then.
  std::function<void()> during_release;

  asio::awaitable<Result<void>> Check(MachineRequest request) override;
  asio::awaitable<Result<ProgramIdentity>> Resolve(ProgramQuery query) override;
  asio::awaitable<Result<Lease>> Acquire(std::optional<MachineRequest> machine) override;
  asio::awaitable<Result<void>> Open(RunnerId runner, std::vector<ChildSpec> children) override;
  asio::awaitable<BatchOutcome> Run(RunnerId runner, Batch batch, std::stop_token stop) override;
  asio::awaitable<MachineEnd> Release(RunnerId runner) override;
  asio::awaitable<Result<MachineStatus>> Describe(std::string profile) override;
  asio::awaitable<Result<MachineStatus>> Apply(std::string profile) override;
  asio::awaitable<Result<MachineStatus>> Restore() override;
  asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose() override;

  std::vector<MachineRequest> checked;
  int acquired = 0;                ///< counts the machine, not the runner alone
  int released = 0;                ///< likewise
  std::vector<std::string> asked;  ///< "describe PROFILE", "apply PROFILE", "restore", "diagnose"

  /// All runs so far, grouped as they were ordered.
  const std::vector<RunOrder>& orders() const { return orders_; }
  const std::vector<Batch>& batches() const { return batches_; }
  const std::vector<ChildSpec>& children() const { return children_; }
  /// The children of all runs so far, as they were opened at that time.
  const std::vector<ChildSpec>& ran() const { return ran_; }
  bool open() const { return open_; }

 private:
  Result<RunOutcome> RunOne(const RunOrder& order, const std::stop_token& stop);

  Clock& clock_;
  std::vector<ChildSpec> children_;
  std::vector<ChildSpec> ran_;
  std::vector<RunOrder> orders_;
  std::vector<Batch> batches_;
  std::map<std::uint32_t, std::uint64_t> runs_;
  bool open_ = false;
  bool has_machine_ = false;
};

/// The outcome of a run that took `seconds`, with the built-in metrics that tests use.
RunOutcome Took(double seconds);

/// The digest of an output: a hash of its own, not SHA-256.
OutputDigest Printed(const std::string& text);

/// A spec of one benchmark with two arms, ready to run: argv filled, seed 1.
SessionSpec TwoArms(const std::string& base = "base-program",
                    const std::string& candidate = "candidate-program");

}  // namespace benchd::fake
