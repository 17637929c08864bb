#pragma once

#include <span>
#include <string>
#include <vector>

#include "client/render/text.h"
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

/// The same as JSON lines: `summary` for each entry, with the number of its segment, and
/// `change_point` before the entry with which it begins.
std::vector<std::string> HistoryJson(std::span<const HistorySeries> history,
                                     const ChangePointSearch& search,
                                     const google::protobuf::Timestamp& now);

}  // namespace benchd::client
