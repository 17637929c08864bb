#pragma once

#include <string>

namespace benchd {

/// "0.25": a number with so many decimals.
std::string Decimals(double value, int decimals);

/// "18.3 % above" for a mean that lies `shift` above `rest`; without a unit's name where there is
/// no share of it: "0.25 below", for a `rest` of 0.
std::string AwayFrom(double shift, double rest);

}  // namespace benchd
