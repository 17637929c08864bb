#pragma once

#include <cstdint>
#include <string>

#include "core/model/limits.h"

namespace benchd {

/// Limits of the data that is stored for a session or a user.
struct StoreLimits {
  /// The size of a session's log. Only the newest part of the output is kept.
  std::uint64_t log_bytes = Budgets().At(Limit::kLogASession);
  /// The size of a session's runs and log together.
  std::uint64_t session_bytes = Budgets().At(Limit::kStoredASession);
  /// The number of a session's metrics. The same name in two inner benchmarks counts twice.
  std::uint64_t session_metrics = Budgets().At(Limit::kMetricsASession);
  /// The number of a session's sampled stacks, which StackBudget keeps below (analysis/
  /// profile_samples.h). They do not count as metrics.
  std::uint64_t session_stacks = 200'000;
  /// The number of a user's summaries. Only the newest ones are kept.
  std::uint64_t summaries_a_user = Budgets().At(Limit::kSummariesAUser);
};

/// The end of a session's log.
struct LogTail {
  std::string text;
  std::uint64_t left_out = 0;  ///< bytes before `text`, including deleted ones
};

}  // namespace benchd
