#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "benchd/v1/session.pb.h"
#include "client/app/exit_code.h"
#include "client/present/json_value.h"
#include "core/base/fields.h"

namespace benchd::client {

// What later steps of a job read of a comparison, and the comment for its pull request. Pure.

/// The verdicts that fail a job: --fail-on.
enum class FailOn { kRegression, kUndecided, kNever };
BENCHD_NAMES(FailOn, "regression", "undecided", "never")

/// Reads the value of --fail-on, which the parser has checked.
FailOn ReadFailOn(std::string_view word);

/// Returns the exit code of the job for that of `compare`. Only pass, regression and undecided
/// depend on `fail_on`; a failed session, for example, fails the job in any case.
ExitCode ExitForJob(ExitCode compared, FailOn fail_on);

/// Returns the verdict for that exit code: "pass", "regression" or "undecided", and "none" if
/// nothing was judged.
std::string_view VerdictFor(ExitCode compared);

/// Returns the gates that a reader has to know (IsNotable()), worst first. Each is an object with
/// benchmark, metric, verdict, the state of a control, unit, and `change` or `difference`.
Json ChangesOf(const v1::Update& report);

/// The values for later steps.
struct CiOutputs {
  std::string_view verdict;
  std::string session;  ///< empty if there was none
  std::string number;   ///< of the pull request; may be empty
  bool fork = false;
  std::string comment;  ///< path of the comment
  Json changes = Json::array();
};

/// Renders lines NAME=VALUE for the file that GITHUB_OUTPUT names.
std::string GithubOutputs(const CiOutputs& outputs);

/// Largest size of the changes in DotenvOutputs(): GitLab reads files of at most 5 kB.
inline constexpr std::size_t kDotenvChangesBytes = 4000;

/// Renders lines BENCHD_NAME=VALUE in the form of GitLab's dotenv reports, which allow neither
/// spaces nor quotes around a value. Changes that do not fit are left out at the end, and
/// BENCHD_CHANGES_LEFT_OUT counts them.
std::string DotenvOutputs(const CiOutputs& outputs);

/// Returns the line by which a comment is found again: `<!-- benchd: NAME -->`.
std::string CommentMarker(const std::string& name);

/// Checks a name for the marker.
///
/// @errors (exit 2) it is empty, longer than 60 bytes, or has characters other than letters,
/// digits,
///         `.`, `_`, `/` and single hyphens.
Result<void> CheckCommentName(const std::string& name);

/// Puts the marker before a text in Markdown, which is shortened to the limit of a comment.
std::string CommentOf(const std::string& name, const std::string& markdown);

/// Renders a comment for a comparison that could not begin, with the reason.
std::string NoVerdictMarkdown(const Error& error);

}  // namespace benchd::client
