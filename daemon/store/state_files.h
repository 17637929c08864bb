#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/model/session_spec.h"

/// Operations on files and folders that the store's parts share, and the files with environment
/// values.
/// @errors of all functions: the failed system call, with the file's name.
namespace benchd::store {

/// Returns the error (kResourceExhausted) for a submission while the disk is full. It does not name
/// a path, because the files do not belong to the submitter.
Error StateDiskFull();

/// Returns the error for a file of a submission that could not be stored. If the disk is full, it
/// does not name the file, because the file does not belong to the submitter.
Error FileNotKept(const std::filesystem::path& file, int errno_value);

/// Creates `folder` and its missing parents with mode 0700, and checks that files can be created in
/// it.
Result<void> MakeFolder(const std::filesystem::path& folder);

/// Creates an empty file if it does not exist, and sets its mode to 0600. SQLite would make it
/// readable for all users; its log and index files inherit the file's mode.
Result<void> MakePrivateFile(const std::filesystem::path& file);

/// Returns true if the path exists, even as a dangling link.
bool Exists(const std::filesystem::path& file);

/// Renames a file within its folder.
Result<void> Rename(const std::filesystem::path& from, const std::filesystem::path& to);

/// Syncs the contents of a file, or the entries of a folder, to the disk.
Result<void> Sync(const std::filesystem::path& file_or_folder);

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

  /// Writes the whole file or nothing, and syncs it to the disk.
  Result<void> Write(const SessionId& id, const EnvironmentValues& values) const;
  /// Puts the values back into `spec`. If there is no file, they stay empty.
  /// @errors kInternal if the file was not written by Write().
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
