#include "daemon/rpc/call_budget.h"

#include "core/base/try.h"

namespace benchd::rpc {

CallShare::~CallShare() {
  if (budget_ != nullptr) budget_->Leave(*this);
}

Result<void> CallShare::Keep(std::size_t bytes) {
  kept_ = bytes;
  return Hold(0);
}

Result<void> CallShare::Hold(std::size_t bytes) {
  if (budget_ == nullptr) return {};
  Result<void> room = budget_->Hold(uid_, held_, kept_ + bytes);
  if (room) held_ = kept_ + bytes;
  return room;
}

Result<void> CallBudget::CheckRoom(Limit limit, std::uint64_t used, std::uint64_t more,
                                   std::optional<std::uint32_t> uid) const {
  const std::uint64_t most = limits_.At(limit);
  if (used + more <= most) return {};
  const bool pieces = RowOf(limit).scale == 1;
  return OverLimit(limit, pieces ? used : used + more, most, uid);
}

Result<CallShare> CallBudget::Enter(std::uint32_t uid, Limit as) {
  const std::lock_guard lock(mutex_);
  const auto known = users_.find(uid);
  const User own = known == users_.end() ? User{} : known->second;
  const bool watches = as == Limit::kWatchesAUser;
  Result<void> room = CheckRoom(as, watches ? own.watches : own.calls, 1, uid);
  if (room && !watches) room = CheckRoom(Limit::kCalls, calls_, 1, {});
  if (!room) return std::move(room).error();
  User& user = users_[uid];
  ++(watches ? user.watches : user.calls);
  if (!watches) ++calls_;
  return CallShare(this, uid, as);
}

void CallBudget::Leave(const CallShare& share) {
  const std::lock_guard lock(mutex_);
  const auto user = users_.find(share.uid_);
  user->second.held -= share.held_;
  if (share.counted_ == Limit::kWatchesAUser) {
    --user->second.watches;
  } else {
    --user->second.calls;
    --calls_;
  }
  if (user->second.calls == 0 && user->second.watches == 0) users_.erase(user);
}

Result<void> CallBudget::Hold(std::uint32_t uid, std::size_t before, std::size_t now) {
  const std::lock_guard lock(mutex_);
  User& user = users_.at(uid);
  const std::uint64_t others = user.held - before;
  // A single message larger than the limit is admitted alone; otherwise it could never be sent.
  if (others > 0) {
    TRY_VOID(CheckRoom(Limit::kHeldAUser, others, now, uid));
  }
  user.held = others + now;
  return {};
}

std::vector<LimitUse> CallBudget::Uses(std::optional<std::uint32_t> uid) const {
  const std::lock_guard lock(mutex_);
  std::vector<LimitUse> uses{{Limit::kCalls, {}, calls_, limits_.At(Limit::kCalls)}};
  const auto add = [this, &uses](std::uint32_t who, const User& user) {
    uses.push_back({Limit::kCallsAUser, who, user.calls, limits_.At(Limit::kCallsAUser)});
    uses.push_back({Limit::kWatchesAUser, who, user.watches, limits_.At(Limit::kWatchesAUser)});
    uses.push_back({Limit::kHeldAUser, who, user.held, limits_.At(Limit::kHeldAUser)});
  };
  if (!uid) {
    for (const auto& [who, user] : users_) add(who, user);
    return uses;
  }
  const auto user = users_.find(*uid);
  add(*uid, user == users_.end() ? User{} : user->second);
  return uses;
}

}  // namespace benchd::rpc
