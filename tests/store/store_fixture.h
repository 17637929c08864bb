#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
            .lock_wait = std::chrono::milliseconds(20)};
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
    Result<void> inserted = records_->Insert(record, Happened("submitted"));
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
  Records::All All() {
    Result<Records::All> contents = records_->LoadAll();
    EXPECT_TRUE(contents) << contents.error().message;
    return contents.value_or(Records::All{});
  }
  /// The ids of all sessions, in order.
  std::string Ids() {
    std::string ids;
    for (const StoredSession& session : All().sessions) ids += session.head.id.value;
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
  /// The files in the state folder whose names have this prefix, in order.
  std::vector<std::string> FilesNamed(const std::string& beginning) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(state_)) {
      std::string name = entry.path().filename().string();
      if (name.starts_with(beginning)) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  TempFolder folder_;
  std::filesystem::path state_ = folder_ / "state/benchd";
  std::filesystem::path database_ = state_ / "benchd.db";
  std::filesystem::path log_ = state_ / "benchd.db-wal";
  std::filesystem::path environment_ = state_ / "environments" / "0123abcd.json";
  std::int64_t steady_ns_ = 0;
  std::optional<Records> records_;
};

}  // namespace benchd::store
