#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/store/log_sync.h"

namespace benchd::store {

/// The values of a session's environment variables. They are often secrets and are therefore stored
/// separately from its spec.
struct EnvironmentValues {
  std::map<std::string, std::string> session;
  /// The values of the arms, by benchmark, then by arm.
  std::vector<std::vector<std::map<std::string, std::string>>> arms;

  bool empty() const;
};
BENCHD_FIELDS(EnvironmentValues, session, arms)

/// Moves the values out of `spec`. The names stay in it, with empty values.
EnvironmentValues TakeEnvironment(SessionSpec& spec);

/// Returns the folder with the files of environment values.
inline std::filesystem::path EnvironmentFolder(const std::filesystem::path& state_dir) {
  return state_dir / "environments";
}

/// The files with environment values, one per session: STATE/environments/ID.json (mode 0600 in a
/// folder of mode 0700). A file exists from Insert() until the session ends.
///
/// The values are not in the database, because a deleted row may remain readable in its pages, its
/// log and its backups.
/// @errors of all functions: the failed system call, with the file's name.
class EnvironmentFiles {
 public:
  /// Creates the folder in `state_dir`, or checks that only benchd's user can access it.
  static Result<EnvironmentFiles> Open(const std::filesystem::path& state_dir);

  /// Writes the whole file or nothing. The caller syncs it to the disk.
  Result<UnsyncedFile> Write(const SessionId& id, const EnvironmentValues& values) const;
  /// Puts the values back into `spec`. There is no file for a spec without variables.
  /// @errors kInternal if the file was not written by Write(), or if it is missing because the
  ///         machine lost power before the submission was acknowledged.
  Result<void> Merge(const SessionId& id, SessionSpec& spec) const;
  /// Deletes the file of a session, if there is one.
  Result<void> Remove(const SessionId& id) const;
  /// Deletes all files except those of `keep`, such as the files of an interrupted Write() or of a
  /// session whose end was interrupted.
  Result<void> Sweep(const std::set<SessionId>& keep) const;

 private:
  explicit EnvironmentFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path FileOf(const SessionId& id) const;

  std::filesystem::path folder_;
};

}  // namespace benchd::store
