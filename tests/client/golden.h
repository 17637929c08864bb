#pragma once

#include <string>

namespace benchd::client {

/// Compares `text` with tests/golden/client/NAME. BENCHD_UPDATE_GOLDEN=1 writes the file instead:
/// look at the difference before keeping it.
void ExpectGolden(const std::string& name, const std::string& text);

}  // namespace benchd::client
