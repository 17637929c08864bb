#pragma once

#include <map>
#include <string>
#include <vector>

#include "benchd/v1/session.pb.h"
#include "core/analysis/table_plan.h"

namespace benchd::client {

/// What a session's harness said of its metrics, as columns of the session's export.
///
/// Unit and direction are those of a metric's first appearance, the resolution is the finest that
/// any run has shown: as the daemon takes them. Runs come with Run.metrics, warm-ups included; runs
/// of interrupted blocks count for nothing.
class ParsedMetrics {
 public:
  void Learn(const v1::Run& run);

  /// In order of appearance; none for benchd's own metrics.
  const std::vector<TableColumn>& columns() const { return columns_; }

 private:
  std::map<std::string, std::size_t, std::less<>> numbers_;  // by NAME or INNER/NAME
  std::vector<TableColumn> columns_;
};

}  // namespace benchd::client
