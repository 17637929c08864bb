#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "core/base/result.h"
#include "core/base/time.h"
#include "daemon/ports/sample_store.h"
#include "daemon/ports/session_archive.h"

namespace benchd {

/// Both ports on one SQLite file: STATE/benchd.db (0600), environment values beside it in
/// STATE/environments/ (environment_files.h).
///
/// Called on the loop's thread, which never waits: the work happens on one thread of its own, in
/// the order of the calls, and the answer comes back on the executor of the caller. Declared after
/// the loop, so that it goes first: its destruction finishes what was asked and closes the file.
///
/// @errors of every call, besides those of the ports: kResourceExhausted when the disk is full,
///         kUnavailable when another process holds the file for more than five seconds,
///         kFailedPrecondition when it is damaged, kPermissionDenied when it cannot be written. A
///         call that fails changed nothing; only an Update() whose message begins "deleting the
///         environment" is committed and left the values' file.
class Store : public SampleStore, public SessionArchive {};

struct StoreOptions {
  /// By this clock commits reach the disk each second; asked on the writer thread.
  std::function<SteadyTime()> steady = [] { return SteadyTime(std::chrono::steady_clock::now()); };
  /// How long another process' lock is waited for.
  std::chrono::milliseconds lock_wait{5000};
};

/// Opens the store in `state_dir`, making folder (0700) and file where there are none. Blocks: at
/// start-up only, a second for each gibibyte that has to be checked (store/damage.h).
///
/// An older database is migrated after a backup (store/migration.h); a damaged one is set aside and
/// a new one made. LoadAll() then tells of it, in `complaints`.
/// @errors kPermissionDenied when folder or file cannot be written; kUnavailable when another
///         process holds the file; kFailedPrecondition when it is another program's, or written by
///         a newer benchd. The file is then left as it is.
Result<std::unique_ptr<Store>> OpenStore(const std::filesystem::path& state_dir,
                                         const StoreOptions& options = {});

}  // namespace benchd
