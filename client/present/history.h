#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/present/text.h"
#include "client/present/units.h"
#include "core/analysis/history.h"
#include "google/protobuf/timestamp.pb.h"

namespace benchd::client {

/// `history`: a line for each series: how long it is, where it stands, its newest step.
std::string RenderHistoryList(std::span<const HistorySeries> history,
                              const google::protobuf::Timestamp& now, const Style& style);

/// `history BENCHMARK`: a line for each entry, change points and the edges of segments between
/// them, and under each series how change points were searched for.
std::string RenderHistory(std::span<const HistorySeries> history, const ChangePointSearch& search,
                          const google::protobuf::Timestamp& now, const Style& style);

// What is said of a history, wherever it is shown.

/// "parse"; where a benchmark says nothing, "main: COMMAND".
std::string SeriesName(const GateSummary& entry);
/// "parse, new"; where a benchmark says nothing, the command.
std::string SeriesTitle(const HistorySeries& series);
/// What was measured: the commit as it is called, else the arm.
std::string EntryName(const GateSummary& entry);
/// "+10.2 % (+9.8 … +10.6 %)", as far as it is known.
std::string EntryChange(const GateSummary& entry, const Style& style);
/// All values of a series in one scale, fine enough for a tenth of the usual margin.
ColumnFormat ValuesOf(const HistorySeries& series, const Style& style);
/// "+10.0 %  100 → 110".
std::string StepSize(const HistoryStep& step, std::string_view unit, const Style& style);
/// "step: +10.0 %  100 → 110  (p = 0.003)".
std::string StepSentence(const HistoryStep& step, std::string_view unit, const Style& style);
/// The step that begins with that entry of the segment, or nothing.
const HistoryStep* StepAt(const HistorySegment& segment, std::size_t index);
/// "machine changed: kernel 6.1.0 → 6.2.0".
std::string EdgeBetween(const GateSummary& before, const GateSummary& after, const Style& style);
/// "steps: E-divisive means, alpha 1 %, 999 permutations, seed 1".
std::string SearchSentence(const ChangePointSearch& search);

/// The same as JSON lines: `summary` for each entry, with the number of its segment, and
/// `change_point` before the entry with which it begins.
std::vector<std::string> HistoryJson(std::span<const HistorySeries> history,
                                     const ChangePointSearch& search,
                                     const google::protobuf::Timestamp& now);

}  // namespace benchd::client
