#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/limits.h"
#include "daemon/session/ports.h"

namespace benchd::rpc {

/// Limits the rate of calls per user: one token per call, from one bucket per uid.
///
/// It ensures that a client in a loop does not affect other users. A stream counts once, however
/// long it lasts. The defaults are generous: clients that submit as fast as they are answered reach
/// 300 to 1000 calls per second together, because each submission is committed to the disk, and a
/// client that only reads reaches more than 5000 (both measured on two CPUs). Loop's thread only.
class RateLimit {
 public:
  /// Receives a sentence about a user who is refused, at most every ten seconds per user.
  using Log = std::function<void(const std::string&)>;

  /// Allows `a_second` calls per second, with bursts of twice as many.
  RateLimit(const Clock& clock, Log log,
            std::uint64_t a_second = Budgets().At(Limit::kCallsASecond))
      : clock_(clock), log_(std::move(log)), a_second_(static_cast<double>(a_second)) {}

  /// Takes a token of `uid`.
  /// @errors kResourceExhausted "too many requests: ..." if none is left
  Result<void> Take(std::uint32_t uid);

  /// Logs that calls of `uid` are refused, unless that was logged recently.
  void WarnOfRefusal(std::uint32_t uid, const std::string& why);

  /// Returns the part of the burst that `uid`, or each user with recent calls, has used.
  std::vector<LimitUse> Uses(std::optional<std::uint32_t> uid) const;

  /// Returns the number of remembered users. A user without calls for two seconds may be dropped.
  std::size_t users() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens = 0;
    SteadyTime filled_at{};
    std::optional<SteadyTime> told_at{};
  };

  void Fill(Bucket& bucket, SteadyTime now) const;
  void ForgetQuietUsers(SteadyTime now);
  double burst() const { return 2 * a_second_; }
  std::string Why(std::uint32_t uid) const;

  const Clock& clock_;
  const Log log_;
  const double a_second_;
  std::map<std::uint32_t, Bucket> buckets_;
};

}  // namespace benchd::rpc
