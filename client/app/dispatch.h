#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/app/exit_code.h"

namespace benchd::client {

/// Runs benchctl with these words (without the program name) and returns its exit code. Errors
/// are printed as `error:` and `hint:` lines on stderr.
ExitCode RunBenchctl(const std::vector<std::string>& words);

/// Prints the help of the command or group that the words name, or of benchctl without words.
///
/// @errors (exit 2) there is no such command, or words are left over.
Result<ExitCode> PrintHelpOf(std::span<const std::string> words);

/// Returns whether the command line requests the exit codes for `git bisect run`.
///
/// This is checked before parsing: git reads every code from 1 to 127 except 125 as "bad", and a
/// misspelled option does not make a commit bad.
bool AsksForBisect(std::span<const std::string> words);

/// Translates an exit code for `git bisect run`: pass and regression are kept, undecided and failed
/// sessions skip the commit (125), and everything else stops the search (128).
ExitCode ForBisect(ExitCode code);

}  // namespace benchd::client
