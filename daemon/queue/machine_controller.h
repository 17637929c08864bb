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
#include "daemon/queue/exclusive_slot.h"
#include "daemon/queue/queue.h"
#include "daemon/queue/session_registry.h"
#include "daemon/session/ports.h"

namespace benchd {

/// The state of the machine, and the running session if the settings are those of a session.
struct MachineView {
  MachineStatus status;
  std::optional<SessionId> session;
};

/// Requests about the machine: status, noise, apply, restore and reservations.
///
/// The runner does not receive requests while it measures. Every request except the status of a
/// running session waits for a turn of the queue, and a session waits until the turn is over. While
/// a user has the machine reserved, no session runs and requests are served at once. Loop's thread
/// only. The references outlive this object, and it outlives the coroutines.
class MachineController {
 public:
  /// Returns whether the client has disconnected; if so, a waiting request is dropped at its turn.
  using Cancelled = std::function<bool()>;

  /// A requested or granted reservation of the machine; released when destroyed.
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

  /// Returns the state of the machine. During a session it returns the session's settings at once,
  /// with a note if another profile was requested. Requests for the same profile share one turn and
  /// its answer.
  /// @errors those of Runner::Describe(); kUnavailable if benchd stops; kCancelled for `cancelled`.
  asio::awaitable<Result<MachineView>> Describe(std::string profile, Cancelled cancelled);
  /// Lists the sources of noise. All waiting requests share one turn and its answer.
  /// @errors those of Runner::Diagnose(); kUnavailable and kCancelled as for Describe().
  asio::awaitable<Result<std::vector<NoiseSource>>> Diagnose(Cancelled cancelled);
  /// Applies the settings of a profile; an empty name means `default`.
  /// @errors kPermissionDenied unless the caller is an admin; those of Runner::Apply();
  /// kUnavailable and kCancelled as for Describe().
  asio::awaitable<Result<MachineStatus>> Apply(Caller caller, std::string profile,
                                               Cancelled cancelled);
  /// Restores the settings that were in effect before Apply().
  /// @errors kPermissionDenied unless the caller is an admin; those of Runner::Restore();
  /// kUnavailable and kCancelled as for Describe().
  asio::awaitable<Result<MachineStatus>> Restore(Caller caller, Cancelled cancelled);

  /// Requests a reservation of the machine. Calls `held` once, later, when the caller has the
  /// machine; never after the Reservation is destroyed. The caller must destroy it after `wanted`.
  /// @errors kResourceExhausted: the user already has a reservation, or too little of today's time
  /// is left.
  Result<Reservation> Reserve(const Caller& caller, Nanoseconds wanted, std::function<void()> held);

 private:
  /// One query of the runner, shared by all clients that wait for its answer.
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

  /// Joins the round at `open`, or begins one. A round is closed once its turn begins.
  template <typename Answer>
  asio::awaitable<Answer> AskTogether(Open<Answer>* open, Cancelled cancelled, Ask<Answer> ask);
  template <typename Answer>
  asio::awaitable<void> RunRound(Open<Answer> round, Open<Answer>* open, Ask<Answer> ask);

  /// A use of the runner while a user has the machine reserved. Counted in leases_.
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

  /// The right to use the runner: a turn, or a lease while a user has the machine reserved.
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
  std::map<std::string, Open<Result<MachineStatus>>> descriptions_;  // by known profile
  std::set<std::uint32_t> reserving_;                                // uids with a Reservation
  std::optional<std::uint32_t> holder_;       // the uid among them that has the machine
  std::size_t leases_ = 0;                    // leases in use under a reservation
  std::optional<ExclusiveSlot::Turn> ended_;  // of a reservation that ended before its leases
};

}  // namespace benchd
