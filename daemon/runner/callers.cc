#include "daemon/runner/callers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace benchd {
namespace {

/// Who left a group is out of it after that.
constexpr std::int64_t kRememberFor = 60'000'000'000;
/// A refusal is for those who wait for it: who has just joined need not wait.
constexpr std::int64_t kRememberRefusalFor = 1'000'000'000;
/// A directory server that does not answer.
constexpr std::int64_t kUserTimeout = 10'000'000'000;
/// At a time: there may be as many users as there are numbers.
constexpr std::size_t kMostQuestions = 4;
/// The machine's user without rights, whose processes nobody needs. Not benchd's user, who could
/// have a hand in the answer.
constexpr std::uint32_t kNobody = 65534;

}  // namespace

std::optional<Result<Caller>> Callers::Admit(const Caller& caller) {
  if (auto checked = CheckCaller(host_, caller); !checked) return std::move(checked).error();
  if (!rules_.hold) return caller;
  if (auto checked = CheckUid(rules_, caller.uid); !checked) return std::move(checked).error();
  if (const auto found = known_.find(caller.uid); found != known_.end()) {
    const Known& known = found->second;
    Result<Caller> admitted = known.record ? AdmitCaller(rules_, *known.record, caller)
                                           : Result<Caller>(known.record.error());
    const std::int64_t age = MonotonicNow() - known.at_ns;
    if (age < (admitted ? kRememberFor : kRememberRefusalFor)) return admitted;
  }
  const bool is_asked = std::any_of(asking_.begin(), asking_.end(), [&](const Question& question) {
    return question.uid == caller.uid;
  });
  if (is_asked || asking_.size() >= kMostQuestions) return {};
  if (auto asked = Ask(caller.uid); !asked) return std::move(asked).error();
  return {};
}

Result<void> Callers::Ask(uid_t uid) {
  auto input = EmptyMemory();
  if (!input) return std::move(input).error();
  HelperOrder order;
  order.name = "uid " + std::to_string(uid);
  order.argv = {"user", std::to_string(uid), rules_.group};
  order.input = std::move(*input);
  order.caller.uid = order.caller.gid = kNobody;
  order.timeout_ns = kUserTimeout;
  auto helper = std::make_unique<HelperProcess>(loop_, host_, tree_, *this);
  if (auto started = helper->Start(std::move(order)); !started) return started;
  asking_.push_back({uid, std::move(helper)});
  return {};
}

void Callers::OnHelperDone(HelperProcess& helper, Result<std::string> answer) {
  const auto found = std::find_if(
      asking_.begin(), asking_.end(),
      [&helper](const Question& question) { return question.helper.get() == &helper; });
  // Kept until the end of this function: it is what called us.
  const Question done = std::move(*found);
  asking_.erase(found);
  const std::string what = "uid " + std::to_string(done.uid);
  if (!answer) {
    Remember(done.uid, std::move(answer).error());
  } else if (auto record = wire::DecodeUserRecord(*answer); !record) {
    Remember(done.uid, std::move(record).error().Within(what));
  } else if (!*record) {
    Remember(done.uid, std::move(*record).error().Within(what));
  } else {
    Remember(done.uid, std::move(*record));
  }
  owner_.OnCallerKnown();
}

void Callers::Remember(uid_t uid, Result<wire::UserRecord> record) {
  const std::int64_t now = MonotonicNow();
  std::erase_if(known_, [now](const auto& one) { return now - one.second.at_ns >= kRememberFor; });
  known_.insert_or_assign(uid, Known{std::move(record), now});
}

}  // namespace benchd
