#pragma once

#include <string>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// How often the intervals of `combine` and of `--layouts` miss the truth, compared with methods
/// that ignore the units: machines combined by a fixed effect, and one build of each arm.
///
/// For each share also the probability that a method with exactly the stated error would reach it
/// (exact binomial): below a thousandth it is not chance.
std::string ReplicationReport(const Options& options, Format format);

}  // namespace benchd::validity
