#include "daemon/store/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

#include "core/base/little_endian.h"
#include "core/base/try.h"
#include "core/model/limits.h"
#include "core/model/profile.h"
#include "daemon/store/json_codec.h"
#include "daemon/store/session_table.h"

namespace benchd::store {
namespace {

std::int64_t Clamped(std::uint64_t count) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min<std::uint64_t>(count, kMost));
}

/// Reads a run from the current row of select_runs_, without its metrics and samples.
Result<Run> ReadRun(const Statement& row) {
  const std::optional<RunPhase> phase = ValueOf<RunPhase>(row.Text(2));
  if (!phase) {
    return Error{ErrorCode::kInternal, "runs.phase: unknown name '" + row.Text(2) + "'", {}};
  }
  return Run{.benchmark = static_cast<std::uint32_t>(row.Integer(1)),
             .block = static_cast<std::uint64_t>(row.Integer(3)),
             .position = static_cast<std::uint32_t>(row.Integer(4)),
             .arm = static_cast<std::uint32_t>(row.Integer(5)),
             .phase = *phase,
             .started_at = Timestamp(Nanoseconds(row.Integer(6))),
             .exit = {.code = static_cast<int>(row.Integer(7)),
                      .signal = static_cast<int>(row.Integer(8)),
                      .timed_out = row.Integer(9) != 0},
             .disturbances = static_cast<std::uint32_t>(row.Integer(10))};
}

/// The size of a run without its samples, and of a metric without its names. They must match
/// kCharge in session_table.cc.
constexpr std::size_t kRunBytes = 64;
constexpr std::size_t kMetricBytes = 16;

/// Returns the error for a session that exceeds a limit. The code is not kResourceExhausted, after
/// which benchd would wait for free disk space.
Error TooMuch(Limit limit, std::uint64_t size, std::uint64_t most) {
  Error error = TooLarge(limit, size, most);
  error.code = ErrorCode::kFailedPrecondition;
  return error;
}

std::uint64_t SizeInMemory(const Run& run) {
  std::uint64_t bytes = sizeof(Run);
  for (const Sample& sample : run.samples) {
    bytes += sizeof(Sample) + sample.metric.size() + sample.inner_benchmark.size();
  }
  for (const MetricInfo& metric : run.metrics) {
    bytes += sizeof(MetricInfo) + metric.name.size() + metric.unit.size();
  }
  return bytes;
}

std::size_t HashOf(std::string_view metric, std::string_view inner_benchmark) {
  const std::hash<std::string_view> hash;
  return hash(metric) * 31 + hash(inner_benchmark);
}

Error NoSuchMetric() { return {ErrorCode::kInternal, "runs.samples: unknown metric number", {}}; }

}  // namespace

RunTable::RunTable(Database& database, const StoreLimits& limits)
    : database_(&database),
      limits_(limits),
      find_session_(database, "SELECT key FROM sessions WHERE id = ?"),
      next_seq_(database, "SELECT coalesce(max(seq) + 1, 0) FROM runs WHERE session = ?"),
      insert_run_(
          database,
          "INSERT INTO runs (session, seq, benchmark, phase, block, position, arm, started_at_ns,"
          " exit_code, exit_signal, timed_out, disturbances, metric_list,"
          " samples) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      drop_block_(database,
                  "UPDATE runs SET phase = 'dropped'"
                  " WHERE session = ? AND benchmark = ? AND block = ? AND phase = ?"),
      insert_metric_(
          database,
          "INSERT INTO metrics (session, number, name, inner_benchmark) VALUES (?, ?, ?, ?)"),
      find_list_(database, "SELECT key FROM metric_lists WHERE session = ? AND metrics = ?"),
      insert_list_(database, "INSERT INTO metric_lists (session, metrics) VALUES (?, ?)"),
      select_runs_(
          database,
          "SELECT samples, benchmark, phase, block, position, arm, started_at_ns, exit_code,"
          " exit_signal, timed_out, disturbances, metrics"
          " FROM runs LEFT JOIN metric_lists ON metric_lists.key = runs.metric_list"
          " WHERE runs.session = ? AND seq >= ? ORDER BY seq LIMIT ?"),
      select_metrics_(
          database,
          "SELECT number, name, inner_benchmark FROM metrics WHERE session = ? ORDER BY number"),
      select_sizes_(database,
                    "SELECT (SELECT coalesce(sum(length(samples) + 64), 0) FROM runs"
                    " WHERE session = ?1)"
                    " + (SELECT coalesce(sum(length(CAST(name AS BLOB))"
                    " + length(CAST(inner_benchmark AS BLOB)) + 16), 0) FROM metrics"
                    " WHERE session = ?1)"
                    " + (SELECT coalesce(sum(length(CAST(metrics AS BLOB))), 0)"
                    " FROM metric_lists WHERE session = ?1),"
                    " (SELECT coalesce(sum(length(text)), 0) FROM logs"
                    " WHERE session = ?1 AND key > 0)"),
      insert_log_(database, "INSERT INTO logs (session, text) VALUES (?, ?)"),
      select_oldest_logs_(database,
                          "SELECT key, length(text) FROM logs WHERE session = ? AND key > 0"
                          " ORDER BY key"),
      delete_logs_(database, "DELETE FROM logs WHERE session = ? AND key > 0 AND key <= ?"),
      set_cut_(database,
               "INSERT INTO logs (key, session, text) VALUES (-?1, ?1, CAST(?2 AS BLOB))"
               " ON CONFLICT (key) DO UPDATE SET text = excluded.text"),
      select_cut_(database, "SELECT CAST(text AS TEXT) FROM logs WHERE key = -?"),
      select_log_sizes_(database,
                        "SELECT key, length(text) FROM logs WHERE session = ? AND key > 0"
                        " ORDER BY key DESC"),
      select_logs_(database, "SELECT text FROM logs WHERE session = ? AND key >= ? ORDER BY key") {}

