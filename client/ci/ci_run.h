#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/fields.h"
#include "core/base/result.h"

namespace benchd::client {

/// A value and where it comes from, such as "CI_COMMIT_SHA".
struct Sourced {
  std::string value;
  std::string source;
  bool operator==(const Sourced&) const = default;
};

/// Why a CI system started a job.
enum class CiEvent {
  kPush,         ///< new commits on a branch
  kPullRequest,  ///< a pull request or merge request
  kManual,       ///< somebody started the job
  kSchedule,     ///< the clock did
  kOther,        ///< anything else, and a command that nobody's CI runs
};
BENCHD_NAMES(CiEvent, "push", "pull request", "manual start", "schedule", "other event")

/// What the variables of a CI system tell about a job.
struct CiRun {
  std::string_view system;                    ///< name of the CI system
  std::string_view request = "pull request";  ///< what the CI system calls one
  CiEvent event = CiEvent::kOther;
  std::string event_source;      ///< where `event` comes from
  bool fork = false;             ///< the pull request comes from another repository
  std::string number;            ///< of the pull request
  Sourced base;                  ///< a revision; if its value is empty, its source states why
  Sourced head;                  ///< a revision
  bool from_merge_base = false;  ///< the base is the common ancestor of `base` and `head`
  std::string commits;           ///< address of a commit without its ID; empty if unknown
  std::string job;               ///< page of the job; empty if unknown
  std::string_view deepen;       ///< how to get the whole history there
  bool operator==(const CiRun&) const = default;

  /// Returns the range for `compare --git`. Requires a base.
  std::string Range() const { return base.value + (from_merge_base ? "..." : "..") + head.value; }
  /// Describes the event: "pull request 17 from a fork", "merge request 3".
  std::string EventText() const;
};

/// The environment of a job. The functions stand in for getenv and the file system.
struct CiEnvironment {
  std::function<std::string(const char* name)> variable;  ///< empty if not set
  std::function<Result<std::string>(const std::string& path)> file;
};

/// Reads the variables of the CI system that runs this job: GitHub Actions, GitLab CI/CD, Jenkins
/// or Buildkite, and otherwise plain git. Runs nothing.
///
/// The base is:
/// - of a pull request: its common ancestor with the target branch;
/// - of a push: the commit that was there before; of a new branch, or without that commit, the
///   common ancestor with the default branch;
/// - of a manual start: the common ancestor with the default branch, or the parent commit on the
///   default branch itself;
/// - otherwise none: somebody has to name it.
///
/// @errors (exit 2) an event file that cannot be read, is not JSON, or lacks a commit; a branch
/// that
///         was deleted; pull_request_target from a fork.
Result<CiRun> ReadCiRun(const CiEnvironment& environment);

/// Sets the base that the user named.
void SetBase(CiRun* run, const std::string& revision);

/// Returns the page of a repository: "https://host/team/project" for an address of git with https
/// or ssh. Empty for other addresses. Passwords in the address are left out.
std::string RepositoryPage(std::string_view address);

}  // namespace benchd::client
