#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

/// benchctl from its words (without the program's name) to its exit code. Errors become `error:`
/// and `hint:` lines on stderr.
ExitCode RunBenchctl(const std::vector<std::string>& words);

/// Prints the help of the command or group that the words name, of benchctl without any.
///
/// @errors (exit 2) there is none, or words are left.
Result<ExitCode> PrintHelpOf(std::span<const std::string> words);

/// Whether the words of a command line ask for git bisect's exit codes.
///
/// Looked for before anything is parsed: for git every code from 1 to 127 but 125 marks a commit
/// bad, and a word that is spelled wrong is no commit's fault.
bool AsksForBisect(std::span<const std::string> words);

/// An exit code as `git bisect run` understands it: pass and regression stay, what says nothing
/// about the commit skips it (125), everything else stops the search (128).
ExitCode ForBisect(ExitCode code);

}  // namespace benchd::client
