#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// How far raters agree beyond chance: 1 in everything, 0 as dice would, below 0 less than that.
///
/// By convention 1 where all raters always chose one and the same category (0/0 by the formula).
///
/// @param table  [subject][category]: how many raters put that subject there; each row adds up to
///               the same number of raters, two at least.
/// @errors kInvalidArgument, rows counted from 1: no subject, fewer than two raters, a row that
/// adds
///         up to another number or has another number of categories than the first.
/// Source: J. L. Fleiss, Psychological Bulletin 76 (1971) 378-382.
Result<double> FleissKappa(std::span<const std::vector<std::uint32_t>> table);

/// The word for a kappa: low (below 0), slight (to 0.2), fair (0.4), moderate (0.6), substantial
/// (0.8), almost perfect.
///
/// Source: the paper's words (Bauer et al., ICPE '23 Companion) for the bands of J. R. Landis, G.
/// G. Koch, Biometrics 33 (1977) 159-174; from 0 to 0.01, which the paper leaves out, as there.
std::string_view KappaBand(double kappa);

}  // namespace benchd
