#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "daemon/runner/callers.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/helper_process.h"
#include "daemon/runner/host.h"
#include "daemon/runner/process_tree.h"
#include "daemon/wire/messages.h"

namespace benchd {

class LookupsOwner {
 public:
  /// Of the lookup that was added under that number.
  virtual void OnLookedUp(std::uint64_t request, Result<ProgramIdentity> program) = 0;

 protected:
  ~LookupsOwner() = default;
};

/// Programs that are looked up as their callers, each in a helper of its own, beside whatever runs.
///
/// What one user asks for costs no other one anything: each has few helpers at a time and a bounded
/// number that wait, and every lookup is answered within a minute, if only by an error of its own.
/// benchd takes a longer silence for the runner's death.
class Lookups final : public EventSink, public HelperOwner {
 public:
  Lookups(EventLoop& loop, const Host& host, ProcessTree& tree, Callers& callers,
          LookupsOwner& owner);
  Lookups(const Lookups&) = delete;
  Lookups& operator=(const Lookups&) = delete;

  /// The owner is told the answer, perhaps at once.
  void Add(std::uint64_t request, wire::Resolve question);

  /// Starts what can be started: also when a caller has become known.
  void GoOn();

  /// Ends all of them; nobody is told.
  void Clear();

 private:
  struct Waiting {
    std::uint64_t request = 0;
    wire::Resolve question;
    std::int64_t until_ns = 0;
  };
  struct Running {
    std::uint64_t request = 0;
    uid_t uid = 0;
    std::string program;
    std::unique_ptr<HelperProcess> helper;
    bool is_hung = false;  ///< answered; it stays until the kernel lets go of it
  };

  void OnReady(int fd, std::uint32_t events) override;
  void OnHelperDone(HelperProcess& helper, Result<std::string> answer) override;
  bool HasRoomFor(uid_t uid) const;
  Result<void> Start(const Waiting& lookup, Caller caller);

  EventLoop& loop_;
  const Host& host_;
  ProcessTree& tree_;
  Callers& callers_;
  LookupsOwner& owner_;
  Timer timer_;
  std::deque<Waiting> waiting_;  ///< the oldest first
  std::vector<Running> running_;
};

}  // namespace benchd
