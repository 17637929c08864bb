#pragma once

#include <optional>
#include <string>

#include "core/model/session_spec.h"

namespace benchd {

/// "0.25": a number with so many decimals.
std::string Decimals(double value, int decimals);

/// "18.3 % above" for a mean that lies `shift` above `rest`; without a unit's name where there is
/// no share of it: "0.25 below", for a `rest` of 0.
std::string AwayFrom(double shift, double rest);

/// "-1.23 % to +4.5 %", or with a unit; an end that is infinite or absent is "?".
std::string IntervalText(std::optional<double> lo, std::optional<double> hi, MarginKind kind,
                         const std::string& unit);

}  // namespace benchd
