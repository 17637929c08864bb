#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/render/text.h"
#include "core/analysis/machine_combination.h"

namespace benchd::client {

/// What machines found together, with as many warnings as there are: a table of the machines for
/// each gate, how far they differ and where one more would lie, the warnings, the verdict in a
/// sentence. Ends with a newline.
///
/// @param expected  how many machines there should be
std::string RenderCombination(const MachineCombination& combination,
                              std::optional<std::size_t> expected, const Style& style);

/// event "combined", without a newline.
std::string CombinationJson(const MachineCombination& combination,
                            const google::protobuf::Timestamp& now);

}  // namespace benchd::client
