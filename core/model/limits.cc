#include "core/model/limits.h"

#include <algorithm>
#include <cmath>

namespace benchd {
namespace {

constexpr std::uint64_t kPieces = 1;
constexpr std::uint64_t kKib = std::uint64_t{1} << 10U;
constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;
constexpr std::uint64_t kHour = std::uint64_t{3600} * 1'000'000'000;
constexpr double kMaxMib = static_cast<double>(std::uint64_t{1} << 40U);
constexpr double kMaxBundleMib = static_cast<double>(std::uint64_t{1} << 20U);
/// The minimum of a limit that need not be a whole number. In hours it is a few microseconds; a
/// smaller value would be truncated to 0.
constexpr double kLeast = 1e-9;

constexpr std::array<LimitRow, kLimits> kRows{{
    {Limit::kQueuedAUser, "queued_a_user", "sessions", kPieces, true, 1000, 1'000'000,
     LimitScope::kUser, false, "queued sessions", "are waiting",
     "wait until some have run, or cancel some: `benchctl list` shows them"},
    {Limit::kRunningADay,
     "running_hours_a_day",
     "hours",
     kHour,
     false,
     {},
     24,
     LimitScope::kUser,
     false,
     "machine time",
     "were used in the last 24 hours",
     "wait until sessions that used it are more than a day old"},
    {Limit::kKeptAUser, "kept_mib_a_user", "MiB", kMib, true, 10240, kMaxMib, LimitScope::kUser,
     true, "ended sessions", "are kept", "the oldest are deleted"},
    {Limit::kWaitingAUser, "waiting_mib_a_user", "MiB", kMib, true, 64, kMaxMib, LimitScope::kUser,
     false, "size of queued sessions", "would be in use",
     "wait until some have run, or cancel some: `benchctl list` shows them"},
    {Limit::kSubmissionsADay, "submissions_a_day", "submissions", kPieces, true, 2000, 1'000'000,
     LimitScope::kUser, false, "submissions", "were made in the last 24 hours",
     "wait until some submissions are more than a day old"},
    {Limit::kStoredASession, "stored_mib_a_session", "MiB", kMib, true, 1024, kMaxMib,
     LimitScope::kRequest, true, "runs of a session and their output", "",
     "make the benchmark print less, or run it fewer times"},
    {Limit::kMetricsASession, "metrics_a_session", "metrics", kPieces, true, 20'000, 1'000'000,
     LimitScope::kRequest, true, "metrics of a session", "",
     "print fewer distinct metric names, and the same names in every run"},
    {Limit::kLogASession, "log_mib_a_session", "MiB", kMib, true, 16, kMaxMib, LimitScope::kRequest,
     true, "log of a session", "", "only the newest output is kept"},
    {Limit::kSummariesAUser, "summaries_a_user", "gates", kPieces, true, 100'000, 100'000'000,
     LimitScope::kUser, true, "history", "are kept", "the oldest are deleted"},
    {Limit::kBundle, "bundle_mib", "MiB", kMib, true, 1024, kMaxBundleMib, LimitScope::kRequest,
     true, "bundle", "", "push the commits, log in, and compare there"},
    {Limit::kBundlesAUser, "bundles_mib_a_user", "MiB", kMib, true, 4096, kMaxBundleMib,
     LimitScope::kUser, true, "bundles", "would be in use",
     "wait until some sessions have ended, or cancel some"},
    {Limit::kUploadsAUser, "uploads_a_user", "uploads", kPieces, true, 4, 1000, LimitScope::kUser,
     true, "uploads", "are in progress", "try again when one has finished"},
    {Limit::kSpec, "spec_kib", "KiB", kKib, true, 256, 8192, LimitScope::kRequest, true,
     "submission", "", "split it into several sessions, or move long commands into scripts"},
    {Limit::kPairs, "pairs_a_session", "pairs", kPieces, true, 1024, 1'000'000,
     LimitScope::kRequest, true, "pairs of a reference and a candidate", "",
     "split it into several sessions"},
    {Limit::kCallsAUser, "calls_a_user", "calls", kPieces, true, 64, 100'000, LimitScope::kUser,
     true, "calls in flight", "are active",
     "wait until some have ended; `benchctl watch` reports every change without polling"},
    {Limit::kCalls, "calls", "calls", kPieces, true, 1024, 100'000, LimitScope::kAll, true,
     "calls in flight", "are active", "try again in a second"},
    {Limit::kWatchesAUser, "watches_a_user", "streams", kPieces, true, 256, 100'000,
     LimitScope::kUser, true, "watches", "are open", "close some, or poll occasionally instead"},
    {Limit::kCallsASecond, "calls_a_second", "calls", kPieces, true, 2000, 1'000'000,
     LimitScope::kUser, true, "too many requests", "were made in the last second",
     "try again in a second; `benchctl watch` reports every change without polling"},
    {Limit::kConnectionsAUser, "connections_a_user", "connections", kPieces, true, 256, 1024,
     LimitScope::kUser, true, "connections", "are open", "close some"},
    {Limit::kHeldAUser, "held_mib_a_user", "MiB", kMib, true, 32, 65536, LimitScope::kUser, true,
     "requests and unread answers", "would be in use",
     "read the pending answers, or request less at once"},
    {Limit::kHelpersAUser, "helpers_a_user", "processes", kPieces, true, 4, 1024, LimitScope::kUser,
     true, "helper processes", "are running", "wait until some submissions have been answered"},
    {Limit::kMachineTurns, "machine_turns", "turns", kPieces, true, 4, 1000, LimitScope::kAll, true,
     "machine queries", "are waiting for a session to end", "try again when the session has ended"},
}};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kLimits; ++i) {
    if (kRows[i].limit != static_cast<Limit>(i)) return false;
  }
  return true;
}
static_assert(InOrder());

