#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model/comparison.h"
#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "core/model/warning.h"

// Benchmarks that share processes, because their runs alone are mostly the start of the program.
// Pure: the groups follow from the stored runs, so a session that is resumed has the same.

namespace benchd {

/// A benchmark of a program is grouped if starting the program takes more than this share of a run.
/// Others run alone, because the arms then alternate more often, so that less of the drift remains:
/// in processes of 5 to 20 benchmarks, those of `./dev bench discovery` needed 1.4 to 1.6 times the
/// pairs.
inline constexpr double kMostStartShare = 0.5;
/// A group takes further benchmarks until the start takes at most this share of its process, or
/// until the process takes this long and the start at most half of that.
inline constexpr double kSmallStartShare = 0.25;
inline constexpr double kLongProcessSeconds = 1;
/// The maximum number of benchmarks of a group. It bounds the filter, which is one word of a
/// command.
inline constexpr std::size_t kMostInGroup = 32;
/// Decided benchmarks leave their groups together, once they are this share of one of them, because
/// the commands of the session are then opened anew.
inline constexpr double kLeavingShare = 0.25;

/// The groups of a session. Benchmarks are given by their indices in the expanded spec.
///
/// The first benchmark of a group, in the order of the list, leads it: it stands for the group in
/// the schedule. All benchmarks of a group have the same number of blocks. Groups only become
/// smaller.
class BenchmarkGroups {
 public:
  BenchmarkGroups() = default;
  /// @param groups  the benchmarks of each group, in ascending order. No group is empty, and no
  ///                benchmark is in two groups.
  explicit BenchmarkGroups(std::vector<std::vector<std::uint32_t>> groups);

  bool empty() const { return groups_.empty(); }
  const std::vector<std::vector<std::uint32_t>>& all() const { return groups_; }
  /// Returns the benchmark in whose blocks this one is measured: itself if it runs alone.
  std::uint32_t LeaderOf(std::uint32_t benchmark) const;
  /// Returns the benchmarks that one process of this one runs, which are none other if it runs
  /// alone.
  /// @param leader  a benchmark that leads its group, or runs alone
  std::vector<std::uint32_t> MembersOf(std::uint32_t leader) const;
  /// Returns whether the benchmark leads a group.
  bool Leads(std::uint32_t benchmark) const;

 private:
  std::vector<std::vector<std::uint32_t>> groups_;
  std::map<std::uint32_t, std::size_t> group_of_;
};

/// The mean wall time of the warm-up runs of a benchmark that may be grouped.
struct LoneRun {
  std::uint32_t benchmark = 0;
  double seconds = 0;
};

/// Divides the benchmarks of one program into groups, in the given order. Those whose runs are
/// not mostly start are left out, as is the last one if it would be a group of its own.
///
/// @param start_seconds  the time that starting the program takes
std::vector<std::vector<std::uint32_t>> ChooseGroups(std::span<const LoneRun> runs,
                                                     double start_seconds);

/// The groups of a session, with one note for each program that has some.
struct GroupPlan {
  BenchmarkGroups groups;
  std::vector<Warning> notes;
};

/// Chooses the groups of a session from its warm-up, in which each benchmark runs alone.
class GroupPlanner {
 public:
  /// Records a warm-up block of one benchmark.
  void Learn(std::span<const Run> block);

  /// Chooses the groups. A benchmark is only grouped if that changes nothing but the time that its
  /// runs take:
  /// - the harness can select several benchmarks, the output is in its format, and each value names
  ///   a benchmark of the list;
  /// - no gate is on a metric of the process, such as wall_time, which has no value for a single
  ///   benchmark of a group;
  /// - no hook runs before or after its runs, failed runs do not count, and outputs are not
  ///   compared;
  /// - there are several looks (no `runs`, no layouts): the interval of a geometric mean after a
  ///   single look adds up the errors of the benchmarks as independent ones;
  /// - regressions are not confirmed (SessionSpec::confirm), because the second phase measures only
  ///   some of the benchmarks.
  ///
  /// @param spec   expanded
  /// @param found  what is in the programs, with the times that starting them takes
  GroupPlan Choose(const SessionSpec& spec, std::span<const FoundBenchmarks> found) const;

 private:
  /// The warm-up runs of one benchmark.
  struct Seen {
    double seconds = 0;
    std::uint64_t runs = 0;
    std::set<std::pair<std::string, std::string>> metrics;  ///< inner benchmark and name
  };

  /// The benchmarks of a program that may be grouped.
  struct Program {
    double start_seconds = 0;
    std::vector<LoneRun> runs;
  };

  static bool MayShare(const Benchmark& benchmark, const Seen& seen);
  Program ProgramOf(const SessionSpec& spec, const FoundBenchmarks& found,
                    std::uint32_t first) const;

  std::map<std::uint32_t, Seen> seen_;  // by benchmark
};

/// Returns the groups without their decided benchmarks, or nothing as long as these are less than
/// kLeavingShare of each group. The last open benchmark of a group stays in it, so that its runs
/// still have no metrics of the process.
///
/// @param outlooks  of all benchmarks
std::optional<BenchmarkGroups> WithoutDecided(const BenchmarkGroups& groups,
                                              std::span<const BenchmarkOutlook> outlooks);

/// Returns the arms of which no benchmark in the group of this one needs another run.
///
/// @param idle_arms  returns the idle arms of one benchmark, in ascending order
std::vector<std::uint32_t> IdleArmsOfGroup(
    std::uint32_t benchmark, const BenchmarkGroups& groups,
    const std::function<std::span<const std::uint32_t>(std::uint32_t)>& idle_arms);

/// Returns the outlooks for the schedule, in which the leader of a group stands for the group: it
/// is open as long as one of the benchmarks is, and decided when the last of them is. Its time is
/// the sum of theirs, and its idle arms are idle in all of them. The others never have a turn.
std::vector<BenchmarkOutlook> GroupedOutlooks(std::vector<BenchmarkOutlook> outlooks,
                                              const BenchmarkGroups& groups);

}  // namespace benchd
