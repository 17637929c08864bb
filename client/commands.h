#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/arguments.h"
#include "client/daemon_link.h"
#include "client/outcome.h"

namespace benchd::client {

/// What a command gets: its parsed words and how to reach the daemon.
struct CommandContext {
  ParsedArguments arguments;
  LinkOptions link;
  bool json = false;
};

/// One command: its words for the parser and the help, and what it does.
///
/// `run` prints results itself; an error that it returns is printed by main.
struct Command {
  std::string_view name;     ///< one word, or two: "machine status"
  std::string_view usage;    ///< after "benchctl NAME"
  std::string_view summary;  ///< one line for the list of commands
  std::vector<OptionInfo> options;
  Outcome<ExitCode> (*run)(const CommandContext& context);
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
Outcome<ExitCode> RunCompare(const CommandContext& context);
Outcome<ExitCode> RunSubmit(const CommandContext& context);
Outcome<ExitCode> RunBuildWorktrees(const CommandContext& context);
Outcome<ExitCode> RunWatch(const CommandContext& context);
Outcome<ExitCode> RunList(const CommandContext& context);
Outcome<ExitCode> RunShow(const CommandContext& context);
Outcome<ExitCode> RunCancel(const CommandContext& context);
Outcome<ExitCode> RunMove(const CommandContext& context);
Outcome<ExitCode> RunPause(const CommandContext& context);
Outcome<ExitCode> RunResume(const CommandContext& context);
Outcome<ExitCode> RunDrain(const CommandContext& context);
Outcome<ExitCode> RunExport(const CommandContext& context);
Outcome<ExitCode> RunAnalyze(const CommandContext& context);
Outcome<ExitCode> RunSimilarity(const CommandContext& context);
Outcome<ExitCode> RunAgreement(const CommandContext& context);
Outcome<ExitCode> RunCalibrate(const CommandContext& context);
Outcome<ExitCode> RunMachineStatus(const CommandContext& context);
Outcome<ExitCode> RunMachineDoctor(const CommandContext& context);
Outcome<ExitCode> RunMachineApply(const CommandContext& context);
Outcome<ExitCode> RunMachineRestore(const CommandContext& context);
Outcome<ExitCode> RunMachineReserve(const CommandContext& context);
Outcome<ExitCode> RunVersion(const CommandContext& context);

/// The one session that a command is about.
///
/// @errors none or several IDs.
Outcome<std::string> OneSession(const CommandContext& context, std::string_view command);

/// Errors if there are words that are neither options nor wanted.
Outcome<void> NoWords(const CommandContext& context, std::string_view command);

}  // namespace benchd::client
