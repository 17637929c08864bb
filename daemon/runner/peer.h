#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/file.h"
#include "daemon/runner/callers.h"
#include "daemon/runner/event_loop.h"
#include "daemon/runner/running_batch.h"
#include "daemon/wire/messages.h"

namespace benchd {

class Peer;

class PeerOwner {
 public:
  /// The connection has ended and nothing of it runs any more. May destroy `peer`.
  virtual void OnPeerGone(Peer& peer) = 0;

 protected:
  ~PeerOwner() = default;
};

/// One connection from benchd: decodes its requests, keeps its children, answers.
///
/// When benchd goes, or says something that is no message, the run under way is killed with all its
/// descendants before the owner is told.
class Peer final : public EventSink, public BatchOwner, public CallersOwner, public LookupsOwner {
 public:
  Peer(MeasuredRun::Services services, UniqueFd socket, PeerOwner& owner);
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Ends the connection from this side. Tells the owner at once when nothing runs.
  void HangUp();

  /// True when benchd has closed its end, even if that has not been served yet.
  bool IsClosed() const;

 private:
  /// These are carried out in the order in which they came, also while a child's caller has to be
  /// looked up first.
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
  /// What is carried out in order, and whatever only a runner says.
  template <typename Other>
  void Handle(std::uint64_t request, Other message);

  void ServeInOrder();
  void Do(std::uint64_t request, wire::OpenChild message);
  void Do(std::uint64_t request, wire::CloseChildren message);
  void Do(std::uint64_t request, wire::RunBatch message);
  void Do(std::uint64_t request, wire::CancelRun message);
  Result<void> Open(wire::OpenChild message);
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
  std::uint64_t batch_request_ = 0;  ///< whose the batch under way is
  std::deque<Ordered> ordered_;
  Callers callers_;
  Lookups lookups_;
  Timer diagnosis_timer_;
  MachineSample diagnosis_before_;
  std::vector<std::uint64_t> diagnoses_;  ///< requests that wait for the timer
};

}  // namespace benchd
