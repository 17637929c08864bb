#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "core/model/comparison.h"

namespace benchd {

/// The development of one comparison's interval with the number of runs.
struct Trajectory {
  struct Point {
    std::uint64_t runs = 0;  ///< number of runs of the arm with fewer runs
    Effect effect;           ///< estimate and interval, with both ends
    bool operator==(const Point&) const = default;
  };

  std::string benchmark;
  std::string reference;
  std::string candidate;
  std::string metric;
  bool relative = true;  ///< true: a change; false: a difference (absolute margin), in its unit
  Method method = Method::kPaired;  ///< method of these intervals
  std::vector<Point> points;        ///< in ascending order of runs
};

/// Records an analysis while blocks are added, at numbers of blocks that grow by a twentieth each
/// time. This gives about 160 points for 5000 blocks, whatever looks the method takes. The result
/// is used only for pictures. Must be used by one thread only.
class TrajectoryRecorder {
 public:
  /// Records the state of a benchmark (an index into the spec). Call it after each block that was
  /// added to `analysis`.
  void Watch(const SessionAnalysis& analysis, std::size_t benchmark);

  /// Returns the trajectories. Call it after the last block, but before the analysis concludes,
  /// because a single final look is not a look under watching. Comparisons that never had an
  /// interval are omitted.
  std::vector<Trajectory> Finish(const SessionAnalysis& analysis);

 private:
  struct Progress {
    std::uint64_t blocks = 0;
    std::uint64_t next = 2;
    std::vector<Trajectory> trajectories;  // in the order of SessionAnalysis::LookAt()
  };

  static void Look(const SessionAnalysis& analysis, std::size_t benchmark, Progress* progress);

  std::vector<Progress> progress_;  // by benchmark
};

}  // namespace benchd
