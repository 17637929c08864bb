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

/// A call's share of its user's budget. Released by the destructor, on any thread.
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

  /// Adds the bytes of the call's request, which are held as long as the call lasts.
  /// @errors kResourceExhausted if the user's calls would hold too much together
  Result<void> Keep(std::size_t bytes);
  /// Sets the number of bytes that are being sent to the client, replacing the previous number.
  /// @errors kResourceExhausted if the user's calls would hold too much together
  Result<void> Hold(std::size_t bytes);

 private:
  friend class CallBudget;
  CallShare(CallBudget* budget, std::uint32_t uid, Limit counted)
      : budget_(budget), uid_(uid), counted_(counted) {}

  CallBudget* budget_ = nullptr;
  std::uint32_t uid_ = 0;
  Limit counted_ = Limit::kCallsAUser;
  std::size_t kept_ = 0;
  std::size_t held_ = 0;  ///< includes the bytes of Keep()
};

/// Counts calls in progress and the bytes that they hold, by user and in total.
///
/// Checked on gRPC's threads before a call reaches the loop, so that a flood of calls loads gRPC
/// but not the loop. The mutex is needed for this reason. Must outlive the calls.
class CallBudget {
 public:
  explicit CallBudget(const Budgets& limits = {}) : limits_(limits) {}
  CallBudget(const CallBudget&) = delete;
  CallBudget& operator=(const CallBudget&) = delete;

  /// Admits a call of `uid`.
  /// @param as  kCallsAUser, or kWatchesAUser for a call that only waits, costs almost nothing and
  ///            does not count as a call in progress
  /// @errors kResourceExhausted if too many are in progress
  Result<CallShare> Enter(std::uint32_t uid, Limit as = Limit::kCallsAUser);

  /// Returns the current use of `uid`, or of each user who uses anything, and the total.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid) const;

  /// Returns whether the thread that refuses a call must notify the loop of refusals. The loop then
  /// calls ToldLoop().
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
  std::map<std::uint32_t, User> users_;  ///< users with any call or watch
  std::uint64_t calls_ = 0;              ///< of all users, without watches
  std::atomic<bool> telling_ = false;
};

}  // namespace benchd::rpc
