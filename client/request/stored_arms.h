#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/exit_code.h"
#include "client/request/spec_input.h"

namespace benchd::client {

/// A program that `compare --save NAME` stored, so that a later version can be compared with it.
struct StoredArm {
  std::string name;
  std::string command;                ///< as given
  std::string cwd;                    ///< absolute path of the working directory
  std::string program;                ///< file name of the copy and of the original
  std::string sha256;                 ///< digest of the copy, 64 hexadecimal digits
  std::string saved_at;               ///< RFC 3339
  std::optional<CommitInput> commit;  ///< commit of the repository that contains `cwd`
  bool modified = false;              ///< whether tracked files differed from that commit
  bool operator==(const StoredArm&) const = default;
};

/// Formats the description of an arm as JSON. It lacks the name, which is that of the folder.
std::string FormatStoredArm(const StoredArm& arm);

/// Parses the output of FormatStoredArm(). Pure.
///
/// @errors (exit 2) another format; the error names the key.
Result<StoredArm> ParseStoredArm(std::string_view text, const std::string& name);

/// Checks a name: at most 64 letters, digits, `.`, `_` and `-`, not starting with a dot.
///
/// @errors (exit 2) the name is invalid.
Result<void> CheckArmName(const std::string& name);

/// Finds an executable as execvp() does. A relative path is resolved against `cwd`.
///
/// @param path  the value of PATH; empty: "/bin:/usr/bin"
/// @errors (exit 2) the file does not exist or is not executable.
Result<std::string> FindExecutable(const std::string& program, const std::string& path,
                                   const std::string& cwd);

/// Returns whether a program of that name is an interpreter, which runs files that its arguments
/// name. A copy of the program does not include these files.
bool RunsItsArguments(std::string_view program);

/// The folder of stored arms. Each arm has a folder with its description (arm.json) and its copy
/// (bin/NAME), which only the owner may read. An arm is stored completely or not at all.
class StoredArms {
 public:
  explicit StoredArms(std::string folder) : folder_(std::move(folder)) {}

  /// Copies an executable and replaces the arm that was stored under that name.
  ///
  /// @param arm     its name, command, cwd, time and commit
  /// @param source  the executable
  /// @return the arm with its digest
  /// @errors (exit 2) an invalid name; more than 1 GiB; those of the system.
  Result<StoredArm> Save(StoredArm arm, const std::string& source) const;

  /// @errors (exit 2) no such arm (the hint suggests the nearest name); an unreadable description.
  Result<StoredArm> Read(const std::string& name) const;

  /// @errors (exit 2) the copy has changed since it was stored.
  Result<void> Verify(const StoredArm& arm) const;

  /// Returns the command with the copy in place of its program.
  std::string CommandOf(const StoredArm& arm) const;

  /// Returns the names of all stored arms, sorted.
  std::vector<std::string> Names() const;

  /// @errors (exit 2) no such arm; those of the system.
  Result<void> Remove(const std::string& name) const;

 private:
  std::string PlaceOf(const std::string& name) const { return folder_ + "/" + name; }
  std::string CopyOf(const StoredArm& arm) const;
  Error NoSuchArm(const std::string& name) const;

  std::string folder_;
};

}  // namespace benchd::client
