#pragma once

#include <string_view>
#include <vector>

#include "client/app/arguments.h"

namespace benchd::client {

/// Heading in the help for options that only one command has.
inline constexpr std::string_view kThisCommand = "This command";
/// Headings for options that several commands share.
inline constexpr std::string_view kResult = "Result";
inline constexpr std::string_view kExports = "Exports";

/// For commands that print times.
inline constexpr OptionInfo kTimeUnit{"time-unit", 0, "ns|us|ms|s",
                                      "unit of all times (default chosen for each value)", kResult};

// The options of the commands that have many, without those of EveryOption(). The fuzzers parse
// with them, too.
std::vector<OptionInfo> CompareOptions(bool with_detach);
std::vector<OptionInfo> WorktreeOptions();
std::vector<OptionInfo> AnalyzeOptions();
std::vector<OptionInfo> SimilarityOptions();
std::vector<OptionInfo> CalibrateOptions();

// Options that several commands share.

/// For every command that prints a result.
std::vector<OptionInfo> ResultOptions();

/// Files that are written after the session, in addition to the printed result.
///
/// @param of_session  whether a session is exported, not an analysis of files
std::vector<OptionInfo> ExportOptions(bool of_session);

}  // namespace benchd::client
