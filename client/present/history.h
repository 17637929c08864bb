#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/present/text.h"
#include "client/present/units.h"
#include "core/analysis/history.h"
#include "google/protobuf/timestamp.pb.h"

namespace benchd::client {

/// Renders the output of `history`: one line per series, with its length, its last value and its
/// newest step.
std::string RenderHistoryList(std::span<const HistorySeries> history,
                              const google::protobuf::Timestamp& now, const Style& style);

/// Renders the output of `history BENCHMARK`: one line per entry, with change points and segment
/// boundaries between the entries, and the parameters of the change point search at the end.
std::string RenderHistory(std::span<const HistorySeries> history, const ChangePointSearch& search,
                          const google::protobuf::Timestamp& now, const Style& style);

// Texts about a history, shared by all its views.

/// Returns the benchmark of a series: "parse"; without a benchmark name, "main: COMMAND".
std::string SeriesName(const GateSummary& entry);
/// Returns the title of a series: "parse, new"; without a benchmark name, the command.
std::string SeriesTitle(const HistorySeries& series);
/// Returns the name of the measured program: that of its commit, else that of its arm.
std::string EntryName(const GateSummary& entry);
/// Formats the change of an entry: "+10.2 % (+9.8 … +10.6 %)"; of a measured arm, the interval of
/// its value: "100.9 … 101.6 ms". Omits unknown parts.
std::string EntryChange(const GateSummary& entry, const Style& style);
/// Returns the verdict of an entry; of a measured arm, "measured" or "undecided". If a control of
/// its session changed, "control changed".
std::string EntryVerdict(const GateSummary& entry);
/// Returns the format for all values of a series. It resolves a tenth of the usual margin.
ColumnFormat ValuesOf(const HistorySeries& series, const Style& style);
/// Formats the size of a step: "+10.0 %  100 → 110".
std::string StepSize(const HistoryStep& step, std::string_view unit, const Style& style);
/// Formats a step: "step: +10.0 %  100 → 110  (p = 0.003)".
std::string StepSentence(const HistoryStep& step, std::string_view unit, const Style& style);
/// Returns the step that begins at entry `index` of the segment, or null.
const HistoryStep* StepAt(const HistorySegment& segment, std::size_t index);
/// The newest step of a series and the entry that begins it.
struct NewestStep {
  const HistoryStep* step = nullptr;  ///< null without a step
  const GateSummary* entry = nullptr;
};
NewestStep NewestStepOf(const HistorySeries& series);
/// Returns the relative change of a step; absent if the values before it were 0.
std::optional<double> ChangeOf(const HistoryStep& step);
/// Describes the boundary between two segments: "machine changed: kernel 6.1.0 → 6.2.0".
std::string EdgeBetween(const GateSummary& before, const GateSummary& after, const Style& style);
/// Describes the search: "steps: E-divisive means, alpha 1 %, 999 permutations, seed 1".
std::string SearchSentence(const ChangePointSearch& search);

/// Renders the history as JSON lines: `summary` for each entry, with the number of its segment, and
/// `change_point` before the first entry after a step.
std::vector<std::string> HistoryJson(std::span<const HistorySeries> history,
                                     const ChangePointSearch& search,
                                     const google::protobuf::Timestamp& now);

}  // namespace benchd::client
