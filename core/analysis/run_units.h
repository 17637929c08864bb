#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/model/run.h"

namespace benchd {

/// Converts the output of programs to one unit for each metric of a session, so that an arm that
/// prints ms can be compared with one that prints us.
///
/// The unit is the first one of the metric, within one block that of the first arm whatever the
/// order of runs; usually it is the reference's. Other units of time are converted to it, as in a
/// table (ReadHarnessTable()). Any other unit is left unchanged, and MetricCatalog rejects it. Runs
/// are converted before they are stored or compared, so all readers see one unit. Owned by the
/// session; one thread.
class RunUnits {
 public:
  /// Converts the runs of one block, complete or not. Converted runs are not converted again.
  void Unify(std::vector<Run>& block);

 private:
  using Units = std::map<std::string, std::string, std::less<>>;  // by the name of a MetricInfo

  static void Convert(Run& run, Units& units);

  std::vector<Units> units_;  // by benchmark
};

}  // namespace benchd
