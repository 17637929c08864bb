#include "daemon/store/sqlite_store.h"

#include <string>
#include <utility>
#include <vector>

#include "daemon/store/store_files.h"
#include "daemon/store/writer_thread.h"

namespace benchd {
namespace store {
namespace {

/// The ports: each call becomes one piece of work for the thread.
class SqliteStore : public Store {
 public:
  explicit SqliteStore(StoreFiles files) : files_(std::move(files)) {}

  asio::awaitable<Result<void>> AppendRuns(SessionId id, std::vector<Run> runs) override {
    auto append = [this, id = std::move(id), runs = std::move(runs)] {
      return files_.AppendRuns(id, runs);
    };
    return writer_.Do(std::move(append));
  }

  asio::awaitable<Result<void>> DropBlock(SessionId id, std::uint32_t benchmark,
                                          std::uint64_t block) override {
    auto drop = [this, id = std::move(id), benchmark, block] {
      return files_.DropBlock(id, benchmark, block);
    };
    return writer_.Do(std::move(drop));
  }

  asio::awaitable<Result<std::vector<Run>>> LoadRuns(SessionId id, std::uint64_t first,
                                                     std::uint64_t limit) override {
    auto load = [this, id = std::move(id), first, limit] {
      return files_.LoadRuns(id, first, limit);
    };
    return writer_.Do(std::move(load));
  }

  asio::awaitable<Result<void>> AppendLog(SessionId id, std::string text) override {
    auto append = [this, id = std::move(id), text = std::move(text)] {
      return files_.AppendLog(id, text);
    };
    return writer_.Do(std::move(append));
  }

  asio::awaitable<Result<LogTail>> LoadLog(SessionId id, std::size_t most) override {
    auto load = [this, id = std::move(id), most] { return files_.LoadLog(id, most); };
    return writer_.Do(std::move(load));
  }

  asio::awaitable<Result<void>> Insert(SessionRecord record, HistoryEntry entry) override {
    auto insert = [this, record = std::move(record), entry = std::move(entry)]() mutable {
      return files_.Insert(std::move(record), entry);
    };
    return writer_.Do(std::move(insert));
  }

  asio::awaitable<Result<void>> Update(SessionSnapshot snapshot, HistoryEntry entry) override {
    auto update = [this, snapshot = std::move(snapshot), entry = std::move(entry)] {
      return files_.Update(snapshot, entry);
    };
    return writer_.Do(std::move(update));
  }

  asio::awaitable<Result<void>> Reprioritise(SessionId id, std::int32_t priority,
                                             HistoryEntry entry) override {
    auto change = [this, id = std::move(id), priority, entry = std::move(entry)] {
      return files_.Reprioritise(id, priority, entry);
    };
    return writer_.Do(std::move(change));
  }

  asio::awaitable<Result<std::vector<HistoryEntry>>> History(SessionId id) override {
    auto load = [this, id = std::move(id)] { return files_.History(id); };
    return writer_.Do(std::move(load));
  }

  asio::awaitable<Result<void>> KeepMode(QueueMode mode) override {
    auto keep = [this, mode] { return files_.KeepMode(mode); };
    return writer_.Do(std::move(keep));
  }

  asio::awaitable<Result<std::vector<SessionId>>> Prune(KeepPolicy policy, Timestamp now) override {
    auto prune = [this, policy, now] { return files_.Prune(policy, now); };
    return writer_.Do(std::move(prune));
  }

  asio::awaitable<void> Settle() override {
    auto settle = [this] {
      files_.Settle();
      return true;
    };
    co_await writer_.Do(std::move(settle));
  }

  asio::awaitable<Result<SessionRecord>> Load(SessionId id) override {
    auto load = [this, id = std::move(id)] { return files_.Load(id); };
    return writer_.Do(std::move(load));
  }

  asio::awaitable<Result<ArchiveContents>> LoadAll() override {
    auto load = [this] { return files_.LoadAll(); };
    return writer_.Do(std::move(load));
  }

 private:
  StoreFiles files_;
  WriterThread writer_;  // the last member: joined before the files close
};

}  // namespace
}  // namespace store

Result<std::unique_ptr<Store>> OpenStore(const std::filesystem::path& state_dir,
                                         const StoreOptions& options) {
  Result<store::StoreFiles> files = store::StoreFiles::Open(state_dir, options);
  if (!files) return std::move(files).error().Within("opening the store");
  return std::unique_ptr<Store>(std::make_unique<store::SqliteStore>(std::move(*files)));
}

}  // namespace benchd
