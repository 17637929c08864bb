#pragma once

#include <string>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "core/model/warning.h"

namespace benchd::client {

/// Of a suite, a line for each candidate and metric that gates in several benchmarks: "geometric
/// mean of wall_time: +1.2 % (+0.4 % … +2.0 %) over 5 benchmarks". Else empty.
std::string RenderGeometricMeans(const v1::Update& update, const Style& style);

/// The order of several candidates: "fastest: b, then a and c (no clear difference)"; of another
/// metric "lowest max_rss: ...". A line for each benchmark that has one, named in a suite.
std::string RenderArmOrder(const v1::Update& update);

/// The runs that took far longer than others, a line each, wrapped to the width, with what the
/// kernel counted more of than in other runs. Empty where there is none.
std::string RenderWorstRuns(const v1::Update& update, const Style& style);

/// On one line: the sentence and, where that does not say it, what to do about it.
std::string WarningText(const Warning& warning);

/// Which warnings a result has.
enum class WarningsShown {
  kToActOn,  ///< those that are more than a note, of each arm the worst of a kind
  kNotes,    ///< the others, of each arm one of a kind
  kAll,
};

/// What a reader of the verdict should know, a line each, wrapped to the width. Ends with a newline
/// unless empty.
std::string RenderWarnings(const v1::Update& update, WarningsShown shown, const Style& style);

}  // namespace benchd::client
