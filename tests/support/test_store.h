#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/run.h"
#include "core/model/session.h"
#include "daemon/store/store.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/loop.h"
#include "tests/support/temp_folder.h"

namespace benchd {

/// A real store for tests: in a folder of its own (in memory if /dev/shm exists), without a thread,
/// and with access to its contents. Used by one thread at a time.
class TestStore {
 public:
  TestStore();

  operator Store&() { return *store_; }  // NOLINT(google-explicit-constructor): it is one
  /// Its disk, which can be made full or failing.
  FaultVfs& disk() { return disk_; }
  std::string file() const { return folder_ / "benchd.db"; }
  /// The error while its disk is full.
  std::string full() const { return file() + ": the disk is full"; }

  /// Queries the store from outside any loop.
  template <typename Answer, typename... P, typename... A>
  Answer Ask(Answer (Records::*call)(P...), A... arguments) {
    asio::io_context loop;
    return RunToEnd(loop, store_->Do(call, std::move(arguments)...));
  }
  int syncs = 0;       ///< number of files synced, except by SQLite
  int sync_error = 0;  ///< the error number of further syncs
  /// Called before runs are stored.
  std::function<void()> during_append;
  /// Stores a new session.
  void Keep(SessionRecord record, const std::string& what = "submitted");
  std::vector<Run> runs(const SessionId& id);
  /// The history of a session, without times.
  std::vector<std::string> history(const SessionId& id);
  /// The ids of all sessions, in the order in which they were stored.
  std::vector<std::string> ids();
  QueueMode mode();
  /// SQL by a connection of its own, as an administrator's shell would be.
  void Execute(const std::string& sql);
  /// From now on, rejects changes to a session's state to one of `states`, such as "'done',
  /// 'failed'".
  void RefuseStates(const std::string& states);

 private:
  StoreOptions Options();

  FaultVfs disk_;
  TempFolder folder_;
  std::unique_ptr<Store> store_;
};

}  // namespace benchd
