#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/summary.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// What stays of sessions: a row for each gate of one that is done. Pruning knows nothing of it.
///
/// Lives no longer than its Database. @errors as Database.
class SummaryTable {
 public:
  explicit SummaryTable(Database& database);

  /// What there is to keep of a session that has ended; once, however often it is asked for.
  Result<void> Add(const SessionRecord& record);
  /// A row that cannot be read is left out.
  Result<std::vector<GateSummary>> List(const SummaryQuery& query);

 private:
  Statement insert_;
  Statement newest_;
  Statement newest_of_benchmark_;
  Statement oldest_;
  Statement oldest_of_benchmark_;
};

}  // namespace benchd::store
