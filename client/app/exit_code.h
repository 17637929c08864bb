#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace benchd::client {

/// What benchctl's exit code says; scripts rely on the numbers.
enum class ExitCode : int {
  kPass = 0,          ///< also: the command did what it was asked
  kRegression = 1,    ///< at least one gate is a regression
  kUsage = 2,         ///< wrong usage or an invalid request
  kUndecided = 3,     ///< the session ended before every gate was decided
  kFailed = 4,        ///< the session failed
  kRefused = 5,       ///< no daemon, or it refused
  kCancelled = 6,     ///< somebody cancelled the session
  kOutput = 74,       ///< what it printed or exported could not be written (EX_IOERR)
  kBisectSkip = 125,  ///< --bisect: this commit says nothing
  kBisectStop = 128,  ///< --bisect: stop, without a word on this commit
  kInterrupted = 130  ///< SIGINT or SIGTERM ended benchctl
};

/// The contract's exit code for why a command ended early: 2 for what was asked wrongly, 5 for
/// everything that the daemon, the connection or the machine refused.
inline ExitCode ExitFor(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kUnimplemented:
      return ExitCode::kUsage;
    default:
      return ExitCode::kRefused;
  }
}

/// A wrong use of the command line or a file of the user's (exit 2).
inline Error UsageError(std::string message, std::string hint = "") {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(hint)};
}

/// No daemon, or one that cannot be used (exit 5).
inline Error ConnectionError(std::string message, std::string hint = "") {
  return {ErrorCode::kUnavailable, std::move(message), std::move(hint)};
}

}  // namespace benchd::client
