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

/// The summary of a gate, or of an estimate that was asked for, which is kept after its session is
/// deleted. It forms one row of a benchmark's history.
struct GateSummary {
  /// A number that grows from 1 in the order in which sessions ended, and serves as a cursor; 0 =
  /// not stored.
  std::uint64_t number = 0;
  SessionId session;
  std::uint32_t position = 0;  ///< index among the summaries of the session, from 0
  std::uint32_t uid = 0;
  Timestamp ended_at{};
  std::string benchmark;
  /// A key that distinguishes unrelated benchmarks with the same name. If the benchmark has the
  /// default name `main`, it consists of 16 hexadecimal digits that depend on the candidate's
  /// command and interpreter. Otherwise it is empty.
  std::string series;
  std::string metric;
  std::string unit;
  std::optional<Better> better;
  std::string reference;  ///< name of the reference arm
  std::string candidate;
  std::optional<Commit> reference_commit;
  std::optional<Commit> candidate_commit;
  std::string command;  ///< the candidate's command
  std::map<std::string, std::string> labels;
  std::uint64_t n_reference = 0;
  std::uint64_t n_candidate = 0;
  std::optional<double> mean_reference;  ///< in `unit`
  std::optional<double> mean_candidate;
  std::optional<Effect> change;
  Verdict verdict = Verdict::kUndecided;
  // The place of measurement. Values are comparable only if these three fields are equal.
  std::string machine;   ///< "AMD EPYC 7763, CPUs 0-3"
  std::string kernel;    ///< "6.1.0-18-amd64"
  std::string settings;  ///< held settings and benchmark CPUs: "cpus=1 governor=performance"
  /// The value of a measured arm with its interval, in `unit`. Such a summary has no reference and
  /// no change. Its candidate is the arm, and `mean_candidate` the estimate.
  std::optional<Effect> value;
  /// Whether a control of the session changed, so that the values are those of a machine that
  /// changed. Such a summary is shown, but is neither a value of a series nor a baseline.
  bool control_changed = false;
  bool operator==(const GateSummary&) const = default;
};
BENCHD_FIELDS(GateSummary, session, position, uid, ended_at, benchmark, series, metric, unit,
              better, reference, candidate, reference_commit, candidate_commit, command, labels,
              n_reference, n_candidate, mean_reference, mean_candidate, change, verdict, machine,
              kernel, settings, value, control_changed)

/// A selection of summaries.
struct SummaryQuery {
  std::optional<std::uint32_t> uid;  ///< owner of the sessions; absent = all users
  std::string benchmark;             ///< empty = all
  /// A cursor. With oldest_first only summaries with a larger number are selected, otherwise only
  /// summaries with a smaller number; 0 = all.
  std::uint64_t beyond = 0;
  bool oldest_first = false;
  std::uint64_t limit = 0;
};

/// Returns one summary for each gate of a session that is done, or for each estimate that was asked
/// for, in the order of the report. Returns an empty list for other sessions, for calibrations
/// (kCalibrationLabel), and for sessions whose runs were sampled, because sampling slows them down.
std::vector<GateSummary> SummariesOf(const SessionRecord& record);

}  // namespace benchd
