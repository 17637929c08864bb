#include "daemon/queue/resolve_programs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/try.h"
#include "daemon/session/children.h"

namespace benchd {
namespace {

bool IsMissing(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kPermissionDenied;
}

/// Refuses a shell that is not there. It is looked up in a folder that exists, because that of an
/// arm may be a checkout that the build creates.
///
/// @param query  of which the folder is not used
asio::awaitable<Result<void>> FindShell(Runner* runner, ProgramQuery query) {
  query.cwd = "/";
  Result<ProgramIdentity> shell = co_await runner->Resolve(std::move(query));
  if (shell) co_return Result<void>{};
  Error error = std::move(shell).error().Within("shell");
  if (!IsMissing(error)) co_return error;
  co_return Error{ErrorCode::kInvalidArgument, std::move(error.message),
                  "install it, or give another: --shell=PATH"};
}

/// Refuses the shell of the hooks, unless an arm has the same.
asio::awaitable<Result<void>> FindShellOfHooks(Runner* runner, const SessionSpec* spec,
                                               const Benchmark* benchmark) {
  const Hooks& hooks = benchmark->hooks;
  const auto is_same = [&hooks](const Arm& arm) {
    return arm.shell && arm.interpreter == hooks.interpreter;
  };
  if (hooks.interpreter.empty() || std::ranges::any_of(benchmark->arms, is_same)) {
    co_return Result<void>{};
  }
  ProgramQuery query = QueryFor(ChildOfHook(*spec, {}, *benchmark, nullptr, HookKind::kSetup));
  query.program = hooks.interpreter;
  co_return co_await FindShell(runner, std::move(query));
}

}  // namespace

asio::awaitable<Result<std::optional<Failure>>> ResolvePrograms(Runner* runner, SessionSpec* spec) {
  // Each look-up starts a process that reads the whole program. Most arms differ only in arguments.
  std::map<std::tuple<std::string, std::string, std::string>, ProgramIdentity> found;
  for (std::uint32_t b = 0; b < spec->benchmarks.size(); ++b) {
    Benchmark& benchmark = spec->benchmarks[b];
    for (std::uint32_t a = 0; a < benchmark.arms.size(); ++a) {
      Arm& arm = benchmark.arms[a];
      ProgramQuery query = QueryFor(ChildOfArm(*spec, benchmark, arm));
      const std::tuple key(query.program, query.path, query.cwd);
      if (const auto known = found.find(key); known != found.end()) {
        arm.program = known->second;
        continue;
      }
      Result<ProgramIdentity> program = co_await runner->Resolve(std::move(query));
      if (program) {
        found.emplace(key, *program);
        arm.program = std::move(program).value();
        continue;
      }
      Error error = std::move(program).error();
      if (!IsMissing(error)) co_return std::move(error).Within(arm.name);
      if (arm.shell) {
        CO_TRY_VOID(co_await FindShell(runner, QueryFor(ChildOfArm(*spec, benchmark, arm))));
      }
      if (MakesPrograms(benchmark)) continue;
      std::optional<Failure> failure = ProgramFailure(*spec, b, a, std::move(error));
      co_return failure;
    }
    CO_TRY_VOID(co_await FindShellOfHooks(runner, spec, &benchmark));
  }
  co_return std::optional<Failure>{};
}

}  // namespace benchd
