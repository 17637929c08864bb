#include "daemon/queue/resolve_programs.h"

#include <cstdint>
#include <utility>

#include "daemon/session/failure.h"

namespace benchd {

asio::awaitable<Result<std::optional<Failure>>> ResolvePrograms(Launcher* launcher,
                                                                SessionSpec* spec) {
  for (std::uint32_t b = 0; b < spec->benchmarks.size(); ++b) {
    for (std::uint32_t a = 0; a < spec->benchmarks[b].arms.size(); ++a) {
      Arm& arm = spec->benchmarks[b].arms[a];
      ChildSpec child{
          .caller = spec->caller, .argv = arm.argv, .env = spec->environment, .cwd = arm.cwd};
      for (const auto& [name, value] : arm.env) child.env[name] = value;
      Result<ProgramIdentity> program = co_await launcher->Resolve(std::move(child));
      if (program) {
        arm.program = std::move(program).value();
        continue;
      }
      Error error = std::move(program).error();
      if (error.code != ErrorCode::kNotFound && error.code != ErrorCode::kPermissionDenied) {
        co_return std::move(error).Within(arm.name);
      }
      const RunPhase first = spec->schedule.warmup > 0 ? RunPhase::kWarmup : RunPhase::kMeasured;
      const RunPlace place{*spec, PlannedRun{.benchmark = b, .arm = a}, first, 0};
      std::optional<Failure> failure = LaunchFailure(place, std::move(error));
      co_return failure;
    }
  }
  co_return std::optional<Failure>{};
}

}  // namespace benchd
