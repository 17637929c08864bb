#pragma once

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
  kBisectSkip = 125,  ///< --bisect: this commit says nothing
  kBisectStop = 128,  ///< --bisect: stop, without a word on this commit
  kInterrupted = 130  ///< SIGINT or SIGTERM ended benchctl
};

}  // namespace benchd::client
