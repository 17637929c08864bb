#pragma once

#include <cstddef>
#include <string>

#include "benchd/v1/session.pb.h"
#include "client/present/gates.h"
#include "client/present/report.h"

namespace benchd::client {

/// The comparisons that a table has, and what it leaves out.
struct RowSelection {
  Comparisons rows;               ///< gates first; the candidates of one metric together
  std::size_t changed = 0;        ///< clearly changed, but one too many
  std::size_t unchanged = 0;      ///< not clearly changed
  bool repeats_cpu_time = false;  ///< a tree_cpu_time says nothing that cpu_time does not
};

/// With kWhatMatters: gates, or everything where nothing gates, and the first others that clearly
/// changed; what disturbed the runs is never among these.
RowSelection SelectRows(const v1::Update& update, RowsShown shown);

/// "8 other metrics: no clear change"; empty where there are none.
std::string UnchangedWords(const v1::Update& update, const RowSelection& selection);

}  // namespace benchd::client
