#include "core/model/warning.h"

#include <utility>

namespace benchd {

Warning MakeWarning(WarningCode code, std::string message, std::string benchmark, std::string arm) {
  const WarningKind& kind = code.kind();
  return {.code = std::string(kind.code),
          .message = std::move(message),
          .benchmark = std::move(benchmark),
          .arm = std::move(arm),
          .severity = kind.severity,
          .hint = std::string(kind.hint)};
}

void CompleteWarning(Warning& warning) {
  const WarningKind* const kind = FindWarningKind(warning.code);
  warning.severity = kind != nullptr ? kind->severity : Severity::kCaution;
  warning.hint = kind != nullptr ? kind->hint : std::string_view();
}

}  // namespace benchd
