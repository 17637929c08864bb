#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/time.h"
#include "core/model/comparison.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"

namespace benchd {

/// What stays of a gate when its session is gone: a row of a benchmark's history.
struct GateSummary {
  /// In order of the sessions' ends, from 1; 0 = not stored. What a reader has come to.
  std::uint64_t number = 0;
  SessionId session;
  std::uint32_t position = 0;  ///< among the summaries of the session, from 0
  std::uint32_t uid = 0;
  Timestamp ended_at{};
  std::string benchmark;
  /// Keeps apart what has nothing but the benchmark's name in common: 16 hexadecimal digits of the
  /// candidate's command where the benchmark is `main`, which is no name of its own.
  std::string series;
  std::string metric;
  std::string unit;
  std::optional<Better> better;
  std::string reference;  ///< the arms' names
  std::string candidate;
  std::optional<Commit> reference_commit;
  std::optional<Commit> candidate_commit;
  std::string command;  ///< the candidate's
  std::map<std::string, std::string> labels;
  std::uint64_t n_reference = 0;
  std::uint64_t n_candidate = 0;
  std::optional<double> mean_reference;  ///< in `unit`
  std::optional<double> mean_candidate;
  std::optional<Effect> change;
  Verdict verdict = Verdict::kUndecided;
  // Where it was measured. Values are comparable where all three are the same.
  std::string machine;   ///< "AMD EPYC 7763, CPUs 0-3"
  std::string kernel;    ///< "6.1.0-18-amd64"
  std::string settings;  ///< what was held, and the benchmark CPUs: "cpus=1 governor=performance"
  bool operator==(const GateSummary&) const = default;
};
BENCHD_FIELDS(GateSummary, session, position, uid, ended_at, benchmark, series, metric, unit,
              better, reference, candidate, reference_commit, candidate_commit, command, labels,
              n_reference, n_candidate, mean_reference, mean_candidate, change, verdict, machine,
              kernel, settings)

/// Which summaries are asked for.
struct SummaryQuery {
  std::optional<std::uint32_t> uid;  ///< of that user's sessions; absent = everybody's
  std::string benchmark;             ///< empty = all
  /// Oldest first: those with a larger number; newest first: with a smaller one, 0 = all.
  std::uint64_t beyond = 0;
  bool oldest_first = false;
  std::uint64_t limit = 0;
};

/// One for each gate of a session that is done, in the order of its report; none of another.
std::vector<GateSummary> SummariesOf(const SessionRecord& record);

}  // namespace benchd
