#pragma once

#include <optional>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/app/arguments.h"
#include "client/app/exit_code.h"
#include "client/request/spec_input.h"
#include "client/request/stored_arms.h"

namespace benchd::client {

// Stored arms in the commands: --save and --against of `compare`, and `arm`.

/// Returns the folder of the caller's stored arms.
std::string ArmsFolder();

/// Returns the JSON line for a stored arm, without the newline.
std::string ArmLine(const StoredArm& arm);

/// A request of `compare --save NAME` to keep the program of one command. The program is looked up
/// when it is kept, because a session may build it.
struct SaveOrder {
  std::string name;
  std::string command;
  std::string cwd;                    ///< absolute
  std::string path;                   ///< value of PATH, to find the program
  std::optional<CommitInput> commit;  ///< if the arm is a commit
};

/// Returns the request of --save for a session, to keep the program of its only candidate, or
/// nothing without --save.
///
/// @errors (exit 2) an invalid name; several candidates or benchmarks; --file, --between, --bisect
///         or --shell.
Result<std::optional<SaveOrder>> ReadSaveOrder(const ParsedArguments& arguments,
                                               const v1::SessionSpec& spec);

/// Returns whether the line is `compare --save NAME COMMAND`, which compares nothing.
bool OnlySaves(const ParsedArguments& arguments);

/// Saves the command of `compare --save NAME COMMAND` and prints the stored arm on stdout.
Result<ExitCode> SaveCommand(const ParsedArguments& arguments, bool json);

/// Keeps the program and reports it on stderr. Warns if the program only runs another program.
///
/// @errors (exit 2) the program is not found; errors of StoredArms::Save().
Result<void> SaveProgram(const SaveOrder& order);

/// Returns InputFromCommandLine(), with the stored program of --against NAME as the reference. If
/// no command is given, the candidate is the command that was stored.
///
/// @errors (exit 2) the arm does not exist, or its copy has changed; --git, --between or
///         --reference is also given; the working directory of the arm no longer exists.
Result<SpecInput> InputWithStoredArm(ParsedArguments arguments);

}  // namespace benchd::client
