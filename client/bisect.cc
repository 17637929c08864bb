#include "client/bisect.h"

namespace benchd::client {

bool AsksForBisect(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--bisect") return true;
  }
  return false;
}

ExitCode ForBisect(ExitCode code) {
  switch (code) {
    case ExitCode::kPass:
    case ExitCode::kRegression:
      return code;
    case ExitCode::kUndecided:
    case ExitCode::kFailed:
    case ExitCode::kBisectSkip:
      return ExitCode::kBisectSkip;
    case ExitCode::kUsage:
    case ExitCode::kRefused:
    case ExitCode::kCancelled:
    case ExitCode::kInterrupted:
    case ExitCode::kBisectStop:
      break;
  }
  return ExitCode::kBisectStop;
}

}  // namespace benchd::client
