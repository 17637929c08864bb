#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/inner_benchmarks.h"
#include "core/model/session_spec.h"
#include "daemon/session/ports.h"

// To which benchmark of a session the values belong that a program with several benchmarks printed.

namespace benchd {

/// Returns the owners of all names that the programs of a session listed.
///
/// @param spec  expanded
NameOwners OwnersIn(const SessionSpec& spec);

/// Drops the values of a run that belong to other benchmarks of the session: a harness may run more
/// than was selected. Catch2 ignores case, and a script may select benchmarks itself.
///
/// @param owners  those of the session
/// @param inner   the listed name of the benchmark that was to run alone; empty if it has none
void DropOthers(const NameOwners& owners, std::string_view inner, RunOutcome& outcome);

/// Leaves the name of the benchmark out of the metrics of its run, because the benchmark of the
/// session has that name: "BM_Sort/8/real_time" becomes "real_time". A metric with the name of one
/// that benchd measures gets the harness's name instead: "google-benchmark/cpu_time".
void DropInnerName(const Benchmark& benchmark, RunOutcome& outcome);

/// Divides the values of a process that ran several benchmarks, in the order of `members`. The
/// names are then those of runs alone (DropInnerName()).
///
/// What benchd measured is about the process and has no value for a single benchmark, so it is left
/// out. Values that do not name one of the benchmarks are left out, too.
///
/// @param spec     expanded
/// @param members  indices of the benchmarks that the process ran
/// @return one outcome for each, in which only `samples` and `metrics` are set
/// @errors kFailedPrecondition if the process printed nothing about one of them
Result<std::vector<RunOutcome>> DivideOutcome(const SessionSpec& spec,
                                              std::span<const std::uint32_t> members,
                                              RunOutcome outcome);

}  // namespace benchd
