#pragma once

#include <string>
#include <vector>

#include "client/outcome.h"
#include "client/spec_input.h"

namespace benchd::client {

/// What the children inherit from whoever calls benchctl, and what had to be left out.
struct CapturedContext {
  CallerContext context;
  std::vector<std::string> skipped;  ///< names of variables that are not UTF-8
};

/// `entries` are "NAME=VALUE" as in environ; of a name that is there twice the first counts, as for
/// getenv.
CapturedContext CaptureEnvironment(const char* const* entries);

/// The process' environment and working directory. Call before anything changes the environment.
///
/// @errors the working directory is gone or has a name that is not UTF-8.
Outcome<CapturedContext> CaptureCaller();

}  // namespace benchd::client
