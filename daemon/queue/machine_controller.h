#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/child.h"
#include "core/model/session.h"
#include "core/model/session_spec.h"
#include "daemon/ports/ports.h"
#include "daemon/queue/exclusive_slot.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/session_registry.h"

namespace benchd {

/// How the machine stands, and the session that runs, whose settings these are then.
struct MachineView {
  MachineStatus status;
  std::optional<SessionId> session;
};

/// What may be asked about and of the machine itself: status, noise, apply, restore, reservations.
///
/// The runner hears none of it while it measures: everything but the status of a running session
/// waits for a turn of the queue, and a session waits until it is done. While somebody has the
/// machine reserved nothing is measured, and everybody is served at once. Loop's thread only; the
/// references outlive this, and this outlives the coroutines.
class MachineController {
 public:
  /// Whether the client has gone: what waited for its turn is then not begun.
  using Cancelled = std::function<bool()>;

  /// A wish for the machine, or the machine itself; given up when destroyed.
  class Reservation {
   public:
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&& other) = delete;
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    ~Reservation();

   private:
    friend class MachineController;
    Reservation(MachineController* controller, std::uint32_t uid, ExclusiveSlot::Turn turn);

    MachineController* controller_;
    std::uint32_t uid_;
    ExclusiveSlot::Turn turn_;
  };

  MachineController(Queue& queue, Runner& runner, AccessPolicy policy);
  MachineController(const MachineController&) = delete;
  MachineController& operator=(const MachineController&) = delete;

  /// During a session at once, from what the session was given; a question for another profile is
  /// answered in the notes then. All who wait with the same question have one turn, and its answer.
  /// @errors those of Runner::Describe(); kUnavailable when benchd stops; kCancelled for
  /// `cancelled`.
  asio::awaitable<Result<MachineView>> Describe(std::string profile, Cancelled cancelled);
  /// All who wait have one turn, and its answer. @errors those of Runner::Diagnose(), and as above.
  asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose(Cancelled cancelled);
  /// An empty profile is `default`.
  /// @errors kPermissionDenied for who is no admin; those of Runner::Apply(), and as above.
  asio::awaitable<Result<MachineStatus>> Apply(Caller caller, std::string profile,
                                               Cancelled cancelled);
  /// @errors kPermissionDenied for who is no admin; those of Runner::Restore(), and as above.
  asio::awaitable<Result<MachineStatus>> Restore(Caller caller, Cancelled cancelled);

  /// `held` is called once, later, when the caller has the machine; never after the Reservation is
  /// destroyed. That it lasts no longer than `wanted` is the caller's matter.
  /// @errors kResourceExhausted: the same user has asked for it already, or has not so much left of
  ///         the machine today.
  Result<Reservation> Reserve(const Caller& caller, Nanoseconds wanted, std::function<void()> held);

 private:
  /// A question that the runner is asked once for all who wait for the answer.
  template <typename Answer>
  struct Round {
    explicit Round(const asio::any_io_executor& loop) : answered(loop) {}
    std::vector<Cancelled> waiting;
    std::optional<Answer> answer;
    Signal answered;
  };
  template <typename Answer>
  using Open = std::shared_ptr<Round<Answer>>;
  template <typename Answer>
  using Ask = std::function<asio::awaitable<Answer>()>;
  using Noise = Result<std::vector<NoiseSource>>;

  /// Joins the round at `open`, or begins one; it takes nobody any more once its turn has come.
  template <typename Answer>
  asio::awaitable<Answer> AskTogether(Open<Answer>* open, Cancelled cancelled, Ask<Answer> ask);
  template <typename Answer>
  asio::awaitable<void> RunRound(Open<Answer> round, Open<Answer>* open, Ask<Answer> ask);

  /// Who speaks to the runner while somebody has the machine reserved; counted while it lives.
  class Lease {
   public:
    explicit Lease(MachineController* controller) : controller_(controller) {
      ++controller_->leases_;
    }
    Lease(Lease&& other) noexcept : controller_(std::exchange(other.controller_, nullptr)) {}
    Lease& operator=(Lease&& other) = delete;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      if (controller_ != nullptr) controller_->LeaseEnded();
    }

   private:
    MachineController* controller_;
  };

  /// The right to speak to the runner: a turn of one's own, or a lease while somebody has the
  /// machine reserved.
  struct Access {
    std::optional<Lease> lease;
    std::optional<ExclusiveSlot::Turn> turn;
  };

  asio::awaitable<Result<Access>> AcquireAccess(Cancelled cancelled);
  void GiveBack(std::uint32_t uid, ExclusiveSlot::Turn turn);
  void LeaseEnded();

  Queue& queue_;
  Runner& runner_;
  const AccessPolicy policy_;
  Open<Noise> diagnosis_;
  std::map<std::string, Open<Result<MachineStatus>>> descriptions_;  // by profile, which is known
  std::set<std::uint32_t> reserving_;                                // uids with a Reservation
  std::optional<std::uint32_t> holder_;       // the one of them that has the machine
  std::size_t leases_ = 0;                    // who speak to the runner meanwhile
  std::optional<ExclusiveSlot::Turn> ended_;  // of a holder who has gone before the leases ended
};

}  // namespace benchd