Result<void> RunTable::Append(const SessionId& id, const std::vector<Run>& runs,
                              const std::string& log) {
  TRY_VOID(MakeCurrent(id));
  for (const Run& run : runs) {
    TRY_VOID(AppendRun(run));
  }
  TRY_VOID(AppendLog(log));
  const std::uint64_t bytes = current_->run_bytes + current_->log_bytes;
  if (bytes > limits_.session_bytes) {
    return TooMuch(Limit::kStoredASession, bytes, limits_.session_bytes);
  }
  return {};
}

/// Appends to the log. If it exceeds its limit, only the newest part is kept.
Result<void> RunTable::AppendLog(std::string_view log) {
  if (log.empty()) return {};
  const std::size_t cut = log.size() - std::min<std::size_t>(log.size(), limits_.log_bytes);
  log.remove_prefix(cut);
  TRY_VOID(insert_log_.Run(current_->key, Blob{log}));
  current_->log_bytes += log.size();
  return CutLog(cut);
}

/// Deletes the oldest pieces of a log that exceeds its limit, and records how much was deleted.
Result<void> RunTable::CutLog(std::uint64_t newly_cut) {
  Current& current = *current_;
  // Deletes an eighth of the log at once, so that not every block deletes something. Never deletes
  // the newest piece.
  const std::uint64_t aim = limits_.log_bytes - limits_.log_bytes / 8;
  const std::int64_t newest = database_->last_insert_key();
  std::uint64_t left = current.log_bytes;
  std::int64_t last = 0;
  const auto choose = [&, this] {
    if (left <= aim || select_oldest_logs_.Integer(0) == newest) return;
    last = select_oldest_logs_.Integer(0);
    left -= static_cast<std::uint64_t>(select_oldest_logs_.Integer(1));
  };
  if (left > limits_.log_bytes) {
    TRY_VOID(select_oldest_logs_.Query(choose, current.key));
    TRY_VOID(delete_logs_.Run(current.key, last));
    newly_cut += std::exchange(current.log_bytes, left) - left;
  }
  if (newly_cut == 0) return {};
  TRY(std::uint64_t before, CutBefore(current.key));
  return set_cut_.Run(current.key, std::to_string(before + newly_cut));
}

/// Returns how many bytes of a session's log have already been deleted.
Result<std::uint64_t> RunTable::CutBefore(std::int64_t session) {
  std::uint64_t bytes = 0;
  const auto keep = [this, &bytes] {
    bytes = std::strtoull(select_cut_.Text(0).c_str(), nullptr, 10);
  };
  TRY_VOID(select_cut_.Query(keep, session));
  return bytes;
}

Result<void> RunTable::DropBlock(const SessionId& id, RunPhase phase, std::uint32_t benchmark,
                                 std::uint64_t block) {
  TRY(std::int64_t session, SessionKey(id));
  return drop_block_.Run(session, benchmark, block, NameOf(phase));
}

Result<void> RunTable::AppendRun(const Run& run) {
  TRY(std::optional<std::int64_t> list, MetricListKey(run.metrics));
  TRY_VOID(Pack(run.samples));
  Result<void> inserted = insert_run_.Run(
      current_->key, current_->next_seq, run.benchmark, NameOf(run.phase), run.block, run.position,
      run.arm, run.started_at.time_since_epoch().count(), run.exit.code, run.exit.signal,
      run.exit.timed_out, run.disturbances, list, Blob{packed_});
  if (inserted) ++current_->next_seq;
  current_->run_bytes += packed_.size() + kRunBytes;
  return inserted;
}

