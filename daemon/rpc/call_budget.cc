#include "daemon/rpc/call_budget.h"

#include <utility>

#include "core/base/try.h"

namespace benchd::rpc {

CallShare::~CallShare() {
  if (budget_ == nullptr) return;
  Conclude();
  budget_->Release(*this);
}

void CallShare::Conclude() {
  if (budget_ == nullptr || std::exchange(concluded_, true)) return;
  budget_->Conclude(*this);
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

void CallBudget::Conclude(const CallShare& share) {
  const std::lock_guard lock(mutex_);
  User& user = users_.at(share.uid_);
  if (share.counted_ == Limit::kWatchesAUser) {
    --user.watches;
  } else {
    --user.calls;
    --calls_;
  }
  ForgetIdle(share.uid_);
}

void CallBudget::Release(const CallShare& share) {
  if (share.held_ == 0) return;
  const std::lock_guard lock(mutex_);
  users_.at(share.uid_).held -= share.held_;
  ForgetIdle(share.uid_);
}

void CallBudget::ForgetIdle(std::uint32_t uid) {
  const auto user = users_.find(uid);
  const User& use = user->second;
  if (use.calls == 0 && use.watches == 0 && use.held == 0) users_.erase(user);
}

Result<void> CallBudget::Hold(std::uint32_t uid, std::size_t before, std::size_t now) {
  const std::lock_guard lock(mutex_);
  User& user = users_[uid];  // a call that has been concluded may have been its user's last
  const std::uint64_t others = user.held - before;
  // A single message larger than the limit is admitted alone; otherwise it could never be sent.
  if (others > 0) {
    TRY_VOID(CheckRoom(Limit::kHeldAUser, others, now, uid));
  }
  user.held = others + now;
  ForgetIdle(uid);
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
