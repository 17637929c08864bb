#include "daemon/queue/queue.h"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <utility>

#include "daemon/base/error.h"
#include "daemon/queue/signal.h"
#include "daemon/queue/validate_spec.h"
#include "daemon/session/failure.h"

namespace benchd {
namespace {

/// Names stay for the record; values live no longer than the session.
void ForgetEnvironmentValues(SessionSpec& spec) {
  for (auto& [name, value] : spec.environment) value.clear();
  for (Benchmark& benchmark : spec.benchmarks) {
    for (Arm& arm : benchmark.arms) {
      for (auto& [name, value] : arm.env) value.clear();
    }
  }
}

}  // namespace

Queue::Queue(asio::any_io_executor executor, Services services, QueuePolicy policy)
    : executor_(executor), services_(services), policy_(policy), changed_(executor) {}

// ---- what may be asked ----

asio::awaitable<Result<SessionSnapshot>> Queue::Submit(SessionSpec spec, std::string request_id) {
  NoteDisturbance();
  if (Result<void> may = CheckMaySubmit(policy_, spec); !may) co_return std::move(may).error();
  const RequestKey request{spec.caller.uid, request_id};
  while (!request_id.empty() && submitting_.contains(request)) co_await changed_.Wait();
  if (const auto known = requests_.find(request); known != requests_.end()) {
    co_return sessions_.at(known->second).snapshot;
  }
  if (draining_ || stopping_) {
    co_return Error{ErrorCode::kFailedPrecondition, "submit: this benchd takes no new sessions",
                    "it is draining; try again after `benchctl resume`"};
  }
  Result<SessionSpec> valid = ValidateSpec(std::move(spec));
  if (!valid) co_return std::move(valid).error();
  if (Result<void> ok = CheckStatistics(*valid); !ok) co_return std::move(ok).error();

  submitting_.insert(request);
  SessionRecord record{std::move(valid).value(), {}, std::move(request_id)};
  record.snapshot.id = FreshId();
  record.snapshot.submitted_at = services_.clock.Now();
  const SessionId id = record.snapshot.id;
  Result<void> admitted = co_await Admit(std::move(record));
  submitting_.erase(submitting_.find(request));
  changed_.Notify();
  if (!admitted) co_return std::move(admitted).error();
  co_return sessions_.at(id).snapshot;
}

/// Asks for the machine, looks the programs up, stores the session and queues it. One whose program
/// cannot be found or executed is kept as failed: its user learns it now, not when its turn comes.
asio::awaitable<Result<void>> Queue::Admit(SessionRecord record) {
  MachineRequest machine{record.spec.machine_profile, record.spec.isolation, record.spec.cpus};
  Result<void> possible = co_await services_.machine.Check(std::move(machine));
  if (!possible) co_return possible;
  Result<std::optional<Failure>> unusable = co_await ResolvePrograms(&record.spec);
  if (!unusable) co_return std::move(unusable).error();
  Result<void> stored = co_await services_.archive.Insert(record);
  if (!stored) co_return stored;
  SessionSnapshot snapshot = record.snapshot;
  Enqueue(std::move(record), /*waits=*/!*unusable);
  if (*unusable) {
    snapshot.state = SessionState::kFailed;
    snapshot.ended_at = services_.clock.Now();
    snapshot.failure = **std::move(unusable);
    co_await Finish(std::move(snapshot));
  }
  co_return Result<void>{};
}

/// Fills the identities of all programs, or says which cannot be used. `spec` lives in the awaiting
/// coroutine's frame.
/// @errors kUnavailable, and whatever else is not the program's fault.
asio::awaitable<Result<std::optional<Failure>>> Queue::ResolvePrograms(SessionSpec* spec) {
  for (std::uint32_t b = 0; b < spec->benchmarks.size(); ++b) {
    for (std::uint32_t a = 0; a < spec->benchmarks[b].arms.size(); ++a) {
      Arm& arm = spec->benchmarks[b].arms[a];
      ChildSpec child{
          .caller = spec->caller, .argv = arm.argv, .env = spec->environment, .cwd = arm.cwd};
      for (const auto& [name, value] : arm.env) child.env[name] = value;
      Result<ProgramIdentity> program = co_await services_.launcher.Resolve(std::move(child));
      if (program) {
        arm.program = std::move(program).value();
        continue;
      }
      Error error = std::move(program).error();
      if (error.code != ErrorCode::kNotFound && error.code != ErrorCode::kPermissionDenied) {
        co_return std::move(error).Within(arm.name);
      }
      const RunPhase first = spec->schedule.warmup > 0 ? RunPhase::kWarmup : RunPhase::kMeasured;
      const RunPlace place{*spec, PlannedRun{.benchmark = b, .arm = a}, first, 0};
      std::optional<Failure> failure = LaunchFailure(place, std::move(error));
      co_return failure;
    }
  }
  co_return std::optional<Failure>{};
}

Result<SessionRecord> Queue::Get(const Caller& caller, const std::string& id_prefix) const {
  Result<SessionId> id = Find(caller, id_prefix);
  if (!id) return std::move(id).error();
  return sessions_.at(*id);
}

std::vector<SessionView> Queue::List(const Caller& caller, const SessionFilter& filter) const {
  std::vector<SessionView> views;
  for (const SessionId& id : by_submission_) {
    const SessionRecord& record = sessions_.at(id);
    const SessionState state = record.snapshot.state;
    if (filter.state ? state != *filter.state : !filter.all && IsFinal(state)) continue;
    const bool visible = MayUse(policy_, caller, record.spec.caller);
    // A label is part of what only the owner may see.
    const bool matches =
        std::all_of(filter.labels.begin(), filter.labels.end(), [&record](const auto& label) {
          const auto it = record.spec.labels.find(label.first);
          return it != record.spec.labels.end() && it->second == label.second;
        });
    if (!filter.labels.empty() && !(visible && matches)) continue;
    if (visible) {
      views.push_back({record, true});
    } else {
      SessionRecord others;
      others.snapshot.id = id;
      others.snapshot.state = state;
      others.spec.caller.uid = record.spec.caller.uid;
      views.push_back({std::move(others), false});
    }
  }
  return views;
}

asio::awaitable<Result<SessionSnapshot>> Queue::Cancel(Caller caller, std::string id_prefix) {
  NoteDisturbance();
  Result<SessionId> id = Find(caller, id_prefix);
  if (!id) co_return std::move(id).error();
  const std::string by = "uid " + std::to_string(caller.uid);
  if (running_ == *id) {
    cancel_.Request(by);
    while (running_ == *id) co_await changed_.Wait();
  } else if (sessions_.at(*id).snapshot.state == SessionState::kQueued) {
    Dequeue(*id);
    SessionSnapshot snapshot = sessions_.at(*id).snapshot;
    snapshot.state = SessionState::kCancelled;
    snapshot.cancelled_by = by;
    snapshot.position = 0;
    snapshot.eta.reset();
    snapshot.ended_at = services_.clock.Now();
    co_await Finish(std::move(snapshot));
  }
  co_return sessions_.at(*id).snapshot;
}

Result<QueueStatus> Queue::SetPaused(const Caller& caller, bool paused, bool draining) {
  Result<void> may = CheckMayAdminister(policy_, caller, draining ? "drain" : "pause and resume");
  if (!may) return std::move(may).error();
  paused_ = paused;
  draining_ = draining;
  changed_.Notify();
  return Status();
}

QueueStatus Queue::Status() const {
  return QueueStatus{paused_, draining_, waiting_.size(), running_, reserved_by_};
}

const SessionRecord* Queue::Running() const {
  if (!running_) return nullptr;
  const SessionRecord& record = sessions_.at(*running_);
  return IsFinal(record.snapshot.state) ? nullptr : &record;
}

asio::awaitable<Result<SideTurns::Turn>> Queue::AwaitTurn() {
  bool begun = false;
  SideTurns::Turn turn = turns_.Ask([this, &begun] {
    begun = true;
    changed_.Notify();
  });
  while (!begun) {
    if (stopping_) {
      co_return Error{ErrorCode::kUnavailable, "benchd: is stopping", "try again when it is back"};
    }
    co_await changed_.Wait();
  }
  co_return std::move(turn);
}

bool Queue::Idle() const { return !running_ && waiting_.empty() && submitting_.empty(); }

/// Prefixes are looked up among what the caller may use, so that others' ids never make one
/// ambiguous.
Result<SessionId> Queue::Find(const Caller& caller, const std::string& prefix) const {
  const SessionId* found = nullptr;
  const SessionRecord* foreign = nullptr;
  if (!prefix.empty()) {
    for (auto it = sessions_.lower_bound(SessionId{prefix}); it != sessions_.end(); ++it) {
      if (it->first.value.compare(0, prefix.size(), prefix) != 0) break;
      if (!MayUse(policy_, caller, it->second.spec.caller)) {
        if (it->first.value == prefix) foreign = &it->second;
        continue;
      }
      if (found != nullptr) {
        return InvalidArgument("session", "'" + prefix + "' fits more than one session",
                               "write more of the id; `benchctl list --all` shows them");
      }
      found = &it->first;
    }
  }
  if (found != nullptr) return *found;
  if (foreign != nullptr) {
    return Error{
        ErrorCode::kPermissionDenied,
        "session: '" + prefix + "' belongs to uid " + std::to_string(foreign->spec.caller.uid),
        "only its owner and admins may see it"};
  }
  return Error{ErrorCode::kNotFound, "session: there is none called '" + prefix.substr(0, 64) + "'",
               "`benchctl list --all` shows yours"};
}

// ---- order ----

SessionId Queue::FreshId() {
  SessionId id = MakeSessionId(services_.random.Next());
  while (sessions_.contains(id)) id = MakeSessionId(services_.random.Next());
  return id;
}

void Queue::Enqueue(SessionRecord record, bool waits) {
  const SessionId id = record.snapshot.id;
  const std::uint64_t sequence = by_submission_.size();
  if (!record.request_id.empty()) requests_[{record.spec.caller.uid, record.request_id}] = id;
  if (waits) waiting_.insert(Place{record.spec.priority, sequence, id});
  sessions_[id] = std::move(record);
  sequence_[id] = sequence;
  by_submission_.push_back(id);
  if (waits) UpdatePositions();
  changed_.Notify();
}

void Queue::Dequeue(const SessionId& id) {
  waiting_.erase(Place{sessions_.at(id).spec.priority, sequence_.at(id), id});
  UpdatePositions();
}

void Queue::UpdatePositions() {
  std::uint64_t position = 0;
  for (const Place& place : waiting_) {
    SessionSnapshot& snapshot = sessions_.at(place.id).snapshot;
    if (snapshot.position == ++position) continue;
    snapshot.position = position;
    if (services_.hub.WatcherCount(place.id) > 0) services_.hub.Publish(snapshot);
  }
}

// ---- running ----

asio::awaitable<Result<void>> Queue::Load() {
  Result<std::vector<SessionRecord>> records = co_await services_.archive.LoadAll();
  if (!records) co_return std::move(records).error().Within("loading the sessions");
  for (SessionRecord& record : *records) {
    SessionSnapshot& snapshot = record.snapshot;
    if (!IsFinal(snapshot.state) && snapshot.state != SessionState::kQueued) {
      snapshot.state = SessionState::kFailed;
      snapshot.ended_at = services_.clock.Now();
      snapshot.failure =
          Failure{Error{ErrorCode::kUnavailable, "session: benchd ended while it ran",
                        "submit it again; the blocks measured so far are kept"},
                  std::nullopt};
      Result<void> updated = co_await services_.archive.Update(snapshot);
      if (!updated) co_return updated;
    }
    snapshot.position = 0;
    const bool waits = snapshot.state == SessionState::kQueued;
    Enqueue(std::move(record), waits);
  }
  co_return Result<void>{};
}

asio::awaitable<void> Queue::Work() {
  while (!stopping_) {
    const bool session_waits = !waiting_.empty() && !paused_;
    if (turns_.BeginNext(session_waits)) continue;
    if (turns_.busy() || !session_waits) {
      co_await changed_.Wait();
      continue;
    }
    const SessionId id = waiting_.begin()->id;
    co_await RunOne(id);
    turns_.SessionEnded();
  }
}

void Queue::Stop() {
  stopping_ = true;
  if (running_) cancel_.Request("benchd, which was stopped");
  changed_.Notify();
}

asio::awaitable<void> Queue::RunOne(SessionId id) {
  running_ = id;
  cancel_ = CancelToken();
  Dequeue(id);
  SessionServices services{services_.launcher,
                           services_.machine,
                           services_.store,
                           services_.clock,
                           disturbances_,
                           cancel_,
                           [this](const SessionSnapshot& snapshot) { Progress(snapshot); }};
  SessionRecord record = sessions_.at(id);
  SessionSnapshot last = co_await RunSession(std::move(services), std::move(record));
  co_await Finish(std::move(last));
  // After the verdict is told, before anything else is measured.
  co_await services_.archive.Settle();
  running_.reset();
  changed_.Notify();
}

void Queue::Progress(const SessionSnapshot& snapshot) {
  SessionSnapshot& known = sessions_.at(snapshot.id).snapshot;
  const bool new_state = known.state != snapshot.state;
  known = snapshot;
  if (new_state) {
    asio::co_spawn(executor_, Archive(snapshot), asio::detached);
    changed_.Notify();
  }
  services_.hub.Publish(snapshot);
}

/// A state that cannot be stored is no reason to stop measuring: the final one is stored again.
asio::awaitable<void> Queue::Archive(SessionSnapshot snapshot) {
  Result<void> updated = co_await services_.archive.Update(std::move(snapshot));
  static_cast<void>(updated.has_value());
}

/// The final state is committed before anybody sees it.
asio::awaitable<void> Queue::Finish(SessionSnapshot snapshot) {
  Result<void> updated = co_await services_.archive.Update(snapshot);
  if (!updated && snapshot.state == SessionState::kDone) {
    snapshot.state = SessionState::kFailed;
    snapshot.failure =
        Failure{std::move(updated).error().Within("storing the verdict"), std::nullopt};
  }
  SessionRecord& record = sessions_.at(snapshot.id);
  record.snapshot = snapshot;
  ForgetEnvironmentValues(record.spec);
  services_.hub.Publish(std::move(snapshot));
  changed_.Notify();
}

}  // namespace benchd
