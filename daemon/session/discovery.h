#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <optional>

#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/session/ports.h"
#include "daemon/session/services.h"

// How the benchmarks inside the programs of a session become benchmarks of the session. Build and
// setup have run by then, so that each arm can list its own (core/parse/discovery.h).

namespace benchd {

/// The result of listing.
struct DiscoveryResult {
  std::optional<Failure> failure;
  bool runner_lost = false;
};

/// Returns whether some benchmark has a harness and has not been listed yet.
bool DiscoveryIsDue(const SessionSpec& spec);

/// Lists the benchmarks in each arm's program, as the caller and on all CPUs, and expands the spec
/// by those that every arm has. `found` states them, and what only some arms have. The placebo has
/// the benchmarks of its reference.
///
/// Fails with one error that names the arm and the command if a list cannot be had or has no
/// benchmark; if a pattern of --only matches none; if the arms have none in common; if there are
/// more than a session may have. Then `spec` and `found` are unchanged. Replaces the children that
/// are open at the runner.
///
/// @param services, spec, found  must outlive the coroutine
asio::awaitable<DiscoveryResult> Discover(const SessionServices* services, SessionSpec* spec,
                                          std::vector<FoundBenchmarks>* found);

/// Completes the commands of an expanded spec, each of which then runs its own benchmark alone. May
/// be called once per expansion.
void SetRunCommands(SessionSpec& spec);

}  // namespace benchd
