#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daemon/base/result.h"
#include "daemon/base/session_id.h"
#include "daemon/model/run.h"
#include "daemon/store/database.h"

namespace benchd::store {

/// The runs, samples and logs of sessions, as SampleStore (ports/sample_store.h) promises them.
///
/// Exists apart from SqliteStore so that everything about the tables can be read, and tested,
/// without threads and coroutines. On the writer thread; no longer than its Database.
/// @errors all: kNotFound for a session that was never inserted; else as Database.
class RunTable {
 public:
  static Result<RunTable> Open(Database& database);

  /// All runs or none.
  /// @errors kInvalidArgument for a value that is not finite, with the metric's name.
  Result<void> Append(const SessionId& id, const std::vector<Run>& runs);
  Result<std::vector<Run>> Load(const SessionId& id, std::uint64_t first, std::uint64_t limit);

  Result<void> AppendLog(const SessionId& id, const std::string& text);
  Result<std::string> LoadLog(const SessionId& id);

 private:
  /// What is known about the session that was appended to last, so that a block costs no look-ups.
  struct Current {
    SessionId id;
    std::int64_t key = 0;
    std::int64_t next_seq = 0;
    /// metrics.key by name and inner benchmark.
    std::map<std::pair<std::string, std::string>, std::int64_t> metrics;
    std::vector<MetricInfo> last_list;
    std::optional<std::int64_t> last_list_key;
  };
  struct MetricName {
    std::string name;
    std::string inner_benchmark;
  };
  using MetricNames = std::unordered_map<std::int64_t, MetricName>;

  explicit RunTable(Database& database) : database_(&database) {}

  Result<std::int64_t> SessionKey(const SessionId& id);
  Result<void> MakeCurrent(const SessionId& id);
  Result<void> AppendAll(const std::vector<Run>& runs);
  Result<void> AppendRun(const Run& run);
  Result<std::int64_t> MetricKey(const Sample& sample);
  Result<std::optional<std::int64_t>> MetricListKey(const std::vector<MetricInfo>& metrics);
  Result<MetricNames> LoadMetricNames(std::int64_t session);
  Result<void> LoadSamples(std::int64_t run_key, const MetricNames& names, Run& run);

  Database* database_;
  std::optional<Current> current_;
  Statement find_session_;
  Statement next_seq_;
  Statement insert_run_;
  Statement insert_sample_;
  Statement find_metric_;
  Statement insert_metric_;
  Statement find_list_;
  Statement insert_list_;
  Statement select_runs_;
  Statement select_samples_;
  Statement select_metrics_;
  Statement insert_log_;
  Statement select_logs_;
};

}  // namespace benchd::store
