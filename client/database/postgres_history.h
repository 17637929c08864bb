#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/summary.h"

namespace benchd::client {

/// Summaries that benchd-push sent to PostgreSQL, newest first; GateSummary::machine begins with
/// the role that sent it.
///
/// @param url    of libpq: postgresql://HOST/DATABASE
/// @param query  its benchmark and limit
/// @errors (exit 2) libpq is not installed; (exit 5) the database cannot be reached or refuses, in
///         its words.
Result<std::vector<GateSummary>> ReadFromDatabase(const std::string& url,
                                                  const SummaryQuery& query);

}  // namespace benchd::client
