#include "daemon/rpc/rate_limit.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace benchd::rpc {
namespace {

// More than a machine has users at a time: only then are the buckets looked through.
constexpr std::size_t kManyUsers = 1024;
constexpr std::chrono::seconds kBetweenWarnings{10};

}  // namespace

Result<void> RateLimit::Take(std::uint32_t uid) {
  const SteadyTime now = clock_.Steady();
  if (buckets_.size() >= kManyUsers && !buckets_.contains(uid)) ForgetQuietUsers(now);
  Bucket& bucket = buckets_.try_emplace(uid, Bucket{kBurst, now, {}}).first->second;
  Fill(bucket, now);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return {};
  }
  Tell(uid, bucket);
  return Error{ErrorCode::kResourceExhausted,
               "too many requests: uid " + std::to_string(uid) + " makes more than " +
                   std::to_string(kPerSecond) + " a second",
               "ask again in a second; `benchctl watch` tells of every change without asking"};
}

void RateLimit::Tell(std::uint32_t uid, Bucket& bucket) const {
  if (bucket.told_at && bucket.filled_at - *bucket.told_at < kBetweenWarnings) return;
  bucket.told_at = bucket.filled_at;
  log_("refusing calls: uid " + std::to_string(uid) + " makes more than " +
       std::to_string(kPerSecond) + " a second");
}

void RateLimit::Fill(Bucket& bucket, SteadyTime now) const {
  const std::chrono::duration<double> passed = now - bucket.filled_at;
  bucket.tokens = std::min<double>(kBurst, bucket.tokens + passed.count() * kPerSecond);
  bucket.filled_at = now;
}

void RateLimit::ForgetQuietUsers(SteadyTime now) {
  std::erase_if(buckets_, [this, now](const auto& user) {
    Bucket bucket = user.second;
    Fill(bucket, now);
    return bucket.tokens >= kBurst;
  });
}

}  // namespace benchd::rpc
