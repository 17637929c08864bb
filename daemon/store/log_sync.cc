#include "daemon/store/log_sync.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <future>

#include "core/base/try.h"
#include "daemon/store/state_files.h"

namespace benchd::store {

int LogSync::SyncData(int file) { return ::fdatasync(file) == 0 ? 0 : errno; }

void LogSync::Add(UnsyncedFile file) {
  const std::lock_guard lock(mutex_);
  added_.push_back(std::move(file));
}

void LogSync::Request() {
  if (request_) {
    request_();
  } else {
    RunUnawaited();
  }
}

std::optional<Error> LogSync::TakeFailure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, std::nullopt);
}

Result<void> LogSync::Run() {
  std::vector<UnsyncedFile> written;
  {
    const std::lock_guard lock(mutex_);
    written.swap(added_);
  }
  // On a busy disk, syncs that follow each other take up to a second each, but syncs at the same
  // time share the file system's commit. Without a free thread, get() performs the other one.
  std::future<Result<void>> others;
  if (!written.empty()) {
    others = std::async(std::launch::async | std::launch::deferred,
                        [this, &written] { return SyncWritten(written); });
  }
  Result<void> synced = SyncLog();
  if (others.valid()) {
    Result<void> other = others.get();
    if (synced) synced = std::move(other);
  }
  return synced;
}

void LogSync::RunUnawaited() {
  Result<void> synced = Run();
  if (synced) return;
  const std::lock_guard lock(mutex_);
  failure_ = std::move(synced).error();
}

/// Syncs files and their entries in their folders.
Result<void> LogSync::SyncWritten(const std::vector<UnsyncedFile>& written) const {
  for (const UnsyncedFile& file : written) {
    if (const int failed = sync_(file.file.get())) return FileNotKept(file.path, failed);
    TRY_VOID(Sync(file.path.parent_path()));
  }
  return {};
}

Result<void> LogSync::SyncLog() {
  TRY_VOID(OpenLog());
  if (!open_log_) return {};
  if (const int failed = sync_(open_log_.get())) return FileNotKept(log_, failed);
  return {};
}

/// Opens the log, unless it is open. A log that does not exist has no commits. SQLite keeps the
/// file as long as the database is open; another program may have replaced it nevertheless.
Result<void> LogSync::OpenLog() {
  struct stat status {};
  if (open_log_ && ::fstat(open_log_.get(), &status) == 0 && status.st_nlink > 0) return {};
  open_log_ = UniqueFd(::open(log_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!open_log_) return errno == ENOENT ? Result<void>{} : FileNotKept(log_, errno);
  return Sync(log_.parent_path());
}

}  // namespace benchd::store
