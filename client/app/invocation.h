#pragma once

#include <string>

#include "client/app/arguments.h"

namespace benchd::client {

/// Returns an option with its value, quoted for a shell: `--margin 5%`, `--shell=bash`. Values of
/// --env may be secrets, so they become references: `--env TOKEN="$TOKEN"`. Pure.
std::string OptionWords(const OptionInfo& option, const GivenOption& given);

/// Returns the arguments of `benchctl compare` that request the same session again, quoted for a
/// shell. They are needed to repeat a suite, because the session does not otherwise record the
/// suite's file. Pure.
///
/// Omits --seed, which the session records itself, and options that concern only this call, such as
/// the output and the daemon. Values of --env may be secrets, so they become references to the
/// environment in which the command is repeated: `--env TOKEN="$TOKEN"`.
///
/// Returns an empty string if the text is too long for a message or is not a single line.
///
/// @param commits  the commits of --git as BASE..CANDIDATE, because the names that were typed, such
///                 as HEAD, change; empty: the arms are not commits
std::string InvocationOf(const ParsedArguments& arguments, const std::string& commits = "");

}  // namespace benchd::client
