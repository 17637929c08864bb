#pragma once

#include <string_view>

#include "client/app/command.h"

namespace benchd::client {

// The commands. Each is defined in a file named after it or its group.

Command CompareCommand();
Command SubmitCommand();
Command WatchCommand();
Command ListCommand();
Command ShowCommand();
Command HistoryCommand();
Command CancelCommand();
Command MoveCommand();
Command PauseCommand();
Command ResumeCommand();
Command DrainCommand();
Command ExportCommand();
Command ReportCommand();
Command AnalyzeCommand();
Command ParseCommand();
Command SimilarityCommand();
Command AgreementCommand();
Command CombineCommand();
Command CalibrateCommand();
Command ArmListCommand();
Command ArmRemoveCommand();
Command MachineStatusCommand();
Command MachineDoctorCommand();
Command MachineApplyCommand();
Command MachineRestoreCommand();
Command MachineReserveCommand();
Command TopCommand();
Command BuildWorktreesCommand();
Command DialStdioCommand();
Command PoolTaskCommand();
Command VersionCommand();
Command HelpCommand();
Command GenerateManCommand();
Command GenerateCompletionsCommand();

/// The definition of admins, for the help of commands that only they may use.
inline constexpr std::string_view kAdmins =
    "Admins are root and the members of the group that the daemon's configuration names "
    "(benchd-admin by default).";

}  // namespace benchd::client
