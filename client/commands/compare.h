#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/app/command.h"

namespace benchd::client {

/// What a session is submitted for.
enum class Purpose {
  kCompare,  ///< a verdict on candidates against references
  kMeasure,  ///< the values of each arm, without a reference
};

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
