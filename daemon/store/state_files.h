#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/model/session_spec.h"

/// The few things about files and folders that the parts of store/ share, and the files of
/// environment values.
/// @errors all: the system call that failed, with the file's name.
namespace benchd::store {

/// What those who submit are told where there is no room: no path of theirs is full.
/// kResourceExhausted.
Error StateDiskFull();

/// Why a file that is kept with a submission could not be: who submits is told of a full disk, and
/// not of a file that is none of theirs.
Error FileNotKept(const std::filesystem::path& file, int errno_value);

/// Makes `folder` and what is missing above it, for this user alone, and checks that files can be
/// made in it.
Result<void> MakeFolder(const std::filesystem::path& folder);

/// Makes the file if it is not there (as an empty one) and keeps others from reading it. SQLite
/// would make it readable for all; its log and index files take on the file's mode.
Result<void> MakePrivateFile(const std::filesystem::path& file);

/// Whether something of that name is there, be it a link to nowhere.
bool Exists(const std::filesystem::path& file);

/// Gives a file another name, in the same folder.
Result<void> Rename(const std::filesystem::path& from, const std::filesystem::path& to);

/// Puts a file's contents, or a folder's names, onto the disk.
Result<void> Sync(const std::filesystem::path& file_or_folder);

/// The values of a session's environment variables, taken out of its spec: often secrets.
struct EnvironmentValues {
  std::map<std::string, std::string> session;
  /// By benchmark, then by arm.
  std::vector<std::vector<std::map<std::string, std::string>>> arms;

  bool empty() const;
};
BENCHD_FIELDS(EnvironmentValues, session, arms)

/// Takes the values out of `spec`: the names stay, with empty values.
EnvironmentValues TakeEnvironment(SessionSpec& spec);

/// Where they are kept.
inline std::filesystem::path EnvironmentFolder(const std::filesystem::path& state_dir) {
  return state_dir / "environments";
}

/// Keeps environment values apart from the database, one file a session: STATE/environments/ID.json
/// (0600 in a folder of 0700), there from Insert() until the session ends.
///
/// Apart, so that deleting a value deletes it: a row that is deleted stays readable in the pages of
/// a database, its log and its backups.
/// @errors all: the system call that failed, with the file's name.
class EnvironmentFiles {
 public:
  /// Makes the folder in `state_dir`, or checks that it is ours alone.
  static Result<EnvironmentFiles> Open(const std::filesystem::path& state_dir);

  /// Writes the whole file or nothing, on the disk when it answers.
  Result<void> Write(const SessionId& id, const EnvironmentValues& values) const;
  /// Puts the values back into `spec`; without a file they stay empty.
  /// @errors kInternal when the file is not what Write() wrote.
  Result<void> Merge(const SessionId& id, SessionSpec& spec) const;
  /// A file that is not there is a success.
  Result<void> Remove(const SessionId& id) const;
  /// Removes what an interrupted Write() or end of a session left: all but the files of `keep`.
  Result<void> Sweep(const std::set<SessionId>& keep) const;

 private:
  explicit EnvironmentFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path FileOf(const SessionId& id) const;

  std::filesystem::path folder_;
};

}  // namespace benchd::store
