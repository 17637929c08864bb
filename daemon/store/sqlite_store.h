#pragma once

#include <filesystem>
#include <memory>

#include "daemon/base/result.h"
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

/// Opens the store in `state_dir`, making folder (0700) and file where there are none. Blocks: at
/// start-up only.
///
/// @errors kPermissionDenied when the folder cannot be written; kFailedPrecondition when the file
///         is no database, another program's, damaged, or written by a newer benchd.
Result<std::unique_ptr<Store>> OpenStore(const std::filesystem::path& state_dir);

}  // namespace benchd
