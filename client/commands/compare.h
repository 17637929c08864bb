#pragma once

#include <memory>
#include <optional>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/app/command.h"
#include "client/git/bundle.h"
#include "client/link/daemon_link.h"
#include "client/request/spec_input.h"

namespace benchd::client {

/// What a session is submitted for.
enum class Purpose {
  kCompare,  ///< a verdict on candidates against references
  kMeasure,  ///< the values of each arm, without a reference
};

/// The session that `compare` submits.
struct Submission {
  v1::SessionSpec spec;
  std::optional<Bundle> bundle;                 ///< bundle of the commits, with --host
  std::optional<CommitInput> same_commit = {};  ///< if set, nothing is submitted
  /// If `spec` is a calibration (request/self_comparison.h): the session without that label.
  std::optional<v1::SessionSpec> planned = {};
};

/// Reads the session that the arguments describe, and the environment of the caller.
///
/// @param link  is opened with --host
/// @errors (exit 2) those of FillInCommits and BuildCallersSpec; (exit 5) with --host
Result<Submission> ReadSubmission(const CommandContext& context, std::unique_ptr<DaemonLink>* link,
                                  Purpose purpose);

/// Submits the session that `compare`, `submit` or `measure` describes and, unless `detach`,
/// watches it until it ends.
Result<ExitCode> SubmitAnd(const CommandContext& context, bool detach,
                           Purpose purpose = Purpose::kCompare);

/// Returns the verdict of --same-is-pass for a comparison that would measure one commit twice.
std::string SameCommitSentence(const std::string& id);

/// Sets the rule of a session that measures its arms: the width of --precision, else that of the
/// file, else 1 %; none for an exact number of runs.
///
/// @errors (exit 2) an invalid width, or --precision with an exact number of runs
Result<void> SetPrecision(const ParsedArguments& arguments, v1::SessionSpec* spec);

}  // namespace benchd::client
