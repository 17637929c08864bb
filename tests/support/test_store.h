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

/// A real store for the tests of those who use one: in a folder of its own, in memory where there
/// is /dev/shm, without a thread; and what such tests look at. Used by one thread at a time.
class TestStore {
 public:
  TestStore();

  operator Store&() { return *store_; }  // NOLINT(google-explicit-constructor): it is one
  /// Its disk, to be set full or failing.
  FaultVfs& disk() { return disk_; }
  std::string file() const { return folder_ / "benchd.db"; }
  /// What is said of it while its disk is full.
  std::string full() const { return file() + ": the disk is full"; }

  /// Asks from outside of any loop.
  template <typename Answer, typename... P, typename... A>
  Answer Ask(Answer (Records::*call)(P...), A... arguments) {
    asio::io_context loop;
    return RunToEnd(loop, store_->Do(call, std::move(arguments)...));
  }
  /// Called whenever runs are kept, before they are.
  std::function<void()> during_append;
  /// Keeps a session that is not there yet.
  void Keep(SessionRecord record, const std::string& what = "submitted");
  std::vector<Run> runs(const SessionId& id);
  /// What happened to a session, without the times.
  std::vector<std::string> history(const SessionId& id);
  /// Of all sessions, in the order in which they came.
  std::vector<std::string> ids();
  QueueMode mode();
  /// SQL by a connection of its own, as an administrator's shell would be.
  void Execute(const std::string& sql);
  /// Refuses from now on what makes a session's state one of `states`, such as "'done', 'failed'".
  void RefuseStates(const std::string& states);

 private:
  StoreOptions Options();

  FaultVfs disk_;
  TempFolder folder_;
  std::unique_ptr<Store> store_;
};

}  // namespace benchd
