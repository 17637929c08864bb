#pragma once

#include <vector>

#include "benchd/v1/session.pb.h"

namespace benchd::client {

// The result of a sampled session, with invented numbers.

/// parse_line takes more in the candidate, hash_step is gone, fill is new and took over part of its
/// work; two functions did not change.
v1::Explanation SampleExplanation();

/// An explanation in which no function changed.
v1::Explanation UnchangedExplanation();

/// A finished session that explains SampleSession(), with SampleExplanation() as its result.
v1::Session SampledSession();

/// Two blocks of SampledSession() with their stacks, after a warm-up block.
std::vector<v1::Run> SampledRuns();

}  // namespace benchd::client
