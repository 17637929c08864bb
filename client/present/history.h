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

/// `history`: one line for each series, with its length, its last value and its newest step.
std::string RenderHistoryList(std::span<const HistorySeries> history,
                              const google::protobuf::Timestamp& now, const Style& style);

/// `history BENCHMARK`: one line for each entry, with change points and segment boundaries between
/// them, and below each series the parameters of the change point search.
std::string RenderHistory(std::span<const HistorySeries> history, const ChangePointSearch& search,
                          const google::protobuf::Timestamp& now, const Style& style);

// Texts about a history, shared by all its views.

/// "parse"; without a benchmark name, "main: COMMAND".
std::string SeriesName(const GateSummary& entry);
/// "parse, new"; without a benchmark name, the command.
std::string SeriesTitle(const HistorySeries& series);
/// The measured program: its commit's name, else its arm.
std::string EntryName(const GateSummary& entry);
/// "+10.2 % (+9.8 … +10.6 %)". Unknown parts are omitted.
std::string EntryChange(const GateSummary& entry, const Style& style);
/// One format for all values of a series, with a resolution of a tenth of the usual margin.
ColumnFormat ValuesOf(const HistorySeries& series, const Style& style);
/// "+10.0 %  100 → 110".
std::string StepSize(const HistoryStep& step, std::string_view unit, const Style& style);
/// "step: +10.0 %  100 → 110  (p = 0.003)".
std::string StepSentence(const HistoryStep& step, std::string_view unit, const Style& style);
/// The step that begins at entry `index` of the segment, or null.
const HistoryStep* StepAt(const HistorySegment& segment, std::size_t index);
/// "machine changed: kernel 6.1.0 → 6.2.0".
std::string EdgeBetween(const GateSummary& before, const GateSummary& after, const Style& style);
/// "steps: E-divisive means, alpha 1 %, 999 permutations, seed 1".
std::string SearchSentence(const ChangePointSearch& search);

/// The same as JSON lines: `summary` for each entry, with the number of its segment, and
/// `change_point` before the entry at which it begins.
std::vector<std::string> HistoryJson(std::span<const HistorySeries> history,
                                     const ChangePointSearch& search,
                                     const google::protobuf::Timestamp& now);

}  // namespace benchd::client
