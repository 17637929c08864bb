#include "daemon/store/open_database.h"

#include <unistd.h>

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
Result<void> MakeUsable(Database& database, const FileState& state,
                        std::vector<std::string>& warnings) {
  if (Result<void> ready = database.SetUp(); !ready) return ready;
  Result<int> version = SchemaVersion(database);
  if (!version) return std::move(version).error();
  if (*version == 0) return Create(database);
  if (Result<void> writable = TryToWrite(database); !writable) return writable;
  const bool grown = *version != kSchemaVersion;
  const bool all = state.to_be_read_whole() || grown;
  if (Result<void> sound = CheckFile(database, all); !sound) return sound;
  if (Result<void> logged = UseWriteAheadLog(database); !logged) return logged;
  if (!grown) return {};
  Result<std::filesystem::path> backup = Migrate(database, *version);
  if (!backup) return std::move(backup).error();
  warnings.push_back(database.path() + ": migrated from schema " + std::to_string(*version) +
                     " to " + std::to_string(kSchemaVersion) +
                     "; as it was before, it is kept as " + backup->string());
  return {};
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
  Result<void> usable = MakeUsable(**database, state, opened.warnings);
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

namespace {

/// Writes the copy under a name of its own first: no half of one is ever called a backup.
Result<void> WriteCopy(Database& database, const std::filesystem::path& unfinished) {
  ::unlink(unfinished.c_str());  // what an interrupted attempt left
  // VACUUM INTO takes an empty file, so that this one's mode counts.
  if (Result<void> made = MakePrivateFile(unfinished); !made) return made;
  Result<Statement> copy = database.Prepare("VACUUM INTO ?");
  if (!copy) return std::move(copy).error();
  if (Result<void> copied = copy->Run(unfinished.string()); !copied) return copied;
  return Sync(unfinished);
}

Result<std::filesystem::path> BackUp(Database& database, int version) {
  const std::filesystem::path name = database.path() + ".v" + std::to_string(version) + ".backup";
  const std::filesystem::path unfinished = name.string() + ".tmp";
  const std::filesystem::path backup = FreeName(name);
  Result<void> done = WriteCopy(database, unfinished);
  if (done) done = Rename(unfinished, backup);
  if (done) done = Sync(name.parent_path());
  if (done) return backup;
  ::unlink(unfinished.c_str());
  return std::move(done).error();
}

Result<void> Upgrade(Database& database, int version) {
  Result<Transaction> transaction = Transaction::Begin(database, Durability::kPowerLoss);
  if (!transaction) return std::move(transaction).error();
  if (Result<void> done = UpgradeTables(database, version); !done) return done;
  return transaction->Commit();
}

}  // namespace

Result<std::filesystem::path> Migrate(Database& database, int version) {
  Result<std::filesystem::path> backup = BackUp(database, version);
  if (!backup) return std::move(backup).error().Within("backing up before the migration");
  if (Result<void> upgraded = Upgrade(database, version); !upgraded) {
    return std::move(upgraded).error().Within("migrating to schema " +
                                              std::to_string(kSchemaVersion));
  }
  return backup;
}

}  // namespace benchd::store
