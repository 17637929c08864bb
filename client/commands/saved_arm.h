#pragma once

#include <optional>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/app/arguments.h"
#include "client/app/exit_code.h"
#include "client/request/spec_input.h"
#include "client/request/stored_arms.h"

namespace benchd::client {

// What --save and --against of `compare` do with stored arms, and what `arm` shows of them.

/// The folder of the caller's own.
std::string ArmsFolder();

/// Its JSON line, without the newline.
std::string ArmLine(const StoredArm& arm);

/// What `compare --save NAME` keeps: the program of one command, looked up when it is kept, since a
/// session may build it.
struct SaveOrder {
  std::string name;
  std::string command;
  std::string cwd;                    ///< absolute
  std::string path;                   ///< PATH of the command
  std::optional<CommitInput> commit;  ///< of an arm that is a commit
};

/// What --save asks of a session: the program of its only candidate. Nothing without --save.
///
/// @errors (exit 2) the name; several candidates, a suite, a shell, --bisect; an unknown metric.
Result<std::optional<SaveOrder>> ReadSaveOrder(const ParsedArguments& arguments,
                                               const v1::SessionSpec& spec);

/// `compare --save NAME COMMAND`: nothing is compared.
bool OnlySaves(const ParsedArguments& arguments);

/// Saves the one command of such a line and prints what was saved, to stdout.
Result<ExitCode> SaveCommand(const ParsedArguments& arguments, bool json);

/// Keeps the program and says so on stderr; warns where it is one that only runs another.
///
/// @errors (exit 2) it is not found; what StoredArms::Save() says.
Result<void> SaveProgram(const SaveOrder& order);

/// InputFromCommandLine(), where --against NAME is the reference: the stored program, and without
/// any other command the one that was stored as its candidate.
///
/// @errors (exit 2) no such arm, or one that was changed; --file, --git, --between or --reference
///         beside it; where it ran is gone.
Result<SpecInput> InputWithStoredArm(ParsedArguments arguments);

}  // namespace benchd::client
