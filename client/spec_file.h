#pragma once

#include <string>
#include <string_view>

#include "client/spec_input.h"

namespace benchd::client {

/// Reads the TOML of `compare -f FILE`: [defaults], [[arm]], [[benchmark]].
///
/// Keys are the long names of the options with `_` for `-`; in [[benchmark]] those that a benchmark
/// may have for itself. `dir` of an arm is relative to the file. Pure.
///
/// @param name  how the file is called in messages: "suite.toml:12: ..."
/// @param directory  where the file lies, absolute
/// @errors (exit 2) no TOML, an unknown key or a value of the wrong type, each with its line.
Result<SpecInput> ParseSpecFile(std::string_view text, const std::string& name,
                                const std::string& directory);

/// The same from disk; "-" is stdin.
Result<SpecInput> ReadSpecFile(const std::string& path, const std::string& cwd);

}  // namespace benchd::client
