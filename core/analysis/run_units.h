#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/model/run.h"

namespace benchd {

/// Converts the values that programs print to one unit per metric of a session, so that an arm that
/// prints ms can be compared with an arm that prints us.
///
/// This is the first unit that was printed for the metric. Within a block it is that of the first
/// arm in the spec, usually the reference, whatever the order of the runs. Other units of time are
/// converted to it, as in a table (ReadHarnessTable()). Any other unit is left unchanged, and
/// MetricCatalog rejects it. Runs are converted before they are stored or compared, so all readers
/// see the same unit. Must be used by one thread only.
class RunUnits {
 public:
  /// Converts the runs of one block, which need not be complete. Converted runs are not converted
  /// again.
  void Unify(std::vector<Run>& block);

 private:
  using Units = std::map<std::string, std::string, std::less<>>;  // unit by MetricInfo::name

  static void Convert(Run& run, Units& units);

  std::vector<Units> units_;  // by benchmark
};

}  // namespace benchd
