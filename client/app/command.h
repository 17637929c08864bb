#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/exit_code.h"
#include "client/link/link_options.h"

namespace benchd::client {

/// What a command gets: its parsed words and how to reach the daemon.
struct CommandContext {
  ParsedArguments arguments;
  LinkOptions link;
  bool json = false;
  std::string word;  ///< the session, profile or file that the command is about; may be empty
};

/// The words that a command takes besides its options.
enum class Words {
  kNone,
  kSession,          ///< the ID of one
  kSessionOrNewest,  ///< the same, or none: the caller's newest
  kProfile,          ///< of the machine, or none
  kArm,              ///< the name of one that is stored
  kBenchmark,        ///< its name, or none
  kFile,             ///< one, or - for stdin
  kOwn,              ///< those that it reads itself
};

/// What somebody wants to do, and the command line that does it.
struct Example {
  std::string_view purpose;
  std::string_view line;
};

/// One command: its words for the parser, the help and the manual page, and what it does. It
/// stands in a file of commands/ named after it.
///
/// `run` prints results itself; an error that it returns is printed by main.
struct Command {
  std::string_view name;     ///< one word, or two: "machine status"
  std::string_view usage;    ///< after "benchctl NAME"
  std::string_view summary;  ///< one line for the list of commands
  Words words = Words::kNone;
  Result<ExitCode> (*run)(const CommandContext& context);
  std::vector<OptionInfo> options = {};
  bool hidden = false;  ///< not in the help: benchctl calls it itself, or the build does
  bool here = false;    ///< asks the daemon of its own machine, whatever --host says
  std::string_view description = {};  ///< paragraphs, divided by newlines; empty of a hidden one
  std::vector<Example> examples = {};
};

/// All commands, in the order of the help (commands/commands.cc).
const std::vector<Command>& Commands();
const Command* FindCommand(std::string_view name);

/// The first word of a name of two ("machine"), empty for one.
std::string_view GroupOf(const Command& command);

/// The options of a command together with those of every command (json, socket, ...).
std::vector<OptionInfo> AllOptions(const Command& command);

/// The word that `command` is about (CommandContext::word).
///
/// @errors (exit 2) it is missing, or there are others.
Result<std::string> ReadWord(const Command& command, const std::vector<std::string>& words);

}  // namespace benchd::client
