#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/arguments.h"
#include "client/daemon_link.h"
#include "client/exit_code.h"

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
  kFile,             ///< one, or - for stdin
  kOwn,              ///< those that it reads itself
};

/// One command: its words for the parser and the help, and what it does.
///
/// `run` prints results itself; an error that it returns is printed by main.
struct Command {
  std::string_view name;     ///< one word, or two: "machine status"
  std::string_view usage;    ///< after "benchctl NAME"
  std::string_view summary;  ///< one line for the list of commands
  Words words = Words::kNone;
  std::vector<OptionInfo> options;
  Result<ExitCode> (*run)(const CommandContext& context);
  bool hidden = false;  ///< not in the help: benchctl calls it itself
};

/// All commands, in the order of the help.
const std::vector<Command>& Commands();
const Command* FindCommand(std::string_view name);

/// The first word of a name of two, empty for one.
std::string_view GroupOf(const Command& command);

/// The options of a command together with those of every command (json, socket, ...).
std::vector<OptionInfo> AllOptions(const Command& command);

// One file each.
Result<ExitCode> RunCompare(const CommandContext& context);
Result<ExitCode> RunSubmit(const CommandContext& context);
Result<ExitCode> RunBuildWorktrees(const CommandContext& context);
Result<ExitCode> RunWatch(const CommandContext& context);
Result<ExitCode> RunList(const CommandContext& context);
Result<ExitCode> RunShow(const CommandContext& context);
Result<ExitCode> RunCancel(const CommandContext& context);
Result<ExitCode> RunMove(const CommandContext& context);
Result<ExitCode> RunPause(const CommandContext& context);
Result<ExitCode> RunResume(const CommandContext& context);
Result<ExitCode> RunDrain(const CommandContext& context);
Result<ExitCode> RunExport(const CommandContext& context);
Result<ExitCode> RunAnalyze(const CommandContext& context);
Result<ExitCode> RunSimilarity(const CommandContext& context);
Result<ExitCode> RunAgreement(const CommandContext& context);
Result<ExitCode> RunCalibrate(const CommandContext& context);
Result<ExitCode> RunMachineStatus(const CommandContext& context);
Result<ExitCode> RunMachineDoctor(const CommandContext& context);
Result<ExitCode> RunMachineApply(const CommandContext& context);
Result<ExitCode> RunMachineRestore(const CommandContext& context);
Result<ExitCode> RunMachineReserve(const CommandContext& context);
Result<ExitCode> RunVersion(const CommandContext& context);

/// The word that `command` is about (CommandContext::word).
///
/// @errors (exit 2) it is missing, or there are others.
Result<std::string> ReadWord(const Command& command, const std::vector<std::string>& words);

/// `benchctl --help`: the commands.
std::string RenderHelp();

/// `benchctl GROUP --help`: the commands whose names begin with that word.
std::string RenderGroupHelp(std::string_view group);

/// `benchctl COMMAND --help`: usage and options by group, 80 columns wide.
std::string RenderHelp(const Command& command);

}  // namespace benchd::client
