#include "daemon/store/open_database.h"

#include <optional>
#include <string>
#include <utility>

#include "daemon/store/damage.h"
#include "daemon/store/disk.h"
#include "daemon/store/schema.h"

namespace benchd::store {
namespace {

/// Whether somebody else writes, and whether we may: learned now and not at the first submission.
Result<void> TryToWrite(Database& database) {
  Result<Transaction> transaction = Transaction::Begin(database);
  if (!transaction) return std::move(transaction).error();
  return {};
}

Result<void> Create(Database& database) {
  // Before there is a log: our mark belongs into the file itself, or it is not known to be ours
  // once it is damaged.
  if (Result<void> made = CreateSchema(database); !made) return made;
  if (Result<void> logged = UseWriteAheadLog(database); !logged) return logged;
  return Sync(std::filesystem::path(database.path()).parent_path());
}

/// Everything that can meet damage.
Result<void> MakeUsable(Database& database, const FileState& state, bool& migrated) {
  if (Result<void> ready = database.SetUp(); !ready) return ready;
  Result<bool> made = HasSchema(database);
  if (!made) return std::move(made).error();
  if (!*made) return Create(database);
  if (Result<void> writable = TryToWrite(database); !writable) return writable;
  if (Result<void> sound = CheckFile(database, state.to_be_read_whole()); !sound) return sound;
  Result<bool> raised = Migrate(database);
  if (!raised) return std::move(raised).error();
  migrated = *raised;
  return UseWriteAheadLog(database);
}

/// What is wrong with a file that has to be set aside, and what is lost with it.
struct Damage {
  Error error;
  std::string loss;
};

/// Nothing when the database is usable.
Result<std::optional<Damage>> TryToOpen(const std::filesystem::path& file,
                                        std::chrono::milliseconds lock_wait,
                                        OpenedDatabase& opened) {
  const FileState state = LookAt(file);
  if (Result<void> made = MakePrivateFile(file); !made) return std::move(made).error();
  if (state.emptied) {
    return std::optional(Damage{{ErrorCode::kFailedPrecondition,
                                 file.string() + ": empty, although sessions were kept in it",
                                 {}},
                                "all sessions"});
  }
  if (state.to_be_read_whole()) ReadAhead(file);
  Result<std::unique_ptr<Database>> database = Database::OpenUnread(file, lock_wait);
  if (!database) return std::move(database).error();
  Result<void> usable = MakeUsable(**database, state, opened.migrated);
  if (usable) {
    opened.database = std::move(*database);
    return std::optional<Damage>();
  }
  if (!(*database)->found_damage()) return std::move(usable).error();
  Damage damage{std::move(usable).error(), DescribeLoss(**database)};
  database->reset();
  if (IsOfAnotherProgram(file)) return OfAnotherProgram(file);
  return std::optional(std::move(damage));
}

}  // namespace

Result<OpenedDatabase> OpenDatabase(const std::filesystem::path& folder,
                                    std::chrono::milliseconds lock_wait) {
  if (Result<void> made = MakeFolder(folder); !made) return std::move(made).error();
  const std::filesystem::path file = folder / "benchd.db";
  OpenedDatabase opened;
  Result<std::optional<Damage>> damage = TryToOpen(file, lock_wait, opened);
  if (!damage) return std::move(damage).error();
  if (!*damage) return opened;
  Result<std::filesystem::path> aside = SetAside(file);
  if (!aside) return std::move(aside).error().Within("setting a damaged database aside");
  opened.warnings.push_back((*damage)->error.message + "; set aside as " + aside->string() +
                            "; lost to benchd: " + (*damage)->loss);
  damage = TryToOpen(file, lock_wait, opened);
  if (!damage) return std::move(damage).error();
  // A disk that damages what has just been written: nothing to go on with.
  if (*damage) return std::move((*damage)->error);
  return opened;
}

}  // namespace benchd::store
