#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "core/analysis/machine_combination.h"

namespace benchd::client {

/// The combined result of several machines: for each gate a table of the machines, how far they
/// differ and the prediction for one more, then the warnings and the verdict as a sentence. Ends
/// with a newline.
///
/// @param expected  the number of machines expected
std::string RenderCombination(const MachineCombination& combination,
                              std::optional<std::size_t> expected, const Style& style);

// The parts of RenderCombination().

/// Comparisons as the message that all rendering functions take.
v1::Update AsUpdate(const std::vector<Comparison>& comparisons);
/// The gates over all machines.
v1::Update GatesOfAll(const MachineCombination& combination);
/// "between machines: τ 0.4 %, τ² 1.6e-05; one more machine would find +0.1 … +2.5 % (99 %)".
/// Unknown parts are omitted.
std::string SpreadSentence(const CombinedGate& gate, const Style& style);
/// The verdict of each gate, or one sentence that explains why there is none.
std::vector<std::string> CombinationVerdicts(const MachineCombination& combination,
                                             std::optional<std::size_t> expected,
                                             const Style& style);

/// event "combined", without a newline.
std::string CombinationJson(const MachineCombination& combination,
                            const google::protobuf::Timestamp& now);

}  // namespace benchd::client
