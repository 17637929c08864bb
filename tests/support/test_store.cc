#include "tests/support/test_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "daemon/store/database.h"

namespace benchd {
namespace {

/// /dev/shm may be small in containers; the largest test stores some 100 MiB.
std::filesystem::path Memory() {
  const char* const memory = "/dev/shm";
  constexpr std::uintmax_t kEnough = std::uintmax_t{512} << 20;
  std::error_code none;
  const bool fits = ::access(memory, W_OK) == 0 &&
                    std::filesystem::space(memory, none).available >= kEnough && !none;
  return fits ? memory : std::filesystem::temp_directory_path();
}

}  // namespace

TestStore::TestStore()
    : folder_(Memory()), store_(std::move(Store::Open(folder_.path(), Options())).value()) {}

StoreOptions TestStore::Options() {
  return {.disk =
              [this](const std::string&) {
                if (during_append) during_append();
                return DiskSpace{};
              },
          .sync =
              [this](int) {
                ++syncs;
                return sync_error;
              },
          .own_thread = false};
}

void TestStore::Keep(SessionRecord record, const std::string& what) {
  const HistoryEntry entry{{}, what};
  const Result<std::uint64_t> kept = Ask(&Records::Insert, std::move(record), entry, nullptr);
  EXPECT_TRUE(kept || kept.error().code == ErrorCode::kAlreadyExists) << kept.error().message;
}

std::vector<Run> TestStore::runs(const SessionId& id) {
  return Ask(&Records::LoadRuns, id, 0, INT64_MAX, INT64_MAX).value();
}

std::vector<std::string> TestStore::history(const SessionId& id) {
  std::vector<std::string> texts;
  const Result<std::vector<HistoryEntry>> entries = Ask(&Records::History, id);
  for (const HistoryEntry& entry : entries.value()) texts.push_back(entry.what);
  return texts;
}

std::vector<std::string> TestStore::ids() {
  std::vector<std::string> ids;
  const Result<std::unique_ptr<store::Database>> other = store::Database::Open(file());
  store::Statement select(**other, "SELECT id FROM sessions WHERE state <> 'deleted' ORDER BY key");
  const Result<void> read = select.Query([&] { ids.push_back(select.Text(0)); });
  EXPECT_TRUE(read) << read.error().message;
  return ids;
}

QueueMode TestStore::mode() {
  return Ask(&Records::LoadAtStart, Timestamp(), std::uint64_t{1}).value().mode;
}

void TestStore::Execute(const std::string& sql) {
  const Result<std::unique_ptr<store::Database>> other = store::Database::Open(file());
  ASSERT_TRUE(other) << other.error().message;
  const Result<void> done = (*other)->Execute(sql);
  ASSERT_TRUE(done) << done.error().message;
}

void TestStore::RefuseStates(const std::string& states) {
  Execute("CREATE TRIGGER refuse BEFORE UPDATE ON sessions WHEN NEW.state IN (" + states +
          ") BEGIN SELECT RAISE(ABORT, 'no such state'); END");
}

}  // namespace benchd
