#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/session_analysis.h"
#include "core/model/comparison.h"

namespace benchd {

/// How the interval of one comparison went while runs came in.
struct Trajectory {
  struct Point {
    std::uint64_t runs = 0;  ///< of the arm that has fewer
    Effect effect;           ///< with both ends
    bool operator==(const Point&) const = default;
  };

  std::string benchmark;
  std::string reference;
  std::string candidate;
  std::string metric;
  bool relative = true;  ///< a change; else a difference in the metric's unit, as its margin is one
  Method method = Method::kPaired;  ///< by which these intervals are
  std::vector<Point> points;        ///< by runs, ascending
};

/// Looks at an analysis while it is fed, at numbers of blocks that grow by a twentieth each time:
/// some 160 looks at 5000 blocks, whatever the method itself looked at. For pictures; nothing is
/// decided here. Owned by who feeds the analysis; one thread.
class TrajectoryRecorder {
 public:
  /// After each block that `analysis` has taken of that benchmark, an index into its spec.
  void Watch(const SessionAnalysis& analysis, std::size_t benchmark);

  /// With the last blocks, before the analysis concludes: its one look, if it has one, is no part
  /// of what was watched. Comparisons that never had an interval are left out.
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
