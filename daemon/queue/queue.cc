#include "daemon/queue/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/try.h"
#include "core/model/inner_benchmarks.h"
#include "daemon/queue/resolve_programs.h"
#include "daemon/queue/validate_spec.h"
#include "daemon/session/block_log.h"
#include "daemon/session/children.h"

namespace benchd {
namespace {

/// Explains why a session that was found cannot be read.
Error Unread(const SessionId& id, Error error) {
  if (error.code != ErrorCode::kNotFound) return std::move(error).Within("reading the session");
  return Error{ErrorCode::kNotFound, "session: '" + id.value + "' has been deleted",
               "see [store] in benchd.toml for how long sessions are kept"};
}

/// Returns how long the running session will still take: the estimate of its report, otherwise the
/// rest of its max_time.
Nanoseconds TimeLeft(const SessionRecord& running, Timestamp now) {
  const SessionSnapshot& snapshot = running.snapshot;
  if (snapshot.report && snapshot.report->eta) return *snapshot.report->eta;
  const Nanoseconds gone = snapshot.report       ? snapshot.report->elapsed
                           : snapshot.started_at ? now - *snapshot.started_at
                                                 : Nanoseconds::zero();
  const Nanoseconds longest = std::max(running.spec.limits.max_time, Nanoseconds::zero());
  return std::clamp(longest - gone, Nanoseconds::zero(), longest);
}

Result<SessionSnapshot> SnapshotOf(Result<SessionRecord> record) {
  if (!record) return std::move(record).error();
  return std::move(record->snapshot);
}

/// Returns whether the session has begun and has a cleanup hook.
bool NeedsCleanup(const SessionRecord& record) {
  return record.snapshot.machine && HasHook(record.spec, HookKind::kCleanup);
}

}  // namespace

Queue::Queue(asio::any_io_executor executor, Services services, QueuePolicy policy)
    : services_(services),
      policy_(policy),
      changed_(executor),
      admitted_(executor),
      waiting_(policy_.limits),
      exclusive_(changed_, policy_.machine_turns),
      current_(executor,
               {services.runner, services.store, services.clock, disturbances_, policy.max_pairs},
               [this](const SessionSnapshot& snapshot) { Progress(snapshot); }),
      alarm_(executor) {}

/// Marks a request as in progress while this object exists.
class Queue::Submitting {
 public:
  Submitting(Queue& queue, const RequestKey& request)
      : queue_(queue), place_(queue.submitting_.insert(request)) {}
  Submitting(const Submitting&) = delete;
  Submitting& operator=(const Submitting&) = delete;
  ~Submitting() {
    queue_.submitting_.erase(place_);
    queue_.changed_.Notify();
  }

 private:
  Queue& queue_;
  const std::multiset<RequestKey>::iterator place_;
};

/// Counts a user's submission as being admitted while this object exists.
class Queue::Admitting {
 public:
  Admitting(Queue& queue, std::uint32_t uid) : queue_(queue), uid_(uid) {
    ++queue_.admitting_[uid_];
  }
  Admitting(const Admitting&) = delete;
  Admitting& operator=(const Admitting&) = delete;
  ~Admitting() {
    const auto user = queue_.admitting_.find(uid_);
    if (--user->second == 0) queue_.admitting_.erase(user);
    queue_.admitted_.Notify();
  }

