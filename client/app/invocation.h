#pragma once

#include <string>

#include "client/app/arguments.h"

namespace benchd::client {

/// The arguments of `benchctl compare` that request the same session again, quoted for a shell. A
/// suite needs them, because the session does not record its file otherwise. Pure.
///
/// Leaves out --seed, because the session records its own, and the options of this call only, such
/// as its output and its daemon. Values of --env may be secrets, so they become references to the
/// environment in which the command is repeated: `--env TOKEN="$TOKEN"`.
///
/// Empty if the text is too long for a message or is not a single line.
std::string InvocationOf(const ParsedArguments& arguments);

}  // namespace benchd::client
