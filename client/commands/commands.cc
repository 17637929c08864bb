#include "client/commands/commands.h"

namespace benchd::client {

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {CompareCommand(),
                                                SubmitCommand(),
                                                WatchCommand(),
                                                ListCommand(),
                                                ShowCommand(),
                                                HistoryCommand(),
                                                CancelCommand(),
                                                MoveCommand(),
                                                PauseCommand(),
                                                ResumeCommand(),
                                                DrainCommand(),
                                                ExportCommand(),
                                                ReportCommand(),
                                                AnalyzeCommand(),
                                                ParseCommand(),
                                                SimilarityCommand(),
                                                AgreementCommand(),
                                                CombineCommand(),
                                                CalibrateCommand(),
                                                ArmListCommand(),
                                                ArmRemoveCommand(),
                                                MachineStatusCommand(),
                                                MachineDoctorCommand(),
                                                MachineApplyCommand(),
                                                MachineRestoreCommand(),
                                                MachineReserveCommand(),
                                                TopCommand(),
                                                BuildWorktreesCommand(),
                                                DialStdioCommand(),
                                                PoolTaskCommand(),
                                                VersionCommand(),
                                                HelpCommand(),
                                                GenerateManCommand(),
                                                GenerateCompletionsCommand()};
  return commands;
}

}  // namespace benchd::client
