#pragma once

#include <string_view>
#include <vector>

#include "client/app/arguments.h"

namespace benchd::client {

/// Heading in the help for options that only one command has.
inline constexpr std::string_view kThisCommand = "Command options";
/// Headings for options that several commands share.
inline constexpr std::string_view kResult = "Result";
inline constexpr std::string_view kExports = "Exports";

/// The option --time-unit, for commands that print times.
inline constexpr OptionInfo kTimeUnit{
    "time-unit", 0, "ns|us|ms|s", "unit of all times (default: chosen for each value)", kResult};

// The options of commands with many options, without those of EveryOption(). The fuzzers also use
// them.
std::vector<OptionInfo> CompareOptions(bool with_detach);
std::vector<OptionInfo> MeasureOptions();
std::vector<OptionInfo> WorktreeOptions();
std::vector<OptionInfo> AnalyzeOptions();
std::vector<OptionInfo> SimilarityOptions();
std::vector<OptionInfo> CalibrateOptions();

// Options that several commands share.

/// Returns the options of every command that prints a result.
std::vector<OptionInfo> ResultOptions();

/// Returns the options for files that are written in addition to the printed result.
///
/// @param of_session  true to export a session, false to export an analysis of files
std::vector<OptionInfo> ExportOptions(bool of_session);

}  // namespace benchd::client
