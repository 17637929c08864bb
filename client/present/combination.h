#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "client/present/text.h"
#include "core/analysis/machine_combination.h"

namespace benchd::client {

/// What machines found together, with as many warnings as there are: a table of the machines for
/// each gate, how far they differ and where one more would lie, the warnings, the verdict in a
/// sentence. Ends with a newline.
///
/// @param expected  how many machines there should be
std::string RenderCombination(const MachineCombination& combination,
                              std::optional<std::size_t> expected, const Style& style);

// The parts of that.

/// Comparisons as messages, which is what everything that draws or tells one takes.
v1::Update AsUpdate(const std::vector<Comparison>& comparisons);
/// The gates over all machines.
v1::Update GatesOfAll(const MachineCombination& combination);
/// "between machines: τ 0.4 %, τ² 1.6e-05; one more machine would find +0.1 … +2.5 % (99 %)", as
/// far as it is known.
std::string SpreadSentence(const CombinedGate& gate, const Style& style);
/// The verdict of each gate, or one sentence why there is none.
std::vector<std::string> CombinationVerdicts(const MachineCombination& combination,
                                             std::optional<std::size_t> expected,
                                             const Style& style);

/// event "combined", without a newline.
std::string CombinationJson(const MachineCombination& combination,
                            const google::protobuf::Timestamp& now);

}  // namespace benchd::client
