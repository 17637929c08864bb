#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/app/exit_code.h"
#include "client/request/spec_input.h"

namespace benchd::client {

/// A program that `compare --save NAME` kept, to be measured again beside a later one.
struct StoredArm {
  std::string name;
  std::string command;   ///< as it was given
  std::string cwd;       ///< where it ran, absolute
  std::string program;   ///< the copy's name, which is that of the original; without a folder
  std::string sha256;    ///< of the copy, 64 hexadecimal digits
  std::string saved_at;  ///< RFC 3339
  std::optional<CommitInput> commit;  ///< of the repository around `cwd`
  bool modified = false;              ///< tracked files there differed from that commit
  bool operator==(const StoredArm&) const = default;
};

/// The text that describes an arm on disk: JSON, without its name, which is that of its folder.
std::string FormatStoredArm(const StoredArm& arm);

/// Reads it back. Pure.
///
/// @errors (exit 2) not what FormatStoredArm() writes, by the key.
Result<StoredArm> ParseStoredArm(std::string_view text, const std::string& name);

/// Whether a folder may be called so: letters, digits, `.`, `_` and `-`, no dot first, 64 at most.
///
/// @errors (exit 2) it may not.
Result<void> CheckArmName(const std::string& name);

/// Where an executable of that name is found, as execvp would; a relative name counts from `cwd`.
///
/// @param path  PATH; empty: "/bin:/usr/bin"
/// @errors (exit 2) it is not there, or may not be executed.
Result<std::string> FindExecutable(const std::string& program, const std::string& path,
                                   const std::string& cwd);

/// Whether a program of that name runs what its arguments name: a copy of it keeps nothing of that.
bool RunsItsArguments(std::string_view program);

/// The folder of stored arms: one folder each, with what describes it (arm.json) and the copy
/// (bin/NAME). Only its owner may read them. An arm is there whole or not at all.
class StoredArms {
 public:
  explicit StoredArms(std::string folder) : folder_(std::move(folder)) {}

  /// Copies an executable, in place of what was stored under that name.
  ///
  /// @param arm     its name, command, cwd, time and commit
  /// @param source  the executable
  /// @return the arm with its digest
  /// @errors (exit 2) the name; over 1 GiB; the system's.
  Result<StoredArm> Save(StoredArm arm, const std::string& source) const;

  /// @errors (exit 2) no such arm, with the nearest name; a description that cannot be read.
  Result<StoredArm> Read(const std::string& name) const;

  /// @errors (exit 2) the copy is not what was stored.
  Result<void> Verify(const StoredArm& arm) const;

  /// The command with the copy as its program.
  std::string CommandOf(const StoredArm& arm) const;

  /// Sorted; empty where nothing was ever stored.
  std::vector<std::string> Names() const;

  /// @errors (exit 2) no such arm; the system's.
  Result<void> Remove(const std::string& name) const;

 private:
  std::string PlaceOf(const std::string& name) const { return folder_ + "/" + name; }
  std::string CopyOf(const StoredArm& arm) const;
  Error NoSuchArm(const std::string& name) const;

  std::string folder_;
};

}  // namespace benchd::client
