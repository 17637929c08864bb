#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/file.h"
#include "daemon/launch/callers.h"
#include "daemon/launch/event_loop.h"
#include "daemon/runner/running_batch.h"
#include "daemon/wire/messages.h"

namespace benchd {

class Peer;

class PeerOwner {
 public:
  /// Called when the connection is closed and its last run has ended. The owner may destroy `peer`
  /// in this function.
  virtual void OnPeerGone(Peer& peer) = 0;

 protected:
  ~PeerOwner() = default;
};

/// One connection from benchd. It decodes requests, owns the children, and sends answers.
///
/// If benchd disconnects or sends an invalid message, the run in progress is killed with all its
/// descendants before the owner is called.
class Peer final : public EventSink, public BatchOwner, public CallersOwner, public LookupsOwner {
 public:
  Peer(MeasuredRun::Services services, UniqueFd socket, PeerOwner& owner);
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Closes the connection. Calls the owner at once if no run is in progress.
  void HangUp();

  /// Returns true if benchd has closed its end, even if the event loop has not served that event
  /// yet.
  bool IsClosed() const;

 private:
  /// A request that is carried out in order of arrival. Later ordered requests wait while the
  /// caller of a child is being looked up.
  struct Ordered {
    std::uint64_t request = 0;
    std::variant<wire::OpenChild, wire::CloseChildren, wire::RunBatch, wire::CancelRun> message;
  };

  void OnReady(int fd, std::uint32_t events) override;
  void OnBatchFinished(wire::BatchFigures finished) override;
  void OnCallerKnown() override;
  void OnLookedUp(std::uint64_t request, Result<ProgramIdentity> program) override;

  void Handle(std::uint64_t request, wire::Hello message);
  void Handle(std::uint64_t request, wire::Resolve message);
  void Handle(std::uint64_t request, wire::AcquireMachine message);
  void Handle(std::uint64_t request, wire::ReleaseMachine message);
  void Handle(std::uint64_t request, wire::DescribeMachine message);
  void Handle(std::uint64_t request, wire::ApplyProfile message);
  void Handle(std::uint64_t request, wire::RestoreMachine message);
  void Handle(std::uint64_t request, wire::DiagnoseMachine message);
  /// Queues ordered requests, and rejects messages that only a runner may send.
  template <typename Other>
  void Handle(std::uint64_t request, Other message);

  void ServeInOrder();
  void Do(std::uint64_t request, wire::OpenChild message);
  void Do(std::uint64_t request, wire::CloseChildren message);
  void Do(std::uint64_t request, wire::RunBatch message);
  void Do(std::uint64_t request, wire::CancelRun message);
  Result<void> Open(wire::OpenChild message);
  Result<void> CheckSampling(const Profile& profile, const std::vector<int>& cpus) const;
  void ForgetChildren();
  void LimitEach(Caller& caller) const;
  ChildSettings SettingsOf(const std::vector<int>& cpus) const;
  void FinishDiagnosis();
  void Answer(std::uint64_t request, const wire::Message& message);
  void LeaveIfDone();

  const MeasuredRun::Services services_;
  PeerOwner& owner_;
  UniqueFd socket_;
  std::optional<Watch> watch_;
  bool greeted_ = false;
  bool gone_ = false;
  RunningBatch::Children children_;
  RunningBatch batch_;
  std::uint64_t batch_request_ = 0;  ///< the request of the current batch
  std::deque<Ordered> ordered_;
  Callers callers_;
  Lookups lookups_;
  Timer diagnosis_timer_;
  MachineSample diagnosis_before_;
  std::vector<std::uint64_t> diagnoses_;  ///< requests that wait for the timer
};

}  // namespace benchd
