#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "core/model/comparison.h"

namespace benchd {

/// How the interval of one comparison changed with the number of runs.
struct Trajectory {
  struct Point {
    std::uint64_t runs = 0;  ///< of the arm with fewer runs
    Effect effect;           ///< with both ends
    bool operator==(const Point&) const = default;
  };

  std::string benchmark;
  std::string reference;
  std::string candidate;
  std::string metric;
  bool relative = true;             ///< a change; else a difference (absolute margin), in its unit
  Method method = Method::kPaired;  ///< of these intervals
  std::vector<Point> points;        ///< by runs, ascending
};

/// Records an analysis while blocks are added, at numbers of blocks that grow by a twentieth each
/// time: about 160 looks for 5000 blocks, whatever the looks of the method. For pictures; it
/// decides nothing. Owned by the caller; one thread.
class TrajectoryRecorder {
 public:
  /// Call it after each block that `analysis` has added to that benchmark (an index into the spec).
  void Watch(const SessionAnalysis& analysis, std::size_t benchmark);

  /// Call it after the last blocks, before the analysis concludes, because a final single look was
  /// not watched. Comparisons that never had an interval are omitted.
  std::vector<Trajectory> Finish(const SessionAnalysis& analysis);

 private:
  struct Progress {
    std::uint64_t blocks = 0;
    std::uint64_t next = 2;
    std::vector<Trajectory> trajectories;  // as SessionAnalysis::LookAt() has them
  };

  static void Look(const SessionAnalysis& analysis, std::size_t benchmark, Progress* progress);

  std::vector<Progress> progress_;  // of each benchmark
};

}  // namespace benchd
