#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app/arguments.h"
#include "client/app/exit_code.h"
#include "client/link/daemon_link.h"

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

/// One command: its words for the parser and the help, and what it does.
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
};

/// What somebody wants to do, and the command line that does it.
struct Example {
  std::string_view purpose;
  std::string_view line;
};

/// What the help and the manual page of a command say besides its row in Commands(): prose, which
/// is long, while the rows are for programs to read.
struct CommandHelp {
  std::string_view command;
  std::string_view description;  ///< paragraphs, divided by newlines
  std::vector<Example> examples;
};

/// Of a command that is not hidden.
const CommandHelp& TextOf(const Command& command);

/// All commands, in the order of the help.
const std::vector<Command>& Commands();
const Command* FindCommand(std::string_view name);

/// The first word of a name of two ("machine"), empty for one.
std::string_view GroupOf(const Command& command);

/// The options of a command together with those of every command (json, socket, ...).
std::vector<OptionInfo> AllOptions(const Command& command);

// One file each.
Result<ExitCode> RunCompare(const CommandContext& context);
Result<ExitCode> RunSubmit(const CommandContext& context);
Result<ExitCode> RunBuildWorktrees(const CommandContext& context);
Result<ExitCode> RunDialStdio(const CommandContext& context);
/// compare --pool
Result<ExitCode> RunPool(const CommandContext& context);
Result<ExitCode> RunPoolTask(const CommandContext& context);
/// Whether cancel's word is the folder of a pool, whose jobs CancelPool() gives to scancel.
bool IsPool(const std::string& word);
Result<ExitCode> CancelPool(const CommandContext& context);
Result<ExitCode> RunWatch(const CommandContext& context);
Result<ExitCode> RunList(const CommandContext& context);
Result<ExitCode> RunShow(const CommandContext& context);
Result<ExitCode> RunHistory(const CommandContext& context);
Result<ExitCode> RunCancel(const CommandContext& context);
Result<ExitCode> RunMove(const CommandContext& context);
Result<ExitCode> RunPause(const CommandContext& context);
Result<ExitCode> RunResume(const CommandContext& context);
Result<ExitCode> RunDrain(const CommandContext& context);
Result<ExitCode> RunExport(const CommandContext& context);
Result<ExitCode> RunReport(const CommandContext& context);
Result<ExitCode> RunAnalyze(const CommandContext& context);
Result<ExitCode> RunSimilarity(const CommandContext& context);
Result<ExitCode> RunAgreement(const CommandContext& context);
Result<ExitCode> RunCombine(const CommandContext& context);
Result<ExitCode> RunCalibrate(const CommandContext& context);
Result<ExitCode> RunArmList(const CommandContext& context);
Result<ExitCode> RunArmRemove(const CommandContext& context);
Result<ExitCode> RunMachineStatus(const CommandContext& context);
Result<ExitCode> RunMachineDoctor(const CommandContext& context);
Result<ExitCode> RunMachineApply(const CommandContext& context);
Result<ExitCode> RunMachineRestore(const CommandContext& context);
Result<ExitCode> RunMachineReserve(const CommandContext& context);
Result<ExitCode> RunTop(const CommandContext& context);
Result<ExitCode> RunVersion(const CommandContext& context);
Result<ExitCode> RunHelp(const CommandContext& context);
Result<ExitCode> RunGenerateManual(const CommandContext& context);
Result<ExitCode> RunGenerateCompletions(const CommandContext& context);

/// The word that `command` is about (CommandContext::word).
///
/// @errors (exit 2) it is missing, or there are others.
Result<std::string> ReadWord(const Command& command, const std::vector<std::string>& words);

/// `benchctl` alone: how to go on.
std::string RenderUsage();

/// `benchctl --help`: the commands.
std::string RenderHelp();

/// `benchctl GROUP --help`: the commands whose names begin with that word.
std::string RenderGroupHelp(std::string_view group);

/// `benchctl COMMAND --help`: usage, description, examples and options by group, 80 columns wide.
std::string RenderHelp(const Command& command);

/// Options by their headings, in the order in which those come first.
using OptionGroups = std::vector<std::pair<std::string_view, std::vector<OptionInfo>>>;
OptionGroups ByGroup(const std::vector<OptionInfo>& options);

/// What the exit codes say, in ascending order.
struct ExitCodeText {
  int code;
  std::string_view text;
};
std::span<const ExitCodeText> ExitCodeTexts();

/// benchctl from its words (without the program's name) to its exit code. Errors become `error:`
/// and `hint:` lines on stderr.
ExitCode RunBenchctl(const std::vector<std::string>& words);

/// "error: ..." and, where there is something to do, "hint: ..." on stderr: for a command that goes
/// on after it. What a command returns is printed by RunBenchctl.
void PrintError(const Error& error);

/// The same for output that could not be written: that outweighs what the command has to say.
ExitCode OutputFailed(const Error& error);

/// Whether the words of a command line ask for git bisect's exit codes.
///
/// Looked for before anything is parsed: for git every code from 1 to 127 but 125 marks a commit
/// bad, and a word that is spelled wrong is no commit's fault.
bool AsksForBisect(std::span<const std::string> words);

/// An exit code as `git bisect run` understands it: pass and regression stay, what says nothing
/// about the commit skips it (125), everything else stops the search (128).
ExitCode ForBisect(ExitCode code);

}  // namespace benchd::client
