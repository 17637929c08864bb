#pragma once

#include <string_view>
#include <vector>

#include "client/app/arguments.h"

namespace benchd::client {

/// The heading in the help of what a command alone takes.
inline constexpr std::string_view kThisCommand = "This command";
/// Those of what several commands take.
inline constexpr std::string_view kResult = "Result";
inline constexpr std::string_view kExports = "Exports";

/// Of what prints times.
inline constexpr OptionInfo kTimeUnit{"time-unit", 0, "ns|us|ms|s",
                                      "one unit for all times (default what fits each)", kResult};

// The options of the commands that have many, without those of every command; the fuzzers parse
// with them.
std::vector<OptionInfo> CompareOptions(bool with_detach);
std::vector<OptionInfo> WorktreeOptions();
std::vector<OptionInfo> AnalyzeOptions();
std::vector<OptionInfo> SimilarityOptions();
std::vector<OptionInfo> CalibrateOptions();

// What several commands take.

/// Of every command that prints a result.
std::vector<OptionInfo> ResultOptions();

/// Written when the session has ended, beside what is printed.
///
/// @param of_session  what a session measured; else what was read from files
std::vector<OptionInfo> ExportOptions(bool of_session);

}  // namespace benchd::client
