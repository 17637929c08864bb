#pragma once

#include <string>

#include "tests/bench/validity/simulate.h"

namespace benchd::validity {

enum class Format { kText, kMarkdown };

/// All tables of a run as one text: shares in per cent with their Monte-Carlo standard error.
std::string Report(const Results& results, const Options& options, Format format);

}  // namespace benchd::validity
