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

/// The folder of the caller's stored arms.
std::string ArmsFolder();

/// The JSON line of a stored arm, without the newline.
std::string ArmLine(const StoredArm& arm);

/// A request of `compare --save NAME` to keep the program of one command. The program is looked up
/// when it is kept, because a session may build it.
struct SaveOrder {
  std::string name;
  std::string command;
  std::string cwd;                    ///< absolute
  std::string path;                   ///< the PATH that finds the program
  std::optional<CommitInput> commit;  ///< if the arm is a commit
};

/// The request of --save for a session: to keep the program of its only candidate. Nothing without
/// --save.
///
/// @errors (exit 2) an invalid name; several candidates or benchmarks; --file, --between, --bisect
///         or --shell.
Result<std::optional<SaveOrder>> ReadSaveOrder(const ParsedArguments& arguments,
                                               const v1::SessionSpec& spec);

/// Whether the line is `compare --save NAME COMMAND`, which compares nothing.
bool OnlySaves(const ParsedArguments& arguments);

/// Saves the one command of such a line and prints the stored arm on stdout.
Result<ExitCode> SaveCommand(const ParsedArguments& arguments, bool json);

/// Keeps the program and reports it on stderr; warns if the program only runs another one.
///
/// @errors (exit 2) the program is not found; those of StoredArms::Save().
Result<void> SaveProgram(const SaveOrder& order);

/// InputFromCommandLine() with --against NAME: the stored program is the reference. Without another
/// command, the candidate is the command that was stored.
///
/// @errors (exit 2) no such arm, or its copy has changed; --git, --between or --reference is given,
///         too; its working directory no longer exists.
Result<SpecInput> InputWithStoredArm(ParsedArguments arguments);

}  // namespace benchd::client
