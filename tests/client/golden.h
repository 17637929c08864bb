#pragma once

#include <string>

namespace benchd::client {

/// Compares `text` with tests/golden/client/NAME. BENCHD_UPDATE_GOLDEN=1 writes the file instead;
/// review the difference before you commit it.
void ExpectGolden(const std::string& name, const std::string& text);

}  // namespace benchd::client
