#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/warning.h"

namespace benchd {

/// A warning as EXPECT_WORDING() compares it: its code, message and hint.
inline std::string WarningText(const Warning& warning) {
  std::string text = warning.code + ": " + warning.message;
  if (!warning.hint.empty()) text += "\n  hint: " + warning.hint;
  return text;
}

/// The first warning with that code; empty if there is none.
inline std::string WarningText(const std::vector<Warning>& warnings, std::string_view code) {
  for (const Warning& warning : warnings) {
    if (warning.code == code) return WarningText(warning);
  }
  return "";
}

}  // namespace benchd
