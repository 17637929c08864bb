#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "core/base/time.h"

namespace benchd::rpc {

/// Decides which users to suspend: those who keep calling although their calls are refused. Even a
/// refused call takes time of gRPC's threads, which all users share.
///
/// A refusal fills the user's bucket by one. When it is full, the user is suspended, each time
/// twice as long as before. The bucket leaks meanwhile, but is not emptied, so that a user who
/// floods again is suspended again at once. Used on any thread.
class Refusals {
 public:
  static constexpr double kTolerated = 1000;  ///< the size of the bucket
  /// Far less than a slow machine refuses: an emulated one, with all of its time, 300 per second.
  static constexpr double kForgivenASecond = 100;
  static constexpr std::chrono::seconds kFirst{1};
  static constexpr std::chrono::seconds kLongest{32};
  /// A user who was not suspended for this long is suspended for kFirst again.
  static constexpr std::chrono::seconds kForgotten{60};

  /// @param forgiven_a_second  the number of refusals that leave a bucket each second
  explicit Refusals(double forgiven_a_second = kForgivenASecond)
      : forgiven_a_second_(forgiven_a_second) {}

  /// Counts a refused call of `uid`.
  /// @return for how long to suspend the user, from now on; empty: not at all
  std::optional<Nanoseconds> Count(std::uint32_t uid, SteadyTime now);

 private:
  struct User {
    double refused = 0;
    SteadyTime counted_at{};
    Nanoseconds next = kFirst;  ///< duration of the next suspension
    SteadyTime suspended_until{};
  };

  const double forgiven_a_second_;
  std::mutex mutex_;
  std::map<std::uint32_t, User> users_;  ///< those with a refused call
};

}  // namespace benchd::rpc
