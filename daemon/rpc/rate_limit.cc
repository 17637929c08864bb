#include "daemon/rpc/rate_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace benchd::rpc {
namespace {

// More users than a machine usually has at a time. Idle buckets are removed only above this number.
constexpr std::size_t kManyUsers = 1024;
constexpr std::chrono::seconds kBetweenWarnings{10};

}  // namespace

Result<void> RateLimit::Take(std::uint32_t uid) {
  const SteadyTime now = clock_.Steady();
  if (buckets_.size() >= kManyUsers && !buckets_.contains(uid)) ForgetQuietUsers(now);
  Bucket& bucket = buckets_.try_emplace(uid, Bucket{burst(), now, {}}).first->second;
  Fill(bucket, now);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return {};
  }
  WarnOfRefusal(uid, Why(uid));
  const LimitRow& row = RowOf(Limit::kCallsASecond);
  return Error{ErrorCode::kResourceExhausted, std::string(row.what) + ": " + Why(uid),
               std::string(row.advice) + "; " + HowToAllowMore(row.limit)};
}

void RateLimit::WarnOfRefusal(std::uint32_t uid, const std::string& why) {
  const SteadyTime now = clock_.Steady();
  Bucket& bucket = buckets_.try_emplace(uid, Bucket{burst(), now, {}}).first->second;
  if (bucket.told_at && now - *bucket.told_at < kBetweenWarnings) return;
  bucket.told_at = now;
  log_("refusing calls: " + why);
}

std::string RateLimit::Why(std::uint32_t uid) const {
  return fmt::format("uid {} makes more than {} calls per second", uid,
                     static_cast<std::uint64_t>(a_second_));
}

void RateLimit::Fill(Bucket& bucket, SteadyTime now) const {
  const std::chrono::duration<double> passed = now - bucket.filled_at;
  bucket.tokens = std::min(burst(), bucket.tokens + passed.count() * a_second_);
  bucket.filled_at = now;
}

std::vector<LimitUse> RateLimit::Uses(std::optional<std::uint32_t> uid) const {
  std::vector<LimitUse> uses;
  for (auto [who, bucket] : buckets_) {
    Fill(bucket, clock_.Steady());
    const auto used = static_cast<std::uint64_t>(burst() - bucket.tokens);
    if (uid ? who != *uid : used == 0) continue;
    uses.push_back({Limit::kCallsASecond, who, used, static_cast<std::uint64_t>(burst())});
  }
  return uses;
}

void RateLimit::ForgetQuietUsers(SteadyTime now) {
  std::erase_if(buckets_, [this, now](const auto& user) {
    Bucket bucket = user.second;
    Fill(bucket, now);
    return bucket.tokens >= burst();
  });
}

}  // namespace benchd::rpc
