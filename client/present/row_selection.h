#pragma once

#include <cstddef>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/present/gates.h"
#include "client/present/report.h"

namespace benchd::client {

/// The comparisons that a table shows, and counts of those it omits.
struct RowSelection {
  Comparisons rows;               ///< gates first; candidates of the same metric are adjacent
  std::size_t changed = 0;        ///< clearly changed, but beyond the limit of rows
  std::size_t unchanged = 0;      ///< not clearly changed
  bool repeats_cpu_time = false;  ///< a tree_cpu_time only repeats cpu_time
};

/// Selects the rows of a table. With kWhatMatters, these are the gates (or all comparisons if none
/// gates) and the first other comparisons that clearly changed, except metrics of disturbances and
/// measured metrics that were zero throughout.
RowSelection SelectRows(const v1::Update& update, RowsShown shown);

/// Returns "8 other metrics: no clear change"; empty if there are no such metrics.
std::string UnchangedWords(const v1::Update& update, const RowSelection& selection);

}  // namespace benchd::client
