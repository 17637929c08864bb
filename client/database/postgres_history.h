#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/summary.h"

namespace benchd::client {

/// Reads the summaries that benchd-push sent to PostgreSQL, newest first. GateSummary::machine
/// begins with the role that sent the summary.
///
/// @param url    a connection URI of libpq: postgresql://HOST/DATABASE
/// @param query  only its benchmark and limit are used
/// @errors (exit 2) libpq is not installed; (exit 5) the database cannot be reached or refuses the
///         query, with the message of libpq.
Result<std::vector<GateSummary>> ReadFromDatabase(const std::string& url,
                                                  const SummaryQuery& query);

}  // namespace benchd::client
