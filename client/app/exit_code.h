#pragma once

#include <string>
#include <utility>

#include "core/base/result.h"

namespace benchd::client {

/// The exit codes of benchctl. Scripts rely on the numbers.
enum class ExitCode : int {
  kPass = 0,          ///< also: the command succeeded
  kRegression = 1,    ///< at least one gate is a regression
  kUsage = 2,         ///< usage error or invalid request
  kUndecided = 3,     ///< the session ended before every gate was decided
  kFailed = 4,        ///< the session failed
  kRefused = 5,       ///< daemon unavailable, or request refused
  kCancelled = 6,     ///< the session was cancelled
  kOutput = 74,       ///< output or an export could not be written (EX_IOERR)
  kBisectSkip = 125,  ///< --bisect: no verdict on this commit; skip it
  kBisectStop = 128,  ///< --bisect: stop the search
  kInterrupted = 130  ///< SIGINT or SIGTERM ended benchctl
};

/// Returns the exit code for an error: 2 if the request was wrong, 5 if the daemon, the connection
/// or the machine refused it.
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

/// Returns an error about the command line or an input file (exit 2).
inline Error UsageError(std::string message, std::string hint = "") {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(hint)};
}

/// Returns an error about a daemon that is not running or cannot be used (exit 5).
inline Error ConnectionError(std::string message, std::string hint = "") {
  return {ErrorCode::kUnavailable, std::move(message), std::move(hint)};
}

}  // namespace benchd::client
