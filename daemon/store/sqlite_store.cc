#include "daemon/store/sqlite_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/error.h"
#include "daemon/base/unique_fd.h"
#include "daemon/store/database.h"
#include "daemon/store/environment_files.h"
#include "daemon/store/run_table.h"
#include "daemon/store/schema.h"
#include "daemon/store/session_table.h"
#include "daemon/store/writer_thread.h"

namespace benchd {
namespace store {
namespace {

constexpr char kStateDirHint[] = "choose another --state-dir, or make this one writable";

Error WithHint(Error error, const char* hint) {
  error.hint = hint;
  return error;
}

/// Makes `folder` and what is missing above it, for this user alone.
Result<void> MakeFolder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  if (errno == ENOENT && folder.has_parent_path() && folder.parent_path() != folder) {
    if (Result<void> made = MakeFolder(folder.parent_path()); !made) return made;
    if (::mkdir(folder.c_str(), 0700) == 0) return {};
  }
  if (errno != EEXIST) return WithHint(SystemError(folder.string(), errno), kStateDirHint);
  std::error_code failed;
  if (std::filesystem::is_directory(folder, failed)) return {};
  return WithHint(SystemError(folder.string(), ENOTDIR), kStateDirHint);
}

/// SQLite would make the file readable for all; its log and index files take on the file's mode.
Result<void> MakePrivateFile(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return WithHint(SystemError(file.string(), errno), kStateDirHint);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return SystemError(file.string(), errno);
  if ((status.st_mode & 077) != 0 && ::fchmod(fd.get(), 0600) != 0) {
    return SystemError(file.string(), errno);
  }
  return {};
}

/// What the writer thread works on; only it, once there is one.
struct Files {
  std::unique_ptr<Database> database;
  SessionTable sessions;
  RunTable runs;
  EnvironmentFiles environments;

  Result<void> Insert(SessionRecord record);
  Result<void> Update(const SessionSnapshot& snapshot);
  Result<SessionRecord> Load(const SessionId& id);
  Result<std::vector<SessionRecord>> LoadAll();
};

/// The row is undone when the values cannot be written, and the other way round.
Result<void> Files::Insert(SessionRecord record) {
  const SessionId& id = record.snapshot.id;
  const EnvironmentValues values = TakeEnvironment(record.spec);
  Result<Transaction> transaction = Transaction::Begin(*database);
  if (!transaction) return std::move(transaction).error();
  if (Result<void> inserted = sessions.Insert(record); !inserted) return inserted;
  const bool kept_apart = !values.empty() && !IsFinal(record.snapshot.state);
  if (kept_apart) {
    if (Result<void> written = environments.Write(id, values); !written) {
      return std::move(written).error().Within("keeping the environment");
    }
  }
  Result<void> committed = transaction->Commit();
  if (!committed && kept_apart) static_cast<void>(environments.Remove(id));
  return committed;
}

Result<void> Files::Update(const SessionSnapshot& snapshot) {
  if (Result<void> updated = sessions.Update(snapshot); !updated) return updated;
  if (!IsFinal(snapshot.state)) return {};
  Result<void> removed = environments.Remove(snapshot.id);
  if (!removed) return std::move(removed).error().Within("deleting the environment");
  return {};
}

Result<SessionRecord> Files::Load(const SessionId& id) {
  Result<SessionRecord> record = sessions.Load(id);
  if (!record) return record;
  if (Result<void> merged = environments.Merge(id, record->spec); !merged) {
    return std::move(merged).error();
  }
  return record;
}

Result<std::vector<SessionRecord>> Files::LoadAll() {
  Result<std::vector<SessionRecord>> records = sessions.LoadAll();
  if (!records) return records;
  for (SessionRecord& record : *records) {
    if (IsFinal(record.snapshot.state)) continue;
    Result<void> merged = environments.Merge(record.snapshot.id, record.spec);
    if (!merged) return std::move(merged).error();
  }
  return records;
}

/// The ports: each call becomes one piece of work for the thread.
class SqliteStore : public Store {
 public:
  explicit SqliteStore(Files files) : files_(std::move(files)) {}

