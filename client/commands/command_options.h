#pragma once

#include <string_view>
#include <vector>

#include "client/app/arguments.h"

namespace benchd::client {

/// The heading in the help of what a command alone takes.
inline constexpr std::string_view kThisCommand = "This command";

// The options of the commands that have many, without those of every command.
std::vector<OptionInfo> CompareOptions(bool with_detach);
/// @param of_session  what a session measured; else what was read from files
std::vector<OptionInfo> ExportOptions(bool of_session);
std::vector<OptionInfo> WorktreeOptions();
std::vector<OptionInfo> AnalyzeOptions();
std::vector<OptionInfo> ReportOptionInfos();
std::vector<OptionInfo> SimilarityOptions();
std::vector<OptionInfo> CalibrateOptions();
std::vector<OptionInfo> HistoryOptions();

std::vector<OptionInfo> WatchOptions();
std::vector<OptionInfo> ShowOptions();

}  // namespace benchd::client
