#pragma once

#include <cstdint>
#include <string>

#include "tests/bench/validity/simulate.h"

namespace benchd::validity {

enum class Format { kText, kMarkdown };

/// "2.98 ±0.12": `count` of `repetitions` in per cent with its Monte-Carlo standard error.
std::string Share(std::uint64_t count, std::uint64_t repetitions);

/// All tables of a run as one text: shares in per cent with their Monte-Carlo standard error.
std::string Report(const Results& results, const Options& options, Format format);

}  // namespace benchd::validity
