#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/run.h"
#include "daemon/helper/place_names.h"

namespace benchd {

/// Turns the stream of a sampled run (wire/profile_stream.h) into samples of its stacks
/// (model/profile.h).
///
/// @errors kInvalidArgument "profile: ..." if the stream is invalid
Result<std::vector<Sample>> FoldProfile(std::string_view stream, const SymbolSources& sources);

}  // namespace benchd