Result<void> RunTable::Pack(const std::vector<Sample>& samples) {
  packed_.clear();
  // Most runs have the same metrics in the same order.
  std::size_t expected = 0;
  for (const Sample& sample : samples) {
    if (!std::isfinite(sample.value)) {
      return InvalidArgument("metric " + sample.metric, "a value is not a finite number");
    }
    TRY(std::uint32_t number, MetricNumber(sample, expected));
    PackSample({number, sample.iteration, sample.value}, packed_);
    expected = number + 1;
  }
  return {};
}

Result<std::int64_t> RunTable::SessionKey(const SessionId& id) {
  std::optional<std::int64_t> key;
  const auto keep = [this, &key] { key = find_session_.Integer(0); };
  TRY_VOID(find_session_.Query(keep, id.value));
  if (!key) return NoSuchSession(id);
  return *key;
}

Result<void> RunTable::MakeCurrent(const SessionId& id) {
  if (current_ && current_->id == id) return {};
  TRY(std::int64_t key, SessionKey(id));
  TRY(std::vector<MetricName> metrics, LoadMetricNames(key));
  Current current{.id = id,
                  .key = key,
                  .next_seq = 0,
                  .run_bytes = 0,
                  .log_bytes = 0,
                  .metrics = {},
                  .last_list = {},
                  .last_list_key = {}};
  for (MetricName& name : metrics) current.metrics.Add(std::move(name));
  const auto keep = [this, &current] { current.next_seq = next_seq_.Integer(0); };
  TRY_VOID(next_seq_.Query(keep, current.key));
  const auto add_up = [this, &current] {
    current.run_bytes = static_cast<std::uint64_t>(select_sizes_.Integer(0));
    current.log_bytes = static_cast<std::uint64_t>(select_sizes_.Integer(1));
  };
  TRY_VOID(select_sizes_.Query(add_up, current.key));
  current_ = std::move(current);
  return {};
}

std::size_t RunTable::MetricNames::Hash::operator()(const MetricName& name) const {
  return HashOf(name.name, name.inner_benchmark);
}

std::size_t RunTable::MetricNames::Hash::operator()(const Sample& sample) const {
  return HashOf(sample.metric, sample.inner_benchmark);
}

std::optional<std::size_t> RunTable::MetricNames::NumberOf(const Sample& sample,
                                                           std::size_t expected) const {
  if (expected < names_.size() && names_[expected].Names(sample)) return expected;
  const auto known = numbers_.find(sample);
  if (known == numbers_.end()) return std::nullopt;
  return known->second;
}

void RunTable::MetricNames::Add(MetricName name) {
  if (IsOfProfile(name.name)) ++of_profile_;
  numbers_.emplace(name, names_.size());
  names_.push_back(std::move(name));
}

Result<std::uint32_t> RunTable::MetricNumber(const Sample& sample, std::size_t expected) {
  MetricNames& metrics = current_->metrics;
  if (const auto known = metrics.NumberOf(sample, expected)) {
    return static_cast<std::uint32_t>(*known);
  }
  const std::size_t number = metrics.size();
  const bool of_profile = IsOfProfile(sample.metric);
  const std::uint64_t most = of_profile ? limits_.session_stacks : limits_.session_metrics;
  if (const std::size_t known = metrics.CountOf(of_profile); known >= most) {
    return TooMuch(Limit::kMetricsASession, known + 1, most);
  }
  TRY_VOID(insert_metric_.Run(current_->key, number, sample.metric, sample.inner_benchmark));
  metrics.Add({sample.metric, sample.inner_benchmark});
  current_->run_bytes += sample.metric.size() + sample.inner_benchmark.size() + kMetricBytes;
  return static_cast<std::uint32_t>(number);
}

Result<std::optional<std::int64_t>> RunTable::MetricListKey(
    const std::vector<MetricInfo>& metrics) {
  if (metrics.empty()) return std::optional<std::int64_t>{};
  // Usually the list is the same as that of the previous run.
  if (current_->last_list_key && current_->last_list == metrics) return current_->last_list_key;
  const std::string json = MetricsToJson(metrics);
  std::optional<std::int64_t> key;
  const auto keep = [this, &key] { key = find_list_.Integer(0); };
  Result<void> done = find_list_.Query(keep, current_->key, json);
  if (done && !key) {
    done = insert_list_.Run(current_->key, json);
    key = database_->last_insert_key();
    current_->run_bytes += json.size();
  }
  if (!done) return std::move(done).error();
  current_->last_list = metrics;
  current_->last_list_key = key;
  return key;
}

