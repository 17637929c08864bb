#include "daemon/runner/lookups.h"

#include <algorithm>
#include <utility>

#include "core/base/result.h"

namespace benchd {
namespace {

constexpr std::size_t kMostRunning = 16;
/// A user whose file server hangs holds these for their timeout, and leaves the others alone.
constexpr std::size_t kMostRunningOfAUser = 2;
/// More than a suite asks for at once.
constexpr std::size_t kMostWaitingOfAUser = 256;
/// Together with the next one less than what benchd waits for (run/runner_client.cc).
constexpr std::int64_t kMostWait = 60'000'000'000;
constexpr std::int64_t kLookupTimeout = 30'000'000'000;
/// Behind benchd and the runner, with which it shares the housekeeping CPUs.
constexpr int kLookupNice = 10;

}  // namespace

Lookups::Lookups(EventLoop& loop, const Host& host, ProcessTree& tree, Callers& callers,
                 LookupsOwner& owner)
    : loop_(loop),
      host_(host),
      tree_(tree),
      callers_(callers),
      owner_(owner),
      timer_(loop, *this) {}

void Lookups::Add(std::uint64_t request, wire::Resolve question) {
  const uid_t uid = question.query.caller.uid;
  const auto waiting = std::count_if(waiting_.begin(), waiting_.end(), [uid](const Waiting& one) {
    return one.question.query.caller.uid == uid;
  });
  if (static_cast<std::size_t>(waiting) >= kMostWaitingOfAUser) {
    return owner_.OnLookedUp(
        request, Error{ErrorCode::kResourceExhausted,
                       "command '" + question.query.program + "': " + std::to_string(waiting) +
                           " others of the same user wait to be looked up",
                       "submit less at a time"});
  }
  if (waiting_.empty()) timer_.Arm(kMostWait);
  waiting_.push_back({request, std::move(question), MonotonicNow() + kMostWait});
  GoOn();
}

bool Lookups::HasRoomFor(uid_t uid) const {
  std::size_t all = 0;
  std::size_t own = 0;
  for (const Running& one : running_) {
    // One that hangs counts for its user only, who must not collect them.
    if (!one.is_hung) ++all;
    if (one.uid == uid) ++own;
  }
  return all < kMostRunning && own < kMostRunningOfAUser;
}

void Lookups::GoOn() {
  for (std::size_t i = 0; i < waiting_.size();) {
    const Caller& caller = waiting_[i].question.query.caller;
    auto admitted = HasRoomFor(caller.uid) ? callers_.Admit(caller) : std::nullopt;
    if (!admitted) {
      ++i;
      continue;
    }
    const Waiting lookup = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    auto started = *admitted ? Start(lookup, std::move(**admitted))
                             : Result<void>(std::move(*admitted).error());
    if (!started) owner_.OnLookedUp(lookup.request, std::move(started).error());
  }
}

Result<void> Lookups::Start(const Waiting& lookup, Caller caller) {
  const ProgramQuery& query = lookup.question.query;
  auto input = MemoryWith(wire::Encode(lookup.question));
  if (!input) return std::move(input).error();
  HelperOrder order;
  order.name = "command '" + query.program + "'";
  order.argv = {"resolve"};
  order.input = std::move(*input);
  order.caller = std::move(caller);
  order.timeout_ns = kLookupTimeout;
  order.nice = kLookupNice;
  auto helper = std::make_unique<HelperProcess>(loop_, host_, tree_, *this);
  if (auto started = helper->Start(std::move(order)); !started) return started;
  running_.push_back({lookup.request, query.caller.uid, query.program, std::move(helper), false});
  return {};
}

void Lookups::OnReady(int, std::uint32_t) {
  if (!timer_.TakeExpiry()) return;
  while (!waiting_.empty() && waiting_.front().until_ns <= MonotonicNow()) {
    const Waiting lookup = std::move(waiting_.front());
    waiting_.pop_front();
    owner_.OnLookedUp(
        lookup.request,
        Error{ErrorCode::kDeadlineExceeded,
              "command '" + lookup.question.query.program +
                  "': it was not looked up in time, others of the same user take long",
              "are they on a file system that does not answer?"});
  }
  if (!waiting_.empty()) timer_.Arm(waiting_.front().until_ns - MonotonicNow());
}

void Lookups::OnHelperDone(HelperProcess& helper, Result<std::string> answer) {
  const auto found = std::find_if(running_.begin(), running_.end(), [&helper](const Running& one) {
    return one.helper.get() == &helper;
  });
  const std::uint64_t request = found->request;
  const std::string what = "command '" + found->program + "'";
  const bool was_hung = found->is_hung;
  // Kept until the end of this function: it is what called us.
  std::unique_ptr<HelperProcess> kept;
  if (helper.hangs()) {
    found->is_hung = true;
  } else {
    kept = std::move(found->helper);
    running_.erase(found);
  }
  const auto program_of = [&answer, &what]() -> Result<ProgramIdentity> {
    if (!answer) return std::move(answer).error();
    auto decoded = wire::DecodeResolved(*answer);
    if (!decoded) return std::move(decoded).error().Within(what);
    return std::move(*decoded);
  };
  if (!was_hung) owner_.OnLookedUp(request, program_of());
  GoOn();
}

void Lookups::Clear() {
  waiting_.clear();
  running_.clear();
}

}  // namespace benchd
