#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/base/time.h"
#include "daemon/ports/clock.h"

namespace benchd::rpc {

/// How many calls a user may make: one token a call, from a bucket per uid.
///
/// Exists so that a client in a loop costs the others nothing. A stream counts once, however long
/// it lasts. The figures are generous: clients that submit as fast as they are answered come to 300
/// to 1000 calls a second together, since each submission is committed to the disk, while one that
/// only looks comes to more than 5000 (both measured on two CPUs). Loop's thread only.
class RateLimit {
 public:
  static constexpr std::uint32_t kBurst = 4000;      ///< calls at once
  static constexpr std::uint32_t kPerSecond = 2000;  ///< and calls a second, lasting

  /// Told in a sentence that a user is refused, every ten seconds at most for each.
  using Log = std::function<void(const std::string&)>;

  RateLimit(const Clock& clock, Log log) : clock_(clock), log_(std::move(log)) {}

  /// Takes a token of `uid`.
  /// @errors kResourceExhausted "too many requests: ..." when there is none left.
  Result<void> Take(std::uint32_t uid);

  /// How many users are remembered; one who has been quiet for two seconds may be forgotten.
  std::size_t users() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens = kBurst;
    SteadyTime filled_at{};
    std::optional<SteadyTime> told_at{};
  };

  void Tell(std::uint32_t uid, Bucket& bucket) const;
  void Fill(Bucket& bucket, SteadyTime now) const;
  void ForgetQuietUsers(SteadyTime now);

  const Clock& clock_;
  const Log log_;
  std::map<std::uint32_t, Bucket> buckets_;
};

}  // namespace benchd::rpc
