#include "daemon/session/preparation.h"

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/model/log_warnings.h"
#include "daemon/session/block_executor.h"
#include "daemon/session/children.h"
#include "daemon/session/discovery.h"
#include "daemon/session/failure.h"

namespace benchd {
namespace {

bool IsRunnerLost(const Error& error) { return error.code == ErrorCode::kUnavailable; }

}  // namespace

asio::awaitable<Prepared> Preparation::Run() {
  Prepared prepared;
  co_await TakeMachine(&prepared);
  if (!prepared.failure && SetupIsDue()) {
    co_await services_.runner.Release(prepared.runner);
    co_await SetUp(&prepared);
    if (!prepared.failure) co_await TakeMachine(&prepared);
  }
  if (!prepared.failure) co_await OpenChildren(&prepared);
  if (services_.cancel.requested()) prepared.failure = CancelledFailure();
  co_return prepared;
}

asio::awaitable<Prepared> Preparation::Reopen(RunnerId runner) {
  Prepared prepared;
  prepared.runner = runner;
  co_await OpenChildren(&prepared);
  co_return prepared;
}

bool Preparation::SetupIsDue() const {
  if (Setup()) return false;
  // The programs of benchmarks that were found in others are known from setup alone.
  if (DiscoveryIsDue(spec_) || !snapshot_.found.empty()) return true;
  return HasHook(spec_, HookKind::kBuild) || HasHook(spec_, HookKind::kSetup);
}

/// Acquires the machine. It is also a failure if the machine has changed since the session began.
asio::awaitable<void> Preparation::TakeMachine(Prepared* prepared) {
  std::optional<MachineRequest> request =
      MachineRequest{spec_.machine_profile, spec_.isolation, spec_.cpus, spec_.settings_off};
  Result<Lease> lease = co_await services_.runner.Acquire(std::move(request));
  if (!lease) {
    const bool refused = lease.error().code == ErrorCode::kFailedPrecondition;
    prepared->runner_lost = IsRunnerLost(lease.error());
    prepared->failure = Failure{std::move(lease).error(), std::nullopt, refused};
    co_return;
  }
  prepared->runner = lease->runner;
  if (snapshot_.machine) {
    Result<MachineAgain> again =
        CompareMachines(snapshot_.machine->environment, lease->machine->environment);
    if (!again) {
      prepared->failure = Failure{std::move(again).error(), std::nullopt};
      co_return;
    }
    if (*again == MachineAgain::kRebooted) {
      prepared->rebooted = true;
      Setup().reset();
    }
  }
  snapshot_.machine = std::move(lease->machine);
}

asio::awaitable<void> Preparation::SetUp(Prepared* prepared) {
  for (const HookKind which : {HookKind::kBuild, HookKind::kSetup}) {
    if (services_.cancel.requested()) co_return;
    HookResult result = co_await RunHooks(&services_.runner, &services_.cancel, &spec_,
                                          snapshot_.id, which, snapshot_.second_phase.has_value());
    prepared->log += result.log;
    if (which == HookKind::kBuild) warnings_ = WarningsInLog(result.log);
    prepared->runner_lost = result.runner_lost;
    prepared->failure = std::move(result.failure);
    if (which == HookKind::kBuild && prepared->failure && prepared->failure->run) {
      FailedRun& run = *prepared->failure->run;
      run.commit = FailedBuildInLog(run.stderr_tail).value_or("");
    }
    if (prepared->failure) co_return;
  }
  if (DiscoveryIsDue(spec_)) co_await FindBenchmarks(prepared);
  if (!prepared->failure) prepared->failure = co_await FindPrograms();
}

/// Lists the benchmarks inside the programs, of which the session then consists.
asio::awaitable<void> Preparation::FindBenchmarks(Prepared* prepared) {
  DiscoveryResult result = co_await Discover(&services_, &spec_, &snapshot_.found);
  prepared->failure = std::move(result.failure);
  prepared->runner_lost = result.runner_lost;
  prepared->expanded = !prepared->failure;
}

/// For the method `layouts`, refuses two builds of one arm with identical files, because they are
/// the same layout.
Result<void> CheckLayouts(const SessionSpec& spec, const std::vector<ProgramIdentity>& programs) {
  if (spec.method != Method::kLayouts) return {};
  std::map<std::tuple<std::string, std::string, std::array<std::uint8_t, 32>>, std::string> known;
  std::size_t i = 0;
  for (const Benchmark& benchmark : spec.benchmarks) {
    for (const Arm& arm : benchmark.arms) {
      const auto layout = LayoutOf(arm.name);
      const auto& sha256 = programs[i++].sha256;
      if (!layout) continue;
      const auto [same, added] =
          known.try_emplace({benchmark.name, layout->group, sha256}, arm.name);
      if (added) continue;
      return Error{ErrorCode::kFailedPrecondition,
                   "layouts: the programs of " + same->second + " and " + arm.name +
                       " are identical: the build ignored BENCHD_LAYOUT_SEED",
                   "make the link step depend on it, and use the linked program itself as the "
                   "command (see docs/layouts.md)"};
    }
  }
  return {};
}

/// Adds a hint for a program that is missing in a checkout: it must come from the commit or the
/// build.
Error InCheckout(Error error) {
  if (error.code == ErrorCode::kNotFound && error.hint.empty()) {
    error.hint =
        "a checkout has the commit's files and the output of --build: add --build COMMAND, or name "
        "a program that the build creates";
  }
  return error;
}

/// Records the identities of the programs after build and setup. From now on they must not change.
asio::awaitable<std::optional<Failure>> Preparation::FindPrograms() {
  SetupResult setup;
  // The arms of benchmarks that were found in one program all have that program.
  std::map<std::tuple<std::string, std::string, std::string>, ProgramIdentity> known;
  for (std::uint32_t b = 0; b < spec_.benchmarks.size(); ++b) {
    const Benchmark& benchmark = spec_.benchmarks[b];
    for (std::uint32_t a = 0; a < benchmark.arms.size(); ++a) {
      const Arm& arm = benchmark.arms[a];
      if (!MakesPrograms(benchmark) && (arm.program || benchmark.inner.empty())) {
        setup.programs.push_back(arm.program.value_or(ProgramIdentity{}));
        continue;
      }
      ProgramQuery query = QueryFor(ChildOfArm(spec_, benchmark, arm));
      const std::tuple key(query.program, query.path, query.cwd);
      if (const auto same = known.find(key); same != known.end()) {
        setup.programs.push_back(same->second);
        continue;
      }
      Result<ProgramIdentity> program = co_await services_.runner.Resolve(std::move(query));
      if (!program) {
        Error error = std::move(program).error();
        if (arm.commit) error = InCheckout(std::move(error));
        co_return ProgramFailure(spec_, b, a, std::move(error));
      }
      known.emplace(key, *program);
      setup.programs.push_back(std::move(program).value());
    }
  }
  if (Result<void> differ = CheckLayouts(spec_, setup.programs); !differ) {
    co_return Failure{std::move(differ).error(), std::nullopt};
  }
  setup.warnings = std::move(warnings_);
  Setup() = std::move(setup);
  co_return std::nullopt;
}

asio::awaitable<void> Preparation::OpenChildren(Prepared* prepared) {
  std::vector<ChildSpec> children =
      ChildrenOf(spec_, snapshot_.id, snapshot_.machine->benchmark_cpus);
  const std::size_t arms = ChildTable(spec_).arms();
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (i < arms) {
      if (Setup()) children[i].program = Setup()->programs[i];
      continue;
    }
    const ChildSpec& hook = children[i];
    ProgramQuery query = QueryFor(hook);
    Result<ProgramIdentity> program = co_await services_.runner.Resolve(std::move(query));
    if (!program) {
      prepared->runner_lost = IsRunnerLost(program.error());
      prepared->failure = Failure{
          std::move(program).error().Within("hook of " + hook.env.at("BENCHD_ARM")), std::nullopt};
      co_return;
    }
    children[i].program = std::move(program).value();
  }
  Result<void> opened = co_await services_.runner.Open(prepared->runner, std::move(children));
  if (opened) co_return;
  prepared->runner_lost = IsRunnerLost(opened.error());
  prepared->failure = Failure{std::move(opened).error(), std::nullopt};
}

namespace {

bool Differs(const Environment& before, const Environment& now, std::string_view fact) {
  const std::string* const was = FactOf(before, fact);
  const std::string* const is = FactOf(now, fact);
  return was != nullptr && is != nullptr && *was != *is;
}

}  // namespace

Result<MachineAgain> CompareMachines(const Environment& before, const Environment& now) {
  for (const char* fact : {"kernel", "cpu", "microcode"}) {
    if (!Differs(before, now, fact)) continue;
    return Error{ErrorCode::kFailedPrecondition,
                 std::string("session: the machine's ") + fact + " has changed from '" +
                     *FactOf(before, fact) + "' to '" + *FactOf(now, fact) +
                     "' since the session began",
                 "submit the session again; the blocks measured so far are kept"};
  }
  return Differs(before, now, "boot_id") ? MachineAgain::kRebooted : MachineAgain::kSame;
}

}  // namespace benchd
