#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/result.h"
#include "daemon/base/session_id.h"
#include "daemon/model/session.h"
#include "daemon/ports/clock.h"
#include "daemon/ports/launcher.h"
#include "daemon/ports/machine.h"
#include "daemon/ports/random_source.h"
#include "daemon/ports/sample_store.h"
#include "daemon/ports/session_archive.h"
#include "daemon/session/event_hub.h"
#include "daemon/session/run_session.h"

namespace benchd {

/// Who may do more than look after their own sessions (contract.md "Who may do what").
struct QueuePolicy {
  bool allow_root = false;  ///< may uid 0 run children?
  /// user mode: everything belongs to one user, who may do all.
  bool single_user = false;
  std::optional<std::uint32_t> admin_gid;  ///< members may do all; root always may
};

struct QueueStatus {
  bool paused = false;
  bool draining = false;
  std::uint64_t queued = 0;
  std::optional<SessionId> running;
};

/// What List() is asked for.
struct SessionFilter {
  bool all = false;  ///< ended ones too
  std::optional<SessionState> state;
  std::map<std::string, std::string> labels;  ///< all must match
};

/// A session as somebody may see it; `visible` is false for others': then only id, uid and state count.
struct SessionView {
  SessionRecord record;
  bool visible = true;
};

/// Admission, order, who may, and the one session that runs. Lives on the loop's thread.
///
/// Every method takes the caller from the connection and answers kPermissionDenied or, where even the
/// existence is none of theirs, kNotFound. An id may be any unique prefix.
class Queue {
 public:
  struct Services {
    Launcher& launcher;
    Machine& machine;
    SampleStore& store;
    SessionArchive& archive;
    const Clock& clock;
    RandomSource& random;
    EventHub& hub;
  };

  Queue(asio::any_io_executor executor, Services services, QueuePolicy policy);

  /// Loads the archive: queued sessions keep their place, one that was running has failed.
  asio::awaitable<Result<void>> Load();

  /// Takes sessions one after the other until Stop(); the one that runs then is cancelled.
  asio::awaitable<void> Work();
  void Stop();

  /// Checks the spec, resolves its programs as the caller, commits it and queues it.
  asio::awaitable<Result<SessionSnapshot>> Submit(SessionSpec spec, std::string request_id);

  Result<SessionRecord> Get(const Caller& caller, const std::string& id_prefix) const;
  std::vector<SessionView> List(const Caller& caller, const SessionFilter& filter) const;
  /// Answers when the session has ended and its children are gone.
  asio::awaitable<Result<SessionSnapshot>> Cancel(Caller caller, std::string id_prefix);

  Result<QueueStatus> SetPaused(const Caller& caller, bool paused, bool draining);
  QueueStatus Status() const;

  /// True when nothing runs and nothing waits; for the idle exit of a user daemon.
  bool Idle() const;

 private:
  class Impl;
  // Shared by the queue and by the coroutines it started, which may end after it.
  std::shared_ptr<Impl> impl_;
};

}  // namespace benchd
