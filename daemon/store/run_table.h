#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/model/run.h"
#include "core/model/session_spec.h"
#include "daemon/store/database.h"
#include "daemon/store/store_limits.h"

namespace benchd::store {

/// The runs, samples and logs of sessions; Records describes the interface.
///
/// Writes inside the caller's transaction. Must not outlive its Database.
/// @errors of all functions: kNotFound if the session was never inserted; otherwise those of
///         Database.
class RunTable {
 public:
  RunTable(Database& database, const StoreLimits& limits);

  /// Appends runs and their output. If the transaction is rolled back, call Forget().
  /// @errors kInvalidArgument with the metric's name if a value is not finite; kFailedPrecondition
  ///         if the session exceeds `limits`.
  Result<void> Append(const SessionId& id, const std::vector<Run>& runs, const std::string& log);
  /// Sets the runs of a block to RunPhase::kDropped. Blocks are numbered within their phase.
  Result<void> DropBlock(const SessionId& id, RunPhase phase, std::uint32_t benchmark,
                         std::uint64_t block);
  Result<std::vector<Run>> Load(const SessionId& id, std::uint64_t first, std::uint64_t limit,
                                std::uint64_t bytes);
  Result<LogTail> LoadLog(const SessionId& id, std::size_t most);

  /// Clears the cached data of the last session; after a rollback its new keys are invalid.
  void Forget() { current_.reset(); }

 private:
  /// The name of a metric. Metrics are numbered in the order of their first use in the session.
  struct MetricName {
    std::string name;
    std::string inner_benchmark;
    bool Names(const Sample& sample) const {
      return name == sample.metric && inner_benchmark == sample.inner_benchmark;
    }
  };
  /// A session's metrics by number, and their numbers by name. Runs may report metrics in any
  /// order, and may report new ones at any time.
  class MetricNames {
   public:
    std::size_t size() const { return names_.size(); }
    /// Returns how many of them are stacks of sampled runs (model/profile.h), or are not.
    std::size_t CountOf(bool of_profile) const {
      return of_profile ? of_profile_ : names_.size() - of_profile_;
    }
    /// @param expected  the likely number
    std::optional<std::size_t> NumberOf(const Sample& sample, std::size_t expected) const;
    void Add(MetricName name);

   private:
    struct Hash {
      using is_transparent = void;
      std::size_t operator()(const MetricName& name) const;
      std::size_t operator()(const Sample& sample) const;
    };
    struct Same {
      using is_transparent = void;
      bool operator()(const MetricName& a, const MetricName& b) const {
        return a.name == b.name && a.inner_benchmark == b.inner_benchmark;
      }
      bool operator()(const Sample& a, const MetricName& b) const { return b.Names(a); }
      bool operator()(const MetricName& a, const Sample& b) const { return a.Names(b); }
    };

    std::size_t of_profile_ = 0;
    std::vector<MetricName> names_;
    std::unordered_map<MetricName, std::size_t, Hash, Same> numbers_;
  };
  /// Cached data of the session of the last Append(), which saves queries for its next blocks.
  struct Current {
    SessionId id;
    std::int64_t key = 0;
    std::int64_t next_seq = 0;
    std::uint64_t run_bytes = 0;  ///< includes the names and descriptions of its metrics
    std::uint64_t log_bytes = 0;  ///< the part of the log that is kept
    MetricNames metrics;
    std::vector<MetricInfo> last_list;
    std::optional<std::int64_t> last_list_key;
  };

  Result<std::int64_t> SessionKey(const SessionId& id);
  Result<void> MakeCurrent(const SessionId& id);
  Result<void> AppendRun(const Run& run);
  Result<void> Pack(const std::vector<Sample>& samples);
  Result<std::uint32_t> MetricNumber(const Sample& sample, std::size_t expected);
  Result<std::optional<std::int64_t>> MetricListKey(const std::vector<MetricInfo>& metrics);
  Result<std::vector<MetricName>> LoadMetricNames(std::int64_t session);
  static Result<std::vector<Sample>> Unpack(const std::vector<MetricName>& names,
                                            std::string_view bytes);

  Result<void> AppendLog(std::string_view log);
  Result<void> CutLog(std::uint64_t newly_cut);
  Result<std::uint64_t> CutBefore(std::int64_t session);

  Database* database_;
  const StoreLimits limits_;
  std::optional<Current> current_;
  std::string packed_;  ///< the samples of the current run
  Statement find_session_;
  Statement next_seq_;
  Statement insert_run_;
  Statement drop_block_;
  Statement insert_metric_;
  Statement find_list_;
  Statement insert_list_;
  Statement select_runs_;
  Statement select_metrics_;
  Statement select_sizes_;
  Statement insert_log_;
  Statement select_oldest_logs_;
  Statement delete_logs_;
  Statement set_cut_;
  Statement select_cut_;
  Statement select_log_sizes_;
  Statement select_logs_;
};

/// A Sample with its name replaced by a number: metrics.number of its session.
struct PackedSample {
  std::uint32_t metric = 0;
  std::uint32_t iteration = 0;
  double value = 0;
  bool operator==(const PackedSample&) const = default;
};

/// Appends the sample to `bytes`, the value of runs.samples: 16 bytes per sample, little-endian
/// (metric, iteration, then the bits of the IEEE double, which preserve -0.0).
///
/// A run is one row with all its samples. One row per sample would take five times as long to
/// write, which would lengthen the pause between two runs.
void PackSample(const PackedSample& sample, std::string& bytes);

/// Reverses PackSample(). @errors kInternal if the length is not a multiple of 16.
Result<std::vector<PackedSample>> UnpackSamples(std::string_view bytes);

}  // namespace benchd::store
