#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/exit_code.h"
#include "client/link/link_options.h"

namespace benchd::client {

/// The input of a command: its parsed words and how to reach the daemon.
struct CommandContext {
  ParsedArguments arguments;
  LinkOptions link;
  bool json = false;
  std::string word;  ///< the session, profile or file that the command is about; may be empty
};

/// The positional words that a command takes.
enum class Words {
  kNone,
  kSession,          ///< the ID of a session
  kSessionOrNewest,  ///< the ID of a session; optional (default: the caller's newest)
  kProfile,          ///< a machine profile; optional
  kArm,              ///< the name of a stored arm
  kBenchmark,        ///< the name of a benchmark; optional
  kFile,             ///< one file, or - for stdin
  kOwn,              ///< any; the command reads them itself
};

/// An example for the help: its purpose and its command line.
struct Example {
  std::string_view purpose;
  std::string_view line;
};

/// One command: the data for the parser, the help and the manual page, and the function that runs
/// it. Each command is defined in a file below commands/ that is named after it or its group.
///
/// `run` prints its own results. RunBenchctl() prints the error that it returns.
struct Command {
  std::string_view name;     ///< one word, or two: "machine status"
  std::string_view usage;    ///< the text after "benchctl NAME"
  std::string_view summary;  ///< one line for the list of commands
  Words words = Words::kNone;
  Result<ExitCode> (*run)(const CommandContext& context);
  std::vector<OptionInfo> options = {};
  bool hidden = false;  ///< not in the help; only benchctl itself or the build calls it
  bool here = false;    ///< ignores --host and uses the daemon of this machine
  std::string_view description = {};  ///< paragraphs, one per line; empty for a hidden command
  std::vector<Example> examples = {};
};

/// Returns all commands, in the order of the help (the list in client/CMakeLists.txt).
const std::vector<Command>& Commands();
const Command* FindCommand(std::string_view name);

/// Returns the first word of a two-word name ("machine"), or an empty string.
std::string_view GroupOf(const Command& command);

/// Returns the options of a command, followed by the options that all commands share.
std::vector<OptionInfo> AllOptions(const Command& command);

/// Returns the positional word of `command` (CommandContext::word).
///
/// @errors (exit 2) the word is missing, or there is more than one.
Result<std::string> ReadWord(const Command& command, const std::vector<std::string>& words);

}  // namespace benchd::client
