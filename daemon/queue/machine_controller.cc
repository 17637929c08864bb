#include "daemon/queue/machine_controller.h"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/this_coro.hpp>
#include <exception>

#include "core/base/try.h"

namespace benchd {
namespace {

Error ClientGone() { return Error{ErrorCode::kCancelled, "machine: the client disconnected", {}}; }

/// Returns whether the session's machine report is current. The report of a resumed session dates
/// from before the interruption until the machine is prepared again.
bool HasMachine(const SessionSnapshot& snapshot) {
  return snapshot.machine &&
         (snapshot.state == SessionState::kRunning || snapshot.state == SessionState::kPaused);
}

/// Returns the settings of the running session as the answer to a status request.
MachineView ViewOf(const SessionRecord& record, const std::string& wanted_profile) {
  const MachineReport& report = *record.snapshot.machine;
  const SessionSpec& spec = record.spec;
  MachineView view;
  view.session = record.snapshot.id;
  view.status.profile = spec.machine_profile;
  view.status.holder = spec.isolation == Isolation::kOff ? "" : "session";
  view.status.environment = report.environment;
  view.status.settings = report.isolation;
  view.status.benchmark_cpus = report.benchmark_cpus;
  view.status.housekeeping_cpus = report.housekeeping_cpus;
  if (!wanted_profile.empty() && wanted_profile != spec.machine_profile) {
    view.status.notes.push_back("a session is running with the profile '" + spec.machine_profile +
                                "'; the settings of '" + wanted_profile +
                                "' can be shown after it ends");
  }
  return view;
}

}  // namespace

MachineController::Reservation::Reservation(MachineController* controller, std::uint32_t uid,
                                            ExclusiveSlot::Turn turn)
    : controller_(controller), uid_(uid), turn_(std::move(turn)) {}

MachineController::Reservation::Reservation(Reservation&& other) noexcept
    : controller_(std::exchange(other.controller_, nullptr)),
      uid_(other.uid_),
      turn_(std::move(other.turn_)) {}

MachineController::Reservation::~Reservation() {
  if (controller_ != nullptr) controller_->GiveBack(uid_, std::move(turn_));
}

MachineController::MachineController(Queue& queue, Runner& runner, AccessPolicy policy)
    : queue_(queue), runner_(runner), policy_(std::move(policy)) {}

asio::awaitable<Result<MachineController::Access>> MachineController::AcquireAccess(
    Cancelled cancelled) {
  Access access;
  if (holder_) {
    access.lease.emplace(this);
    co_return std::move(access);
  }
  CO_TRY(ExclusiveSlot::Turn turn, co_await queue_.AwaitExclusive());
  if (cancelled()) co_return ClientGone();
  access.turn.emplace(std::move(turn));
  co_return std::move(access);
}

/// A separate coroutine queries the runner, because the client that began the round may disconnect
/// before its turn, while the others still need the answer.
template <typename Answer>
asio::awaitable<Answer> MachineController::AskTogether(Open<Answer>* open, Cancelled cancelled,
                                                       Ask<Answer> ask) {
  Open<Answer> round = *open;
  if (round == nullptr) {
    const asio::any_io_executor loop = co_await asio::this_coro::executor;
    round = *open = std::make_shared<Round<Answer>>(loop);
    asio::co_spawn(loop, RunRound(round, open, std::move(ask)),
                   [round](const std::exception_ptr& thrown) {
                     constexpr const char* kWhy = "machine: querying benchd-runner failed";
                     if (thrown) round->answer.emplace(Error{ErrorCode::kInternal, kWhy, {}});
                     round->answered.Notify();
                   });
  }
  round->waiting.push_back(std::move(cancelled));
  while (!round->answer) co_await round->answered.Wait();
  co_return *round->answer;
}

template <typename Answer>
asio::awaitable<void> MachineController::RunRound(Open<Answer> round, Open<Answer>* open,
                                                  Ask<Answer> ask) {
  Cancelled abandoned = [round] {
    return std::ranges::all_of(round->waiting, [](const Cancelled& gone) { return gone(); });
  };
  Result<Access> access = co_await AcquireAccess(std::move(abandoned));
  open->reset();
  if (!access) {
    round->answer.emplace(std::move(access).error());
    co_return;
  }
  asio::awaitable<Answer> asking = ask();
  round->answer.emplace(co_await std::move(asking));
}

asio::awaitable<Result<MachineView>> MachineController::Describe(std::string profile,
                                                                 Cancelled cancelled) {
  MachineRequest request{profile, Isolation::kBestEffort, {}};
  CO_TRY_VOID(co_await runner_.Check(std::move(request)));
  while (const SessionRecord* running = queue_.Running()) {
    if (HasMachine(running->snapshot)) co_return ViewOf(*running, profile);
    co_await queue_.Changed();  // the machine is still being prepared
  }
  Ask<Result<MachineStatus>> ask = [this, profile] { return runner_.Describe(profile); };
  CO_TRY(MachineStatus status,
         co_await AskTogether(&descriptions_[profile], std::move(cancelled), std::move(ask)));
  co_return MachineView{std::move(status), std::nullopt};
}

asio::awaitable<Result<std::vector<NoiseSource>>> MachineController::Diagnose(Cancelled cancelled) {
  Ask<Noise> ask = [this] { return runner_.Diagnose(); };
  co_return co_await AskTogether(&diagnosis_, std::move(cancelled), std::move(ask));
}

asio::awaitable<Result<MachineStatus>> MachineController::Apply(Caller caller, std::string profile,
                                                                Cancelled cancelled) {
  CO_TRY_VOID(CheckMayAdminister(policy_, caller, "apply"));
  if (profile.empty()) profile = "default";
  MachineRequest request{profile, Isolation::kBestEffort, {}};
  CO_TRY_VOID(co_await runner_.Check(std::move(request)));
  CO_TRY(const Access access, co_await AcquireAccess(std::move(cancelled)));
  co_return co_await runner_.Apply(std::move(profile));
}

asio::awaitable<Result<MachineStatus>> MachineController::Restore(Caller caller,
                                                                  Cancelled cancelled) {
  CO_TRY_VOID(CheckMayAdminister(policy_, caller, "restore"));
  CO_TRY(const Access access, co_await AcquireAccess(std::move(cancelled)));
  co_return co_await runner_.Restore();
}

Result<MachineController::Reservation> MachineController::Reserve(const Caller& caller,
                                                                  Nanoseconds wanted,
                                                                  std::function<void()> held) {
  const std::uint32_t uid = caller.uid;
  TRY_VOID(queue_.CheckMayReserve(caller, wanted));
  if (!reserving_.insert(uid).second) {
    return Error{ErrorCode::kResourceExhausted, "reserve: you already have a reservation",
                 "end the other `benchctl machine reserve` first"};
  }
  return Reservation(this, uid, queue_.AcquireExclusive([this, uid, held = std::move(held)] {
    holder_ = uid;
    queue_.SetReserved(uid);
    held();
  }));
}

void MachineController::GiveBack(std::uint32_t uid, ExclusiveSlot::Turn turn) {
  reserving_.erase(uid);
  if (holder_ != uid) return;
  holder_.reset();
  queue_.SetReserved(std::nullopt);
  // No session starts while a lease still uses the runner.
  if (leases_ > 0) ended_.emplace(std::move(turn));
}

void MachineController::LeaseEnded() {
  if (--leases_ == 0) ended_.reset();
}

}  // namespace benchd
