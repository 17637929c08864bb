#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/session.h"
#include "core/model/session_spec.h"

// The benchmarks inside the programs of a session as benchmarks of the session. Pure.

namespace benchd {

/// Replaces each benchmark with a harness by the benchmarks that were found in its programs.
///
/// They differ from it in name, `inner` and the words of their commands (`argv`), which do not yet
/// contain those that run one benchmark. Only the first of them has the hooks that run once per
/// session. Programs that build or setup creates are no longer known. Does nothing if `found` is
/// empty or the spec has been expanded already, so it may be called wherever a session is read.
void ExpandBenchmarks(std::span<const FoundBenchmarks> found, SessionSpec& spec);

/// Returns the name that a benchmark found in a program has in the session: its own, or
/// NAME/INNER if the session has several benchmarks or the submitted one has a name.
///
/// @param spec       as submitted
/// @param submitted  the index in `spec` of the benchmark in whose programs it was found
std::string NameOfInner(const SessionSpec& spec, std::size_t submitted, std::string_view inner);

/// Returns the name that the user gave the benchmark: that of the submitted benchmark for one that
/// was found in its programs.
std::string SubmittedName(const Benchmark& benchmark);

/// Returns the number of benchmarks that were found in programs and that every arm has.
std::size_t CountFound(std::span<const FoundBenchmarks> found);

/// Returns whether the output of a run calls a listed benchmark by this name. Go adds the number of
/// processors: "BenchmarkA-8".
bool IsNameOf(std::string_view printed, std::string_view listed);

/// Finds the benchmarks to which the names in the output of a run belong. The time of a search
/// depends on the length of the name alone, as an output may have many.
class NameOwners {
 public:
  /// @param listed  the names of the benchmarks; an empty one owns nothing
  explicit NameOwners(std::vector<std::string> listed);

  /// Returns the listed name to which a printed one belongs: the one that it names, or else the
  /// longest that is followed by a slash, as in the sub-benchmarks of Go and the benchmarks of a
  /// test case of Catch2. Returns nothing if there is none.
  std::optional<std::string_view> Of(std::string_view printed) const;

 private:
  std::set<std::string, std::less<>> listed_;
};

/// Returns the index in the expanded spec of the first benchmark of `found[number]`.
std::size_t FirstOf(std::span<const FoundBenchmarks> found, std::size_t number);

}  // namespace benchd
