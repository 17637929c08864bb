#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/store/database.h"
#include "daemon/store/records.h"
#include "tests/store/file_mode.h"
#include "tests/store/rich_values.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wording.h"

namespace benchd::store {

/// A line of history for tests of other properties.
inline HistoryEntry Happened(const std::string& what, std::int64_t at_ns = 0) {
  return {Timestamp(Nanoseconds(at_ns)), what};
}

inline std::string Contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Records in a private folder, with a clock that only the test advances.
class StoreTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  StoreOptions Options() {
    return {.steady = [this] { return SteadyTime(Nanoseconds(steady_ns_)); },
            .lock_wait = std::chrono::milliseconds(20),
            .sync =
                [this](int) {
                  ++syncs_;
                  return sync_error_.load();
                }};
  }
  /// Closes an open store, if any, and opens it again.
  void Open() {
    records_.reset();
    Result<Records> records = Records::Open(state_, Options());
    ASSERT_TRUE(records) << records.error().message;
    records_.emplace(std::move(*records));
  }
  Error Refusal() {
    records_.reset();
    Result<Records> records = Records::Open(state_, Options());
    EXPECT_FALSE(records);
    return records ? Error{} : std::move(records).error();
  }
  SessionId Insert(const SessionRecord& record) {
    const auto inserted = records_->Insert(record, Happened("submitted"));
    EXPECT_TRUE(inserted) << inserted.error().message;
    return record.snapshot.id;
  }
  SessionId Insert(const std::string& id, std::int64_t submitted_at_ns = 0) {
    return Insert(PlainRecord(id, submitted_at_ns));
  }
  void Append(const SessionId& id, const std::vector<benchd::Run>& runs) {
    Result<void> appended = records_->Append(id, runs, {});
    EXPECT_TRUE(appended) << appended.error().message;
  }
  SessionSnapshot Ended(const SessionId& id, std::int64_t ended_at_ns) {
    SessionSnapshot snapshot = PlainRecord(id.value).snapshot;
    snapshot.state = SessionState::kDone;
    snapshot.ended_at = Timestamp(Nanoseconds(ended_at_ns));
    return snapshot;
  }
  void End(const SessionId& id, std::int64_t ended_at_ns) {
    Result<void> updated = records_->Update(Ended(id, ended_at_ns), Happened("done"));
    EXPECT_TRUE(updated) << updated.error().message;
  }
  std::vector<benchd::Run> Runs(const SessionId& id, std::uint64_t first = 0,
                                std::uint64_t limit = kAll, std::uint64_t bytes = kAll) {
    Result<std::vector<benchd::Run>> runs = records_->LoadRuns(id, first, limit, bytes);
    EXPECT_TRUE(runs) << runs.error().message;
    return runs.value_or(std::vector<benchd::Run>{});
  }
  std::vector<HistoryEntry> History(const SessionId& id) {
    Result<std::vector<HistoryEntry>> history = records_->History(id);
    EXPECT_TRUE(history) << history.error().message;
    return history.value_or(std::vector<HistoryEntry>{});
  }
  Records::AtStart AtStart() {
    Result<Records::AtStart> start = records_->LoadAtStart(Timestamp(), 20);
    EXPECT_TRUE(start) << start.error().message;
    return start.value_or(Records::AtStart{});
  }
  std::vector<SessionView> ListEnded(const SessionFilter& filter = {}) {
    Result<std::vector<SessionView>> views = records_->ListEnded(filter);
    EXPECT_TRUE(views) << views.error().message;
    return views.value_or(std::vector<SessionView>{});
  }
  /// The ids of all sessions, in order.
  std::string Ids() {
    const auto database = Connect();
    Statement select(*database, "SELECT id FROM sessions WHERE state <> 'deleted' ORDER BY key");
    std::string ids;
    Result<void> read = select.Query([&ids, &select] { ids += select.Text(0); });
    EXPECT_TRUE(read) << read.error().message;
    return ids;
  }
  /// A second connection, as from an administrator's shell.
  std::unique_ptr<Database> Connect() {
    Result<std::unique_ptr<Database>> other = Database::Open(database_);
    EXPECT_TRUE(other) << other.error().message;
    return other ? std::move(*other) : nullptr;
  }
  void Execute(const std::string& sql) {
    Result<void> done = Connect()->Execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  std::int64_t Number(std::string_view sql) {
    Result<std::int64_t> number = Connect()->QueryInteger(sql);
    EXPECT_TRUE(number) << number.error().message;
    return number.value_or(-1);
  }
  /// The steps of SQLite's plan for a query with seven parameters at most.
  std::string PlanOf(const std::string& query) {
    const auto database = Connect();
    const std::string sql = "EXPLAIN QUERY PLAN " + query;
    Statement plan(*database, sql);
    std::string steps;
    Result<void> read = plan.Query([&] { steps += (steps.empty() ? "" : "; ") + plan.Text(3); });
    EXPECT_TRUE(read) << read.error().message;
    return steps;
  }
  /// Makes the file, which is closed, one that benchd 0.3.0 could have left.
  void MakeItOfSchema5() {
    records_.reset();
    Execute(
        "DROP TABLE labels; DROP INDEX sessions_by_end; DROP INDEX sessions_by_state;"
        "DROP INDEX sessions_by_start; DROP INDEX sessions_by_submission;"
        "DROP INDEX sessions_by_request; ALTER TABLE sessions DROP COLUMN priority;"
        "ALTER TABLE sessions DROP COLUMN started_at_ns; ALTER TABLE sessions DROP COLUMN held_ns;"
        "CREATE INDEX sessions_by_end ON sessions (ended_at_ns, uid, bytes);"
        "PRAGMA user_version = 5");
  }
  /// The files in the state folder whose names begin so, in order.
  std::vector<std::string> FilesNamed(const std::string& beginning) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(state_)) {
      std::string name = entry.path().filename().string();
      if (name.starts_with(beginning)) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  /// For EXPECT_WORDING: the folder's name differs in each run.
  test::Replacements Places() const { return {{folder_.path(), "DIR"}}; }

  TempFolder folder_;
  std::filesystem::path state_ = folder_ / "state/benchd";
  std::filesystem::path database_ = state_ / "benchd.db";
  std::filesystem::path log_ = state_ / "benchd.db-wal";
  std::filesystem::path environment_ = state_ / "environments" / "0123abcd.json";
  std::int64_t steady_ns_ = 0;
  std::atomic<int> syncs_ = 0;       ///< number of files synced by benchd itself
  std::atomic<int> sync_error_ = 0;  ///< the error number of further syncs
  std::optional<Records> records_;
};

}  // namespace benchd::store