Result<std::vector<Run>> RunTable::Load(const SessionId& id, std::uint64_t first,
                                        std::uint64_t limit, std::uint64_t bytes) {
  TRY(std::int64_t session, SessionKey(id));
  TRY(std::vector<MetricName> names, LoadMetricNames(session));

  std::vector<Run> runs;
  std::string last_json;
  std::vector<MetricInfo> last_list;
  std::uint64_t taken = 0;
  const auto keep = [&, this]() -> Result<void> {
    // The next call returns the rest.
    if (!runs.empty() && taken >= bytes) return {};
    const Statement& row = select_runs_;
    Result<Run> run = ReadRun(row);
    if (!run) return std::move(run).error().Within(database_->path());
    if (!row.IsNull(11)) {
      if (std::string json = row.Text(11); json != last_json) {
        Result<std::vector<MetricInfo>> list = MetricsFromJson(json);
        if (!list) return std::move(list).error().Within(database_->path());
        last_json = std::move(json);
        last_list = std::move(*list);
      }
      run->metrics = last_list;
    }
    Result<std::vector<Sample>> samples = Unpack(names, row.Text(0));
    if (!samples) return std::move(samples).error().Within(database_->path());
    run->samples = std::move(*samples);
    taken += SizeInMemory(*run);
    runs.push_back(std::move(*run));
    return {};
  };
  TRY_VOID(select_runs_.Query(keep, session, Clamped(first), Clamped(limit)));
  return runs;
}

Result<std::vector<Sample>> RunTable::Unpack(const std::vector<MetricName>& names,
                                             std::string_view bytes) {
  TRY(std::vector<PackedSample> packed, UnpackSamples(bytes));
  std::vector<Sample> samples;
  samples.reserve(packed.size());
  for (const PackedSample& sample : packed) {
    if (sample.metric >= names.size()) return NoSuchMetric();
    const MetricName& name = names[sample.metric];
    samples.push_back({.metric = name.name,
                       .inner_benchmark = name.inner_benchmark,
                       .iteration = sample.iteration,
                       .value = sample.value});
  }
  return samples;
}

Result<std::vector<RunTable::MetricName>> RunTable::LoadMetricNames(std::int64_t session) {
  std::vector<MetricName> names;
  const auto keep = [this, &names]() -> Result<void> {
    // Numbers must be 0, 1, 2..., or samples would be assigned to the wrong metric.
    if (select_metrics_.Integer(0) != static_cast<std::int64_t>(names.size())) {
      return NoSuchMetric().Within(database_->path());
    }
    names.push_back({select_metrics_.Text(1), select_metrics_.Text(2)});
    return {};
  };
  TRY_VOID(select_metrics_.Query(keep, session));
  return names;
}

Result<LogTail> RunTable::LoadLog(const SessionId& id, std::size_t most) {
  TRY(std::int64_t session, SessionKey(id));
  TRY(std::uint64_t cut, CutBefore(session));
  // Reads only the lengths of the parts that are left out.
  std::uint64_t total = 0;
  std::int64_t first_key = std::numeric_limits<std::int64_t>::max();
  const auto measure = [&, this] {
    if (total < most) first_key = select_log_sizes_.Integer(0);
    total += static_cast<std::uint64_t>(select_log_sizes_.Integer(1));
  };
  Result<void> done = select_log_sizes_.Query(measure, session);
  LogTail tail;
  const auto keep = [this, &tail] { tail.text += select_logs_.Text(0); };
  if (done) done = select_logs_.Query(keep, session, first_key);
  if (!done) return std::move(done).error();
  if (tail.text.size() > most) tail.text.erase(0, tail.text.size() - most);
  tail.left_out = cut + total - tail.text.size();
  return tail;
}

namespace {

constexpr std::size_t kBytes = 16;

}  // namespace

void PackSample(const PackedSample& sample, std::string& bytes) {
  PutLittleEndian(sample.metric, 4, bytes);
  PutLittleEndian(sample.iteration, 4, bytes);
  PutLittleEndian(std::bit_cast<std::uint64_t>(sample.value), 8, bytes);
}

Result<std::vector<PackedSample>> UnpackSamples(std::string_view bytes) {
  if (bytes.size() % kBytes != 0) {
    return Error{
        ErrorCode::kInternal,
        fmt::format("runs.samples: {} bytes are not a whole number of samples", bytes.size()),
        {}};
  }
  std::vector<PackedSample> samples;
  samples.reserve(bytes.size() / kBytes);
  for (; !bytes.empty(); bytes.remove_prefix(kBytes)) {
    PackedSample& sample = samples.emplace_back();
    sample.metric = static_cast<std::uint32_t>(GetLittleEndian(bytes.substr(0, 4)));
    sample.iteration = static_cast<std::uint32_t>(GetLittleEndian(bytes.substr(4, 4)));
    sample.value = std::bit_cast<double>(GetLittleEndian(bytes.substr(8, 8)));
  }
  return samples;
}

}  // namespace benchd::store
