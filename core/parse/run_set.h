#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace benchd {

/// The runs of one benchmark as a file has them: each a series of values in order of measuring.
struct RunSet {
  std::string name;                    ///< of the benchmark; empty where the file names none
  std::vector<std::string> run_names;  ///< as many as runs: as the file has them, else "1", "2"...
  std::vector<std::vector<double>> runs;  ///< finite values; lengths may differ
  bool operator==(const RunSet&) const = default;
};

/// What a file of runs may hold at most, over all its sets: what comparing them takes in memory is
/// a hundred times as much, in time more.
struct RunSetLimits {
  std::size_t values = 1'000'000;
  std::size_t runs = 1000;  ///< of one set
  std::size_t sets = 1000;
};

}  // namespace benchd
