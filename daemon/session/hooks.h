#pragma once

#include <asio/awaitable.hpp>
#include <stop_token>
#include <string>

#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/ports/ports.h"
#include "daemon/session/cancel_token.h"
#include "daemon/session/child_table.h"
#include "daemon/session/failure.h"

namespace benchd {

bool HasHook(const SessionSpec& spec, HookKind which);

/// A program that build or setup may still make is not missed before they have run.
inline bool MakesPrograms(const Benchmark& benchmark) {
  return benchmark.hooks.build.Exists() || benchmark.hooks.setup.Exists();
}

/// What came of hooks: why the first that failed did, and what all of them printed.
struct HookResult {
  std::optional<Failure> failure;
  bool runner_lost = false;
  std::string log;
};

/// Runs a hook that is open at a runner, untimed, to its end.
///
/// @param runner  outlives the coroutine.
/// @param place   whose it is, for messages: "setup", "prepare of base, block 3".
/// @param by_hand  what was opened, for messages
asio::awaitable<HookResult> RunHook(Runner* runner, RunnerId id, RunOrder order,
                                    Nanoseconds timeout, std::string place, ByHand by_hand,
                                    std::stop_token stop);

/// Runs a session's own hooks (build, setup or cleanup), as the caller, on all CPUs. Replaces what
/// is open at the runner.
///
/// `build` may take an hour, or --timeout where that is longer; the others --timeout. After a
/// failing one none is run any more; of cleanup each is run, whatever the others did. What was
/// cancelled (cleanup: what benchd stops in) before it was started is not started.
///
/// @param runner, cancel, spec  outlive the coroutine.
asio::awaitable<HookResult> RunHooks(Runner* runner, const CancelToken* cancel,
                                     const SessionSpec* spec, SessionId id, HookKind which);

}  // namespace benchd
