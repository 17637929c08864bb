#pragma once

#include <string>

#include "client/app/arguments.h"

namespace benchd::client {

/// Returns the arguments of `benchctl compare` that request the same session again, quoted for a
/// shell. They are needed to repeat a suite, because the session does not otherwise record the
/// suite's file. Pure.
///
/// Omits --seed, which the session records itself, and options that concern only this call, such as
/// the output and the daemon. Values of --env may be secrets, so they become references to the
/// environment in which the command is repeated: `--env TOKEN="$TOKEN"`.
///
/// Returns an empty string if the text is too long for a message or is not a single line.
std::string InvocationOf(const ParsedArguments& arguments);

}  // namespace benchd::client
