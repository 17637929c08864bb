#pragma once

#include <string>

#include "client/app/arguments.h"

namespace benchd::client {

/// The words behind `benchctl compare` that ask for the same session, quoted for a shell: what a
/// suite is repeated with, whose file the session does not know otherwise. Pure.
///
/// --seed is left out, because the session has its own, and so is what concerns only this call: its
/// output, its daemon. Values of --env may be secrets: they are taken from the environment of the
/// one who repeats it, `--env TOKEN="$TOKEN"`.
///
/// Empty where that is more than a message should carry, or not one line.
std::string InvocationOf(const ParsedArguments& arguments);

}  // namespace benchd::client
