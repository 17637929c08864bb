#pragma once

#include <string_view>

#include "core/base/result.h"
#include "daemon/ports/ports.h"
#include "daemon/wire/messages.h"

namespace benchd {

/// Turns what the runner measured into samples: the built-in metrics in their order and units
/// (model/metric.h: seconds, bytes, counts), of the optional ones those there are, then those that
/// benchd-helper parsed. Counters that took turns are scaled up to the whole time. Pure.
///
/// What the helper wrote is not trusted: it ran with the caller's ids. A child that failed keeps
/// its figures even if its output cannot be parsed: its exit says more.
///
/// @param format  harness format of the child, empty = none: `figures.parsed` is then ignored.
/// @errors kInvalidArgument "parse: line 3: ..." as the parser said it, or "parse: 'wall_time' is a
///         metric that benchd measures itself"; kFailedPrecondition "metric instructions: not
///         available here: ..." when it was asked for; kInternal when the helper's bytes make no
///         sense.
Result<RunOutcome> MakeRunOutcome(wire::RunFigures figures, std::string_view format);

}  // namespace benchd