/// Formats an amount in units. Rounds up, so that an amount above a limit is never shown as within
/// the limit.
std::string InUnits(const LimitRow& row, std::uint64_t counted) {
  if (row.whole) return std::to_string(counted / row.scale + (counted % row.scale != 0 ? 1 : 0));
  std::string text = std::to_string(
      std::ceil(static_cast<double>(counted) / static_cast<double>(row.scale) * 10) / 10);
  return text.substr(0, text.find('.') + 2);
}

/// Returns the unit with a space before it, such as " MiB", or "" for pieces, because
/// LimitRow::what names these.
std::string UnitWord(const LimitRow& row) {
  return row.scale == kPieces ? std::string() : " " + std::string(row.unit);
}

Error Refused(const LimitRow& row, std::string why) {
  return Error{ErrorCode::kResourceExhausted, std::string(row.what) + ": " + std::move(why),
               std::string(row.advice) + "; " + HowToAllowMore(row.limit)};
}

}  // namespace

std::span<const LimitRow, kLimits> LimitRows() { return kRows; }

const LimitRow& RowOf(Limit limit) { return kRows.at(static_cast<std::size_t>(limit)); }

Budgets::Budgets() {
  for (const LimitRow& row : kRows) units_.at(static_cast<std::size_t>(row.limit)) = row.standard;
}

std::optional<std::uint64_t> Budgets::Of(Limit limit) const {
  const std::optional<double> units = units_.at(static_cast<std::size_t>(limit));
  if (!units) return std::nullopt;
  return static_cast<std::uint64_t>(*units * static_cast<double>(RowOf(limit).scale));
}

std::optional<std::string> Budgets::Set(Limit limit, double units) {
  const LimitRow& row = RowOf(limit);
  const bool is_whole = units == std::floor(units);
  if (!(units >= (row.whole ? 1 : kLeast)) || units > row.most || (row.whole && !is_whole)) {
    const std::string most = std::to_string(static_cast<std::uint64_t>(row.most));
    const std::string of = std::string(row.unit);
    if (row.whole) return "should be a whole number of " + of + " from 1 to " + most;
    return "should be a number of " + of + " above 0 and at most " + most;
  }
  units_.at(static_cast<std::size_t>(limit)) = units;
  return std::nullopt;
}

Error OverLimit(Limit limit, std::uint64_t used, std::uint64_t most,
                std::optional<std::uint32_t> uid) {
  const LimitRow& row = RowOf(limit);
  std::string why = InUnits(row, used) + " of " + InUnits(row, most) + UnitWord(row) + " " +
                    std::string(row.used);
  if (uid) why += " for uid " + std::to_string(*uid);
  return Refused(row, std::move(why));
}

Error TooLarge(Limit limit, std::uint64_t size, std::uint64_t most) {
  const LimitRow& row = RowOf(limit);
  return Refused(row, InUnits(row, size) + UnitWord(row) + " exceeds the limit of " +
                          InUnits(row, most) + UnitWord(row));
}

std::string HowToAllowMore(Limit limit) {
  return "to allow more, raise `" + std::string(RowOf(limit).key) + "` in [limits] of benchd.toml";
}

}  // namespace benchd
