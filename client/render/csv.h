#pragma once

#include <span>
#include <string>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

/// How a sample's metric is called in tables: NAME, or INNER/NAME.
std::string MetricName(const v1::Sample& sample);

/// The runs of a session as the contract's CSV: `arm,role,benchmark,pair,order,started_at,
/// METRIC...`.
///
/// One row a run in order of execution. `role` is what the session's spec says of the arm, so that
/// whoever reads the table need not guess what was compared with what. `pair` is the block, empty
/// for warm-ups, which stand there only if `runs` has them; runs of interrupted blocks are left
/// out. `order` counts the printed rows from 1. A metric is NAME or INNER/NAME, behind `metric:`
/// where a reader would take that for something else, in order of first appearance; a metric that a
/// run does not have is an empty cell. Values are the shortest that read back as the same double;
/// several samples of a metric in one run are their mean (harmonic where its report says that
/// higher is better), as the statistics take them. Fields are quoted as RFC 4180 says, and where
/// they begin or end with a blank; lines end in \n.
std::string RunsToCsv(std::span<const v1::Run> runs, const v1::Session& session);

}  // namespace benchd::client
