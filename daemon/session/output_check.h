#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/run.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/session/schedule.h"

namespace benchd {

/// Compares the stdout of all runs of a benchmark whose Benchmark::check_output is set.
///
/// An arm that prints something else in each run cannot be compared with other arms. It is
/// recognised by its second run. Two arms are therefore said to differ only after each has printed
/// the same twice. Keeps one head of an output per benchmark (at most 64 KiB), and more of them
/// only until a difference is established. Lives as long as its session in this process: after a
/// restart of benchd, the next runs are compared with each other.
class OutputCheck {
 public:
  /// `spec` must outlive this object.
  explicit OutputCheck(const SessionSpec& spec) : spec_(spec) {}

  /// Adds the output of a run.
  /// @return the difference that is now established, if any
  std::optional<Failure> Add(const RunPlace& place, OutputDigest output);

  /// Returns a difference between arms that the session ended too early to establish.
  std::optional<Failure> Remaining() const;

 private:
  struct ArmOutput {
    RunPlace first;          ///< place of its first run
    std::size_t output = 0;  ///< index of its output in `distinct`
    std::uint64_t runs = 1;
  };
  struct BenchmarkOutputs {
    std::vector<std::optional<ArmOutput>> arms;
    std::vector<OutputDigest> distinct;  ///< the outputs of the arms' first runs
  };

  std::optional<Failure> FindDifference(std::size_t benchmark, std::uint64_t least_runs) const;

  const SessionSpec& spec_;
  std::vector<BenchmarkOutputs> benchmarks_;
};

}  // namespace benchd
