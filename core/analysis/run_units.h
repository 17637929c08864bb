#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/model/run.h"

namespace benchd {

/// Brings what programs print to one unit for each metric of a session: an arm that prints ms and
/// one that prints us can be compared.
///
/// The unit is the one that the metric had first, of the runs of one block that of the first arm,
/// whatever their order: a session's is mostly the reference's. Another unit of time is converted
/// to it, as in a table (ReadHarnessTable()); any other unit is left as it is, for MetricCatalog to
/// refuse. Runs are converted before they are stored or compared, so that whoever reads them has
/// one unit. Owned by the session; one thread.
class RunUnits {
 public:
  /// Converts runs of one block, complete or not yet; those that are converted stay as they are.
  void Unify(std::vector<Run>& block);

 private:
  using Units = std::map<std::string, std::string, std::less<>>;  // by the name of a MetricInfo

  static void Convert(Run& run, Units& units);

  std::vector<Units> units_;  // by benchmark
};

}  // namespace benchd
