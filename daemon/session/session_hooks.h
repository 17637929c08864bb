#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>

#include "core/base/session_id.h"
#include "core/model/session.h"
#include "daemon/ports/launcher.h"
#include "daemon/session/cancel_token.h"

namespace benchd {

/// Hooks that are run once a session, for each benchmark in turn.
enum class SessionHook { kBuild, kSetup, kCleanup };

bool HasHook(const SessionSpec& spec, SessionHook which);

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

/// Runs a session's own hooks, as the caller, on all CPUs, untimed. Replaces what is open at the
/// launcher.
///
/// `build` may take an hour, or --timeout where that is longer; the others --timeout. After a
/// failing one none is run any more; of cleanup each is run, whatever the others did. What was
/// cancelled (cleanup: what benchd stops in) before it was started is not started.
///
/// @param launcher, cancel, spec  outlive the coroutine.
asio::awaitable<HookResult> RunHooks(Launcher* launcher, const CancelToken* cancel,
                                     const SessionSpec* spec, SessionId id, SessionHook which);

}  // namespace benchd
