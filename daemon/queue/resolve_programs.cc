#include "daemon/queue/resolve_programs.h"

#include <cstdint>
#include <utility>

#include "daemon/session/child_table.h"
#include "daemon/session/failure.h"
#include "daemon/session/session_hooks.h"

namespace benchd {

asio::awaitable<Result<std::optional<Failure>>> ResolvePrograms(Launcher* launcher,
                                                                SessionSpec* spec) {
  for (std::uint32_t b = 0; b < spec->benchmarks.size(); ++b) {
    Benchmark& benchmark = spec->benchmarks[b];
    for (std::uint32_t a = 0; a < benchmark.arms.size(); ++a) {
      Arm& arm = benchmark.arms[a];
      ChildSpec child = ChildOfArm(*spec, benchmark, arm);
      Result<ProgramIdentity> program = co_await launcher->Resolve(std::move(child));
      if (program) {
        arm.program = std::move(program).value();
        continue;
      }
      Error error = std::move(program).error();
      if (error.code != ErrorCode::kNotFound && error.code != ErrorCode::kPermissionDenied) {
        co_return std::move(error).Within(arm.name);
      }
      if (MakesPrograms(benchmark)) continue;
      std::optional<Failure> failure = ProgramFailure(*spec, b, a, std::move(error));
      co_return failure;
    }
  }
  co_return std::optional<Failure>{};
}

}  // namespace benchd
