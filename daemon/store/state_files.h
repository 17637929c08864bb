#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/model/session_spec.h"

/// Operations on files and folders that the parts of store/ share, and the files of environment
/// values.
/// @errors all: the failed system call, with the file's name.
namespace benchd::store {

/// The error for users who submit while the disk is full. It names no path, because none is theirs.
/// kResourceExhausted.
Error StateDiskFull();

/// The error if a file of a submission could not be stored. A full disk is reported without the
/// file's name, because the file does not belong to the submitter.
Error FileNotKept(const std::filesystem::path& file, int errno_value);

/// Creates `folder` and missing parents for this user alone, and checks that files can be created
/// in it.
Result<void> MakeFolder(const std::filesystem::path& folder);

/// Creates an empty file if there is none, and makes it private. SQLite would create it readable
/// for all; its log and index files inherit the file's mode.
Result<void> MakePrivateFile(const std::filesystem::path& file);

/// Whether that name exists, even as a dangling link.
bool Exists(const std::filesystem::path& file);

/// Renames a file within its folder.
Result<void> Rename(const std::filesystem::path& from, const std::filesystem::path& to);

/// Syncs a file's contents, or a folder's names, to the disk.
Result<void> Sync(const std::filesystem::path& file_or_folder);

/// The values of a session's environment variables, which are often secrets, separate from its
/// spec.
struct EnvironmentValues {
  std::map<std::string, std::string> session;
  /// By benchmark, then by arm.
  std::vector<std::vector<std::map<std::string, std::string>>> arms;

  bool empty() const;
};
BENCHD_FIELDS(EnvironmentValues, session, arms)

/// Moves the values out of `spec`: the names stay, with empty values.
EnvironmentValues TakeEnvironment(SessionSpec& spec);

/// The folder with the files of environment values.
inline std::filesystem::path EnvironmentFolder(const std::filesystem::path& state_dir) {
  return state_dir / "environments";
}

/// Keeps environment values outside the database, one file per session: STATE/environments/ID.json
/// (0600 in a folder of 0700), from Insert() until the session ends.
///
/// Deleting the file really deletes the values: a deleted row stays readable in the pages of a
/// database, its log and its backups.
/// @errors all: the failed system call, with the file's name.
class EnvironmentFiles {
 public:
  /// Creates the folder in `state_dir`, or checks that only benchd's user can access it.
  static Result<EnvironmentFiles> Open(const std::filesystem::path& state_dir);

  /// Writes the whole file or nothing. On return it is on the disk.
  Result<void> Write(const SessionId& id, const EnvironmentValues& values) const;
  /// Puts the values back into `spec`; without a file they stay empty.
  /// @errors kInternal if the file was not written by Write().
  Result<void> Merge(const SessionId& id, SessionSpec& spec) const;
  /// Succeeds if there is no file.
  Result<void> Remove(const SessionId& id) const;
  /// Removes what an interrupted Write() or end of a session left: all files except those of
  /// `keep`.
  Result<void> Sweep(const std::set<SessionId>& keep) const;

 private:
  explicit EnvironmentFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path FileOf(const SessionId& id) const;

  std::filesystem::path folder_;
};

}  // namespace benchd::store