 private:
  Queue& queue_;
  const std::uint32_t uid_;
};

namespace {

/// The longest wait of a submission for others of its user. It equals the time that benchd-runner
/// lets a look-up wait; clients wait longer.
constexpr std::chrono::seconds kLongestWaitToBeAdmitted{20};

Error NotAdmittedInTime(const SessionSpec& spec) {
  return Error{
      ErrorCode::kDeadlineExceeded,
      "command '" + spec.benchmarks.front().arms.front().argv.front() +
          "': timed out while other commands of the same user were looked up",
      "check whether a file system does not respond; " + HowToAllowMore(Limit::kHelpersAUser)};
}

}  // namespace

// ---- requests of clients ----

asio::awaitable<Result<SessionSnapshot>> Queue::Submit(SessionSpec spec, std::string request_id,
                                                       BundleUpload* bundle, bool await_disk) {
  CO_TRY_VOID(CheckMaySubmit(policy_.access, spec));
  CO_TRY_VOID(CheckRequestId(request_id));
  const RequestKey request{spec.caller.uid, request_id};
  while (!request_id.empty() && submitting_.contains(request)) co_await changed_.Wait();
  // The destructor runs even after an exception; until then, repeats of this request wait above.
  const Submitting submitting(*this, request);
  CO_TRY(const std::optional<SessionId> known, co_await OfRequest(request.first, request_id));
  if (known) {
    Result<SessionRecord> record = co_await Read(*known);
    co_return SnapshotOf(std::move(record));
  }
  CO_TRY_VOID(CheckTakesSessions(spec));
  CO_TRY(SessionSpec valid, ValidateSpec(std::move(spec)));
  CO_TRY_VOID(CheckStatistics(valid));

  const std::uint32_t uid = request.first;
  const auto until = asio::steady_timer::clock_type::now() + kLongestWaitToBeAdmitted;
  while (admitting_[uid] >= policy_.helpers_a_user) {
    if (asio::steady_timer::clock_type::now() >= until) co_return NotAdmittedInTime(valid);
    co_await admitted_.WaitUntil(until);
    if (stopping_) co_return IsStopping();
  }
  const Admitting turn(*this, uid);
  SessionRecord record{std::move(valid), {}, std::move(request_id)};
  record.snapshot.submitted_at = services_.clock.Now();
  const Caller caller = record.spec.caller;
  CO_TRY(SessionSnapshot admitted, co_await Admit(std::move(record), bundle));
  if (await_disk) {
    CO_TRY_VOID(co_await AwaitDisk(caller, admitted.id));
  }
  co_return Newest(std::move(admitted));
}

/// Checks a submission that is already in submitting_.
Result<void> Queue::CheckTakesSessions(const SessionSpec& spec) const {
  const Caller& caller = spec.caller;
  if (stopping_) return IsStopping();
  if (mode_.draining) {
    return Error{ErrorCode::kFailedPrecondition,
                 "submit: benchd is draining and accepts no new sessions",
                 "try again after `benchctl resume`"};
  }
  if (IsAdmin(policy_.access, caller)) return {};
  const auto own = submitting_.lower_bound({caller.uid, {}});
  const auto others = std::find_if(own, submitting_.end(), [&caller](const RequestKey& request) {
    return request.first != caller.uid;
  });
  const Timestamp now = services_.clock.Now();
  Result<void> ok = waiting_.CheckTime(caller.uid, "max-time", spec.limits.max_time, now);
  if (!ok) return ok;
  return waiting_.CheckRoomFor(caller.uid, static_cast<std::size_t>(std::distance(own, others) - 1),
                               HeldBytes(spec), now);
}

/// Checks the machine request, looks the programs up, stores the session and queues it. A session
/// whose program cannot be found or executed is stored as failed, so that its user learns about it
/// now and not when its turn comes.
asio::awaitable<Result<SessionSnapshot>> Queue::Admit(SessionRecord record, BundleUpload* bundle) {
  MachineRequest machine{record.spec.machine_profile, record.spec.isolation, record.spec.cpus, {}};
  CO_TRY_VOID(co_await services_.runner.Check(std::move(machine)));
  CO_TRY(std::optional<Failure> unusable,
         co_await ResolvePrograms(&services_.runner, &record.spec));
  HistoryEntry entry{record.snapshot.submitted_at, "submitted by " + NameOf(record.spec.caller)};
  std::optional<Result<std::uint64_t>> key;
  do {
    record.snapshot.id = MakeSessionId(services_.random.Next());
    key = co_await services_.store.Do(&Records::Insert, record, entry, bundle);
  } while (!*key && key->error().code == ErrorCode::kAlreadyExists);
  if (!*key) co_return std::move(*key).error();
  if (unusable) {
    record.snapshot.state = SessionState::kFailed;
    record.snapshot.ended_at = services_.clock.Now();
    record.snapshot.failure = *std::move(unusable);
    CO_TRY_VOID(co_await KeepFailed(record.snapshot));
  }
  SessionSnapshot snapshot = record.snapshot;
  waiting_.Submitted(record.spec.caller.uid, snapshot.submitted_at);
  Register(**key, std::move(record));
  co_return snapshot;
}

/// Waits until a submission is on the disk. A session that is not acknowledged must not run.
asio::awaitable<Result<void>> Queue::AwaitDisk(Caller caller, SessionId submitted) {
  Result<void> synced = co_await services_.store.OnDisk();
  if (!synced) {
    const Result<SessionSnapshot> withdrawn = co_await Cancel(std::move(caller), submitted.value);
    static_cast<void>(withdrawn.has_value());  // the caller learns of the cause
    co_return std::move(synced).error().Within("storing the session");
  }
  co_return Result<void>{};
}

/// Stores the end of a failed session. The client does not know the session yet: it is acknowledged
/// once its end is stored.
/// @errors kUnavailable: benchd stops before there is room on the disk.
asio::awaitable<Result<void>> Queue::KeepFailed(SessionSnapshot failed) {
  const HistoryEntry entry{*failed.ended_at, DescribeState(failed, {})};
  const auto stop = [this](const Error& error) { return stopping_ || !IsDiskFull(error); };
  const auto attempt = [this, failed, entry] {
    return services_.store.Do(&Records::Update, failed, entry);
  };
  Result<void> kept = co_await UntilThereIsRoom(&services_.clock, stop, attempt);
  if (!kept && IsDiskFull(kept.error())) co_return IsStopping();
  co_return Result<void>{};
}

asio::awaitable<Result<std::optional<SessionId>>> Queue::OfRequest(std::uint32_t uid,
                                                                   std::string request_id) {
  if (request_id.empty()) co_return std::nullopt;
  co_return co_await services_.store.Do(&Records::OfRequest, uid, std::move(request_id));
}

asio::awaitable<Result<bool>> Queue::Knows(Caller caller, std::string request_id) {
  CO_TRY(const std::optional<SessionId> known,
         co_await OfRequest(caller.uid, std::move(request_id)));
  co_return known.has_value();
}

/// Searches the registry before the store, so that a session that ends in between is found twice
/// rather than not at all.
asio::awaitable<Result<SessionId>> Queue::LookUp(Caller caller, std::string prefix,
                                                 std::stop_token gone) {
  std::vector<SessionView> found;
  if (prefix.empty()) co_return ChooseSession(policy_.access, caller, prefix, found);
  found = registry_.Matching(prefix);
  // A complete ID needs no search of the store, because no ID is a prefix of another.
  if (!found.empty() && found.front().id.value == prefix) {
    co_return ChooseSession(policy_.access, caller, prefix, found);
  }
  const std::optional<std::uint32_t> owner =
      IsAdmin(policy_.access, caller) ? std::nullopt : std::optional(caller.uid);
  Result<std::vector<SessionView>> ended =
      co_await services_.store.Ask(std::move(gone), &Records::FindEnded, prefix, owner);
  if (!ended) co_return std::move(ended).error().Within("looking the session up");
  found.insert(found.end(), ended->begin(), ended->end());
  co_return ChooseSession(policy_.access, caller, prefix, found);
}

asio::awaitable<Result<std::vector<SessionView>>> Queue::List(Caller caller, SessionFilter filter,
                                                              std::stop_token gone) {
  // Only its owner and admins may see the labels of a session.
  if (!filter.labels.empty() && !IsAdmin(policy_.access, caller)) filter.owner = caller.uid;
  std::vector<SessionView> live = registry_.List(filter);  // before the ended ones: see LookUp()
  if (!filter.IncludesEnded()) co_return live;
  Result<std::vector<SessionView>> ended =
      co_await services_.store.Ask(std::move(gone), &Records::ListEnded, filter);
  if (!ended) co_return std::move(ended).error().Within("listing the sessions");
  std::vector<SessionView> views;
  std::set_union(ended->begin(), ended->end(), live.begin(), live.end(), std::back_inserter(views),
                 [](const SessionView& a, const SessionView& b) { return a.key > b.key; });
  if (views.size() > filter.limit) views.resize(filter.limit);
  co_return views;
}

asio::awaitable<bool> Queue::HasEnded(Caller caller, std::string id_prefix) {
  const Result<SessionId> id = co_await LookUp(std::move(caller), std::move(id_prefix));
  co_return id.has_value() && registry_.Find(*id) == nullptr;
}

asio::awaitable<Result<SessionRecord>> Queue::Get(Caller caller, std::string id_prefix,
                                                  std::stop_token gone) {
  CO_TRY(SessionId id, co_await LookUp(std::move(caller), std::move(id_prefix), gone));
  co_return co_await Read(id, std::move(gone));
}

asio::awaitable<Result<SessionRecord>> Queue::Read(SessionId id, std::stop_token gone) {
  if (const SessionRecord* known = registry_.Find(id)) {
    SessionRecord record = *known;
    record.snapshot = Newest(std::move(record.snapshot));
    co_return record;
  }
  Result<SessionRecord> stored = co_await services_.store.Ask(std::move(gone), &Records::Load, id);
  if (!stored) co_return Unread(id, std::move(stored).error());
  ForgetEnvironment(stored->spec);
  co_return stored;
}

asio::awaitable<Result<SessionDetails>> Queue::Show(Caller caller, std::string id_prefix,
                                                    std::stop_token gone) {
  CO_TRY(SessionId id, co_await LookUp(caller, std::move(id_prefix), gone));
  Result<SessionDetails> details = co_await services_.store.Ask(gone, &Records::LoadDetails, id);
  if (!details) co_return Unread(id, std::move(details).error());
  SessionRecord& record = details->record;
  if (const SessionRecord* known = registry_.Find(id)) {
    record.spec.priority = known->spec.priority;
    record.snapshot = Newest(known->snapshot);
    ExpandBenchmarks(record.snapshot.found, record.spec);
  } else if (!IsFinal(record.snapshot.state)) {
    co_return co_await Show(std::move(caller), id.value, gone);  // the session has ended meanwhile
  }
  ForgetEnvironmentValues(record.spec);
  co_return details;
}

asio::awaitable<Result<SessionSnapshot>> Queue::Cancel(Caller caller, std::string id_prefix) {
  CO_TRY(SessionId id, co_await LookUp(caller, std::move(id_prefix)));
  while (const SessionRecord* record = registry_.Find(id)) {
    SessionSnapshot snapshot = record->snapshot;
    if (running_ == id) {
      current_.Cancel(caller);
    } else if (NeedsCleanup(*record)) {
      Result<void> noted = co_await NoteCancel(std::move(snapshot), caller);
      if (!noted) co_return std::move(noted).error().Within("cancel");
      record = registry_.Find(id);
      if (running_ == id || record == nullptr) continue;
      // Do not wait for a turn that comes only after a resume or a restart of benchd.
      if (mode_.paused || stopping_) co_return record->snapshot;
    } else if (!ending_.contains(id)) {
      co_return co_await CancelWaiting(std::move(snapshot), std::move(caller));
    }
    co_await changed_.Wait();
  }
  Result<SessionRecord> ended = co_await Read(id);
  co_return SnapshotOf(std::move(ended));
}

/// Records that an interrupted session with a cleanup hook is cancelled. It ends when its turn
/// comes, which is the next one.
asio::awaitable<Result<void>> Queue::NoteCancel(SessionSnapshot snapshot, Caller caller) {
  if (!snapshot.cancelled_by.empty()) co_return Result<void>{};
  const SessionId id = snapshot.id;
  snapshot.cancelled_by = fmt::format("uid {}", caller.uid);
  HistoryEntry entry{services_.clock.Now(),
                     "cancelled by " + NameOf(caller) + "; its cleanup is still to run"};
  Result<void> noted = co_await services_.store.Do(&Records::Update, snapshot, std::move(entry));
  if (noted) noted = co_await services_.store.OnDisk();
  // If its turn has come meanwhile, Cancel() cancels the running session.
  if (noted && running_ != id && registry_.Find(id) != nullptr) registry_.Set(std::move(snapshot));
  co_return noted;
}

/// Cancels a session that is not running and whose end is not being committed by another call.
asio::awaitable<Result<SessionSnapshot>> Queue::CancelWaiting(SessionSnapshot snapshot,
                                                              Caller caller) {
  const SessionId id = snapshot.id;
  const bool waited = waiting_.Erase(id);
  ending_.insert(id);
  PublishPlaces();
  snapshot.state = SessionState::kCancelled;
  snapshot.cancelled_by = fmt::format("uid {}", caller.uid);
  snapshot.ended_at = services_.clock.Now();
  HistoryEntry entry{*snapshot.ended_at, DescribeState(snapshot, NameOf(caller))};
  Result<void> updated = co_await services_.store.Do(&Records::Update, snapshot, std::move(entry));
  ending_.erase(id);
  if (updated) {
    TakeEnd(snapshot);
    Result<void> synced = co_await services_.store.OnDisk();
    if (!synced) co_return std::move(synced).error().Within("cancel");
    co_return snapshot;
  }
  if (waited) Enqueue(id);
  PublishPlaces();
  changed_.Notify();
  co_return std::move(updated).error().Within("cancel");
}

asio::awaitable<bool> Queue::HasPriority(Caller caller, std::string id_prefix,
                                         std::int32_t priority) {
  const Result<SessionId> id = co_await LookUp(std::move(caller), std::move(id_prefix));
  const SessionRecord* const record = id ? registry_.Find(*id) : nullptr;
  co_return record != nullptr && record->spec.priority == priority;
}

asio::awaitable<Result<SessionSnapshot>> Queue::Move(Caller caller, std::string id_prefix,
                                                     std::int32_t priority) {
  CO_TRY(SessionId id, co_await LookUp(caller, std::move(id_prefix)));
  if (!waiting_.PlaceOf(id)) {
    co_return Error{ErrorCode::kFailedPrecondition, "move: '" + id.value + "' is not queued",
                    "only a queued session can be moved"};
  }
  CO_TRY_VOID(
      CheckMayPrioritise(policy_.access, caller, registry_.Find(id)->spec.priority, priority));
  if (registry_.Find(id)->spec.priority == priority) {
    Result<SessionRecord> same = co_await Read(id);
    co_return SnapshotOf(std::move(same));
  }
  HistoryEntry entry{services_.clock.Now(),
                     fmt::format("moved to priority {} by {}", priority, NameOf(caller))};
  Result<void> moved =
      co_await services_.store.Do(&Records::SetPriority, id, priority, std::move(entry));
  if (!moved) co_return std::move(moved).error().Within("move");
  registry_.SetPriority(id, priority);
  if (waiting_.Erase(id)) {
    Enqueue(id);
    PublishPlaces();
    changed_.Notify();
  }
  Result<void> synced = co_await services_.store.OnDisk();
  if (!synced) co_return std::move(synced).error().Within("move");
  Result<SessionRecord> record = co_await Read(id);
  co_return SnapshotOf(std::move(record));
}

asio::awaitable<Result<QueueStatus>> Queue::SetMode(Caller caller, QueueMode mode) {
  const char* action = mode.draining ? "drain" : mode.paused ? "pause" : "resume";
  CO_TRY_VOID(CheckMayAdminister(policy_.access, caller, action));
  Result<void> kept = co_await services_.store.Do(&Records::KeepMode, mode);
  if (!kept) co_return std::move(kept).error().Within(action);
  mode_ = mode;
  PublishPlaces(/*even_unmoved=*/true);
  changed_.Notify();
  Result<void> synced = co_await services_.store.OnDisk();
  if (!synced) co_return std::move(synced).error().Within(action);
  co_return Status();
}

std::vector<LimitUse> Queue::Uses(std::optional<std::uint32_t> uid) const {
  std::vector<LimitUse> uses = waiting_.Uses(uid, services_.clock.Now());
  for (const auto& [who, count] : admitting_) {
    if (uid && who != *uid) continue;
    uses.push_back({Limit::kHelpersAUser, who, count, policy_.helpers_a_user});
  }
  uses.push_back({Limit::kMachineTurns, {}, exclusive_.waiting(), policy_.machine_turns});
  return uses;
}

QueueStatus Queue::Status() const {
  return QueueStatus{mode_, waiting_.size(), running_, reserved_by_, changed_.count()};
}

Result<void> Queue::CheckMayReserve(const Caller& caller, Nanoseconds wanted) const {
  if (IsAdmin(policy_.access, caller)) return {};
  const Timestamp now = services_.clock.Now();
  Result<void> ok = waiting_.CheckTime(caller.uid, "reserve", wanted, now);
  const std::optional<Nanoseconds> left = waiting_.TimeLeft(caller.uid, now);
  if (!ok || !left || wanted <= *left) return ok;
  const Nanoseconds a_day = *policy_.limits.running_a_day;
  return OverLimit(Limit::kRunningADay, static_cast<std::uint64_t>((a_day - *left).count()),
                   static_cast<std::uint64_t>(a_day.count()), caller.uid);
}

void Queue::SetReserved(std::optional<std::uint32_t> uid) {
  const Timestamp now = services_.clock.Now();
  if (reserved_by_) {
    waiting_.Reserved(*reserved_by_, reserved_since_, now);
    waiting_.Refresh(now);
  }
  reserved_since_ = now;
  reserved_by_ = uid;
  PublishPlaces(/*even_unmoved=*/true);
  changed_.Notify();
}

const SessionRecord* Queue::Running() const {
  const SessionRecord* record = running_ ? registry_.Find(*running_) : nullptr;
  return record == nullptr || IsFinal(record->snapshot.state) ? nullptr : record;
}

asio::awaitable<Result<ExclusiveSlot::Turn>> Queue::AwaitExclusive() {
  bool begun = false;
  ExclusiveSlot::Turn turn = exclusive_.Acquire([this, &begun] {
    begun = true;
    changed_.Notify();
  });
  while (!begun) {
    if (stopping_) co_return IsStopping();
    co_await changed_.Wait();
  }
  co_return std::move(turn);
}

bool Queue::Idle() const {
  return !running_ && waiting_.size() == 0 && submitting_.empty() && ending_.empty();
}

// ---- order ----

/// Registers a session, and queues it unless it has ended.
void Queue::Register(std::uint64_t key, SessionRecord record) {
  if (IsFinal(record.snapshot.state)) return TakeEnd(std::move(record.snapshot));
  const SessionId id = record.snapshot.id;
  registry_.Add(key, std::move(record));
  Enqueue(id);
  PublishPlaces();
  changed_.Notify();
}

/// Queues a registered session. A session that has begun before comes first.
void Queue::Enqueue(const SessionId& id) {
  const auto& [spec, snapshot, request_id] = *registry_.Find(id);
  waiting_.Insert({.id = id,
                   .sequence = registry_.KeyOf(id),
                   .uid = spec.caller.uid,
                   .priority = spec.priority,
                   .max_time = spec.limits.max_time,
                   .bytes = registry_.BytesOf(id),
                   .resumed = snapshot.started_at.has_value(),
                   .exempt = IsAdmin(policy_.access, spec.caller)});
}

/// Returns the snapshot for clients: a waiting session gets its place in the queue.
SessionSnapshot Queue::Newest(SessionSnapshot snapshot) {
  const std::optional<Place> place = waiting_.PlaceOf(snapshot.id);
  if (place) SetPlace(snapshot, *place, UntilFree());
  return snapshot;
}

/// Returns how long the running session will occupy the machine; empty if that is unknown.
std::optional<Nanoseconds> Queue::UntilFree() const {
  if (mode_.paused || reserved_by_) return std::nullopt;
  const SessionRecord* running = Running();
  if (running == nullptr) return Nanoseconds::zero();
  if (running->snapshot.state == SessionState::kPaused) return std::nullopt;
  return TimeLeft(*running, services_.clock.Now());
}

/// Sets the position of a waiting session and its expected wait, which is unknown without
/// `until_free`.
void Queue::SetPlace(SessionSnapshot& told, const Place& place,
                     std::optional<Nanoseconds> until_free) const {
  told.position = place.position;
  told.eta.reset();
  if (!until_free) return;
  Nanoseconds eta = std::min(*until_free, FairQueue::kFarthest) + place.wait;
  if (place.not_before) eta = std::max(eta, *place.not_before - services_.clock.Now());
  told.eta = std::min(eta, FairQueue::kFarthest);
}

/// Sends each waiting session's place in the queue to its watchers. Skips sessions that have
/// not moved since the last message, unless `even_unmoved` is set.
void Queue::PublishPlaces(bool even_unmoved) {
  const std::optional<Nanoseconds> until_free = UntilFree();
  std::vector<SessionSnapshot> news;
  std::map<SessionId, std::uint64_t> told;
  for (const SessionId& id : services_.hub.Watched()) {
    const std::optional<Place> place = waiting_.PlaceOf(id);
    if (!place) continue;
    told[id] = place->position;
    const auto before = told_.find(id);
    if (!even_unmoved && before != told_.end() && before->second == place->position) continue;
    SetPlace(news.emplace_back(registry_.Find(id)->snapshot), *place, until_free);
  }
  told_ = std::move(told);
  for (SessionSnapshot& snapshot : news) services_.hub.Publish(std::move(snapshot));
}

}  // namespace benchd
