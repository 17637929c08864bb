#include "daemon/store/migration.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "daemon/store/disk.h"
#include "daemon/store/schema.h"

namespace benchd::store {
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
