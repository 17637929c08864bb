#pragma once

#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
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

/// Whether folders and input files of a session are there now; what a build or setup command may
/// still make is left to the session.
///
/// @errors the first that is missing, or is a folder where a file has to be and the reverse.
Outcome<void> CheckPlaces(const v1::SessionSpec& spec);

}  // namespace benchd::client
