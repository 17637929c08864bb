#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/model/limits.h"

namespace benchd::rpc {

class CallBudget;

/// What one call takes of its user's budget, given back when this is destroyed, on any thread.
class CallShare {
 public:
  CallShare() = default;
  CallShare(CallShare&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)),
        uid_(other.uid_),
        counted_(other.counted_),
        kept_(other.kept_),
        held_(other.held_) {}
  CallShare& operator=(CallShare&& other) = delete;
  CallShare(const CallShare&) = delete;
  CallShare& operator=(const CallShare&) = delete;
  ~CallShare();

  /// So many bytes are taken for as long as the call lasts: its request.
  /// @errors kResourceExhausted: with those of the user's other calls too many.
  Result<void> Keep(std::size_t bytes);
  /// So many bytes are on their way to the client, those of before no more.
  /// @errors kResourceExhausted: with those of the user's other calls too many.
  Result<void> Hold(std::size_t bytes);

 private:
  friend class CallBudget;
  CallShare(CallBudget* budget, std::uint32_t uid, Limit counted)
      : budget_(budget), uid_(uid), counted_(counted) {}

  CallBudget* budget_ = nullptr;
  std::uint32_t uid_ = 0;
  Limit counted_ = Limit::kCallsAUser;
  std::size_t kept_ = 0;
  std::size_t held_ = 0;  ///< with what is kept
};

/// How many calls are under way and what they hold, by user and in all.
///
/// Asked on gRPC's threads before anything of a call reaches the loop, so that a flood of them
/// keeps gRPC busy and not the loop, hence the mutex. Outlives the calls.
class CallBudget {
 public:
  explicit CallBudget(const Budgets& limits = {}) : limits_(limits) {}
  CallBudget(const CallBudget&) = delete;
  CallBudget& operator=(const CallBudget&) = delete;

  /// Lets a call of `uid` in.
  /// @param as  kCallsAUser, or kWatchesAUser for what waits, costs next to nothing, and is no call
  ///            in flight therefore
  /// @errors kResourceExhausted: too many are under way.
  Result<CallShare> Enter(std::uint32_t uid, Limit as = Limit::kCallsAUser);

  /// What `uid` takes, or each user that takes anything, and all together.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid) const;

  /// Whether who refuses a call should see to it that the loop hears of refusals; then ToldLoop().
  bool TellsLoop() { return !telling_.exchange(true); }
  void ToldLoop() { telling_ = false; }

 private:
  friend CallShare;
  struct User {
    std::uint64_t calls = 0;
    std::uint64_t watches = 0;
    std::uint64_t held = 0;
  };
  void Leave(const CallShare& share);
  Result<void> Hold(std::uint32_t uid, std::size_t before, std::size_t now);
  Result<void> CheckRoom(Limit limit, std::uint64_t used, std::uint64_t more,
                         std::optional<std::uint32_t> uid) const;

  const Budgets limits_;
  mutable std::mutex mutex_;
  std::map<std::uint32_t, User> users_;  ///< those with any call or watch
  std::uint64_t calls_ = 0;              ///< of all, watches not counted
  std::atomic<bool> telling_ = false;
};

}  // namespace benchd::rpc
