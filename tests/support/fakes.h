#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/ports/launcher.h"
#include "daemon/ports/machine.h"
#include "daemon/ports/sources.h"

/// Hand-written stand-ins for the ports: no process, file or clock behind them.
namespace benchd::fake {

/// Time moves only when a test or a fake run moves it.
class Clock : public benchd::Clock {
 public:
  Timestamp Now() const override { return Timestamp(std::chrono::hours(24)) + passed_; }
  SteadyTime Steady() const override { return SteadyTime(passed_); }
  /// Moves the time at once.
  asio::awaitable<void> Wait(Nanoseconds duration) const override;
  void Advance(Nanoseconds duration) { passed_ += duration; }

  /// Called in every Wait(), before the time moves.
  std::function<void()> during_wait;
  int waits() const { return waits_; }

 private:
  mutable Nanoseconds passed_{};
  mutable int waits_ = 0;
};

/// 1, 2, 3, ...: every id a test sees is predictable.
class RandomSource : public benchd::RandomSource {
 public:
  std::uint64_t Next() override { return next_++; }

 private:
  std::uint64_t next_ = 1;
};

/// A launcher whose children are functions: (child index, number of that child's run) -> outcome.
class Launcher : public benchd::Launcher {
 public:
  using Program = std::function<Result<RunOutcome>(std::uint32_t child, std::uint64_t run)>;

  explicit Launcher(Clock& clock) : clock_(clock) {}

  /// Every run takes this long on the fake clock.
  Nanoseconds run_time = std::chrono::milliseconds(10);
  Program program;
  /// A series ends after so many runs, wherever it is.
  std::size_t most_runs = 1000;
  /// Answers of Resolve by argv[0]; a program without an entry exists with default identity.
  std::map<std::string, Result<ProgramIdentity>> programs;
  /// How a child with that argv[0] ends, instead of `program`; for hooks.
  std::map<std::string, RunOutcome> outcomes;
  /// Called in every run before the program; a test's chance to cancel or to count.
  std::function<void()> during_run;
  /// Called in every Resolve() and every Open(), when no run is under way.
  std::function<void()> during_resolve;
  std::function<void()> during_open;

  asio::awaitable<Result<ProgramIdentity>> Resolve(ChildSpec child) override;
  asio::awaitable<Result<void>> Open(std::vector<ChildSpec> children) override;
  asio::awaitable<SeriesOutcome> Run(SeriesOrder order) override;
  void CancelRun() override { cancelled_ = running_; }
  asio::awaitable<void> Close() override;

  /// All runs so far, and how they were ordered together.
  const std::vector<RunOrder>& orders() const { return orders_; }
  const std::vector<SeriesOrder>& series() const { return series_; }
  const std::vector<ChildSpec>& children() const { return children_; }
  /// The children of all runs so far, as they were opened then.
  const std::vector<ChildSpec>& ran() const { return ran_; }
  bool open() const { return open_; }

 private:
  Clock& clock_;
  std::vector<ChildSpec> children_;
  std::vector<ChildSpec> ran_;
  std::vector<RunOrder> orders_;
  std::vector<SeriesOrder> series_;
  std::map<std::uint32_t, std::uint64_t> runs_;
  Result<RunOutcome> RunOne(const RunOrder& order);

  bool open_ = false;
  bool running_ = false;
  bool cancelled_ = false;
};

/// A machine that gives what the test put into its first members.
class Machine : public benchd::Machine {
 public:
  Result<void> check;
  Result<MachineReport> report = MachineReport{};
  MachineEnd end;
  Result<MachineStatus> status = MachineStatus{};
  Result<std::vector<NoiseSource>> sources = std::vector<NoiseSource>{};

  asio::awaitable<Result<void>> Check(MachineRequest request) override;
  asio::awaitable<Result<MachineReport>> Acquire(MachineRequest request) override;
  asio::awaitable<MachineEnd> Release() override;
  asio::awaitable<Result<MachineStatus>> Describe(std::string profile) override;
  asio::awaitable<Result<MachineStatus>> Apply(std::string profile) override;
  asio::awaitable<Result<MachineStatus>> Restore() override;
  asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose() override;

  /// Called in every Release(), when all of a session is stored but its end.
  std::function<void()> during_release;

  std::vector<MachineRequest> checked;
  int acquired = 0;
  int released = 0;
  std::vector<std::string> asked;  ///< "describe PROFILE", "apply PROFILE", "restore", "diagnose"
};

/// The outcome of a run that took `seconds`, with the built-in metrics a test looks at.
RunOutcome Took(double seconds);

/// A spec of one benchmark with two arms, ready to run: argv filled, seed 1.
SessionSpec TwoArms(const std::string& base = "base-program",
                    const std::string& candidate = "candidate-program");

}  // namespace benchd::fake
