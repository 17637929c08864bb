#pragma once

#include <string>

#include "tests/bench/validity/report.h"

namespace benchd::validity {

/// How often the intervals of `combine` and of `--layouts` leave the truth out, beside what takes
/// their units for nothing: machines combined by a fixed effect, and one build of each arm.
///
/// Of each share also the probability that a method with exactly the stated error would come as
/// high (exact binomial): below a thousandth it is no chance.
std::string ReplicationReport(const Options& options, Format format);

}  // namespace benchd::validity