  asio::awaitable<Result<void>> AppendBlock(SessionId id, std::vector<Run> runs) override {
    auto append = [this, id = std::move(id), runs = std::move(runs)] {
      return files_.runs.Append(id, runs);
    };
    return writer_.Do(std::move(append));
  }

  asio::awaitable<Result<std::vector<Run>>> LoadRuns(SessionId id, std::uint64_t first,
                                                     std::uint64_t limit) override {
    auto load = [this, id = std::move(id), first, limit] {
      return files_.runs.Load(id, first, limit);
    };
    return writer_.Do(std::move(load));
  }

  asio::awaitable<Result<void>> AppendLog(SessionId id, std::string text) override {
    auto append = [this, id = std::move(id), text = std::move(text)] {
      return files_.runs.AppendLog(id, text);
    };
    return writer_.Do(std::move(append));
  }

  asio::awaitable<Result<std::string>> LoadLog(SessionId id) override {
    auto load = [this, id = std::move(id)] { return files_.runs.LoadLog(id); };
    return writer_.Do(std::move(load));
  }

  asio::awaitable<Result<void>> Insert(SessionRecord record) override {
    auto insert = [this, record = std::move(record)]() mutable {
      return files_.Insert(std::move(record));
    };
    return writer_.Do(std::move(insert));
  }

  asio::awaitable<Result<void>> Update(SessionSnapshot snapshot) override {
    auto update = [this, snapshot = std::move(snapshot)] { return files_.Update(snapshot); };
    return writer_.Do(std::move(update));
  }

  asio::awaitable<void> Settle() override {
    auto settle = [this] {
      files_.database->Checkpoint();
      return true;
    };
    co_await writer_.Do(std::move(settle));
  }

  asio::awaitable<Result<SessionRecord>> Load(SessionId id) override {
    auto load = [this, id = std::move(id)] { return files_.Load(id); };
    return writer_.Do(std::move(load));
  }

  asio::awaitable<Result<std::vector<SessionRecord>>> LoadAll() override {
    auto load = [this] { return files_.LoadAll(); };
    return writer_.Do(std::move(load));
  }

 private:
  Files files_;
  WriterThread writer_;  // the last member: joined before the files close
};

/// Opens everything; the thread does not exist yet.
Result<Files> OpenFiles(const std::filesystem::path& state_dir) {
  const std::filesystem::path file = state_dir / "benchd.db";
  if (Result<void> made = MakeFolder(state_dir); !made) return std::move(made).error();
  if (Result<void> made = MakePrivateFile(file); !made) return std::move(made).error();
  Result<std::unique_ptr<Database>> database = Database::Open(file);
  if (!database) return std::move(database).error();
  if (Result<void> made = PrepareSchema(**database); !made) return std::move(made).error();
  Result<SessionTable> sessions = SessionTable::Open(**database);
  if (!sessions) return std::move(sessions).error();
  Result<RunTable> runs = RunTable::Open(**database);
  if (!runs) return std::move(runs).error();
  Result<EnvironmentFiles> environments = EnvironmentFiles::Open(state_dir);
  if (!environments) return std::move(environments).error();
  Result<std::set<SessionId>> unfinished = sessions->Unfinished();
  if (!unfinished) return std::move(unfinished).error();
  if (Result<void> swept = environments->Sweep(*unfinished); !swept) {
    return std::move(swept).error();
  }
  return Files{std::move(*database), std::move(*sessions), std::move(*runs),
               std::move(*environments)};
}

}  // namespace
}  // namespace store

Result<std::unique_ptr<Store>> OpenStore(const std::filesystem::path& state_dir) {
  Result<store::Files> files = store::OpenFiles(state_dir);
  if (!files) return std::move(files).error().Within("opening the store");
  return std::unique_ptr<Store>(std::make_unique<store::SqliteStore>(std::move(*files)));
}

}  // namespace benchd
