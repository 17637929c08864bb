#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "core/analysis/machine_combination.h"

namespace benchd::client {

/// Renders the combined result of several machines: for each gate a table of the machines, the
/// spread between them and the prediction for one more machine, then the warnings and the verdict
/// as a sentence. Ends with a newline.
///
/// @param expected  the expected number of machines, if known
std::string RenderCombination(const MachineCombination& combination,
                              std::optional<std::size_t> expected, const Style& style);

// Functions for the parts of RenderCombination().

/// Converts comparisons to the message that all rendering functions take.
v1::Update AsUpdate(const std::vector<Comparison>& comparisons);
/// Returns the gates over all machines, in the same form.
v1::Update GatesOfAll(const MachineCombination& combination);
/// Formats the spread and the prediction: "between machines: τ 0.4 %, τ² 1.6e-05; one more machine
/// would find +0.1 … +2.5 % (99 %)". Omits unknown parts.
std::string SpreadSentence(const CombinedGate& gate, const Style& style);
/// Returns the verdict of each gate, or one sentence that explains why there is no verdict.
std::vector<std::string> CombinationVerdicts(const MachineCombination& combination,
                                             std::optional<std::size_t> expected,
                                             const Style& style);

/// Renders the event "combined" as one JSON line, without the newline.
std::string CombinationJson(const MachineCombination& combination,
                            const google::protobuf::Timestamp& now);

}  // namespace benchd::client
