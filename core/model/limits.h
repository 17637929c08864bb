#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace benchd {

/// The limits of benchd, in the order of LimitRows().
enum class Limit {
  kQueuedAUser,
  kRunningADay,
  kKeptAUser,
  kWaitingAUser,
  kSubmissionsADay,
  kStoredASession,
  kMetricsASession,
  kLogASession,
  kSummariesAUser,
  kBundle,
  kBundlesAUser,
  kUploadsAUser,
  kSpec,
  kPairs,
  kCallsAUser,
  kCalls,
  kWatchesAUser,
  kCallsASecond,
  kConnectionsAUser,
  kHeldAUser,
  kHelpersAUser,
  kMachineTurns,
};
inline constexpr std::size_t kLimitCount = static_cast<std::size_t>(Limit::kMachineTurns) + 1;

/// The scope over which a limit sums.
enum class LimitScope {
  kUser,     ///< everything that belongs to one user
  kAll,      ///< all users together
  kRequest,  ///< a single request
};

/// The description of a limit: its key in the configuration, its valid values, and the parts of the
/// error message.
struct LimitRow {
  Limit limit;
  std::string_view key;   ///< key below [limits] of benchd.toml
  std::string_view unit;  ///< unit in the configuration, such as "sessions" or "MiB"
  /// The number of counted things (pieces, bytes, nanoseconds) per unit.
  std::uint64_t scale;
  bool whole;                      ///< true: only whole numbers of units; false: any value above 0
  std::optional<double> standard;  ///< the default; absent: no limit
  double most;                     ///< the largest value that can be configured
  LimitScope scope;
  /// Whether the limit also applies to admins and in user mode, because it protects the machine and
  /// not the shares of other users.
  bool everybody;
  std::string_view what;    ///< start of the error message, such as "calls in flight"
  std::string_view used;    ///< end of the message, after "64 of 64", such as "are active"
  std::string_view advice;  ///< start of the hint, such as "wait until some have ended"
  std::string_view help;    ///< for the manual, on one line
};

/// The table of limits, from which the configuration, the error messages and the usage report are
/// made.
inline constexpr auto kLimitRows = [] {
  constexpr std::uint64_t kPieces = 1;
  constexpr std::uint64_t kKib = std::uint64_t{1} << 10U;
  constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kHour = std::uint64_t{3600} * 1'000'000'000;
  constexpr double kMaxMib = static_cast<double>(std::uint64_t{1} << 40U);
  constexpr double kMaxBundleMib = static_cast<double>(std::uint64_t{1} << 20U);
  return std::to_array<LimitRow>({
      {Limit::kQueuedAUser, "queued_a_user", "sessions", kPieces, true, 1000, 1'000'000,
       LimitScope::kUser, false, "queued sessions", "are waiting",
       "wait until some have run, or cancel some: `benchctl list` shows them", "waiting sessions"},
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
       "wait until sessions that used it are more than a day old",
       "hours of machine time in any 24 (default: no limit)"},
      {Limit::kKeptAUser, "kept_mib_a_user", "MiB", kMib, true, 10240, kMaxMib, LimitScope::kUser,
       true, "ended sessions", "are kept", "the oldest are deleted",
       "MiB of a user's ended sessions; the oldest are deleted"},
      {Limit::kWaitingAUser, "waiting_mib_a_user", "MiB", kMib, true, 64, kMaxMib,
       LimitScope::kUser, false, "size of queued sessions", "would be in use",
       "wait until some have run, or cancel some: `benchctl list` shows them",
       "MiB of a user's waiting sessions, including their environments"},
      {Limit::kSubmissionsADay, "submissions_a_day", "submissions", kPieces, true, 2000, 1'000'000,
       LimitScope::kUser, false, "submissions", "were made in the last 24 hours",
       "wait until some submissions are more than a day old",
       "submissions of a user within 24 hours"},
      {Limit::kStoredASession, "stored_mib_a_session", "MiB", kMib, true, 1024, kMaxMib,
       LimitScope::kRequest, true, "runs of a session and their output", "",
       "make the benchmark print less, or run it fewer times",
       "MiB of the runs of a session and their output; a session that exceeds it fails"},
      {Limit::kMetricsASession, "metrics_a_session", "metrics", kPieces, true, 20'000, 1'000'000,
       LimitScope::kRequest, true, "metrics of a session", "",
       "print fewer distinct metric names, and the same names in every run",
       "metrics of a session, by name and inner benchmark; a session that exceeds it fails"},
      {Limit::kLogASession, "log_mib_a_session", "MiB", kMib, true, 16, kMaxMib,
       LimitScope::kRequest, true, "log of a session", "", "only the newest output is kept",
       "MiB of output of the runs of a session; the newest output is kept"},
      {Limit::kSummariesAUser, "summaries_a_user", "gates", kPieces, true, 100'000, 100'000'000,
       LimitScope::kUser, true, "history", "are kept", "the oldest are deleted",
       "gates of a user's sessions in the history; the newest gates are kept"},
      {Limit::kBundle, "bundle_mib", "MiB", kMib, true, 1024, kMaxBundleMib, LimitScope::kRequest,
       true, "bundle", "", "push the commits, log in, and compare there",
       "MiB of a git bundle: the commits that benchctl sends with a session (--host with --git)"},
      {Limit::kBundlesAUser, "bundles_mib_a_user", "MiB", kMib, true, 4096, kMaxBundleMib,
       LimitScope::kUser, true, "bundles", "would be in use",
       "wait until some sessions have ended, or cancel some",
       "MiB of the bundles of all sessions of a user that have not ended"},
      {Limit::kUploadsAUser, "uploads_a_user", "uploads", kPieces, true, 4, 1000, LimitScope::kUser,
       true, "uploads", "are in progress", "try again when one has finished",
       "concurrent uploads of bundles by a user"},
      {Limit::kSpec, "spec_kib", "KiB", kKib, true, 256, 8192, LimitScope::kRequest, true,
       "submission", "", "split it into several sessions, or move long commands into scripts",
       "KiB of a submission without its environment"},
      {Limit::kPairs, "pairs_a_session", "pairs", kPieces, true, 1024, 1'000'000,
       LimitScope::kRequest, true, "pairs of a reference and a candidate", "",
       "split it into several sessions",
       "pairs of a reference and a candidate over all benchmarks of a session; each pair is "
       "compared "
       "in every metric"},
      {Limit::kCallsAUser, "calls_a_user", "calls", kPieces, true, 64, 100'000, LimitScope::kUser,
       true, "calls in flight", "are active",
       "wait until some have ended; `benchctl watch` reports every change without polling",
       "concurrent calls of a user; watches are counted separately"},
      {Limit::kCalls, "calls", "calls", kPieces, true, 1024, 100'000, LimitScope::kAll, true,
       "calls in flight", "are active", "try again in a second", "concurrent calls of all users"},
      {Limit::kWatchesAUser, "watches_a_user", "streams", kPieces, true, 256, 100'000,
       LimitScope::kUser, true, "watches", "are open", "close some, or poll occasionally instead",
       "concurrent watches of a user"},
      {Limit::kCallsASecond, "calls_a_second", "calls", kPieces, true, 2000, 1'000'000,
       LimitScope::kUser, true, "too many requests", "were made in the last second",
       "try again in a second; `benchctl watch` reports every change without polling",
       "sustained calls per second of a user; bursts may be twice as large"},
      {Limit::kConnectionsAUser, "connections_a_user", "connections", kPieces, true, 256, 1024,
       LimitScope::kUser, true, "connections", "are open", "close some",
       "concurrent connections of a user"},
      {Limit::kHeldAUser, "held_mib_a_user", "MiB", kMib, true, 32, 65536, LimitScope::kUser, true,
       "requests and unread answers", "would be in use",
       "read the pending answers, or request less at once",
       "MiB of incomplete requests, and of unread answers, of a user"},
      {Limit::kHelpersAUser, "helpers_a_user", "processes", kPieces, true, 4, 1024,
       LimitScope::kUser, true, "helper processes", "are running",
       "wait until some submissions have been answered",
       "concurrent processes that look up a user's programs; further submissions wait for their "
       "turn"},
      {Limit::kMachineTurns, "machine_turns", "turns", kPieces, true, 4, 1000, LimitScope::kAll,
       true, "machine queries", "are waiting for a session to end",
       "try again when the session has ended",
       "queries of the machine (doctor, status) between two sessions while other sessions wait"},
  });
}();
static_assert(kLimitRows.size() == kLimitCount && [] {
  for (std::size_t i = 0; i < kLimitCount; ++i) {
    if (kLimitRows[i].limit != static_cast<Limit>(i)) return false;
  }
  return true;
}());

constexpr std::span<const LimitRow, kLimitCount> LimitRows() { return kLimitRows; }
constexpr const LimitRow& RowOf(Limit limit) { return kLimitRows[static_cast<std::size_t>(limit)]; }

/// The configured limits, initially the defaults.
class Budgets {
 public:
  Budgets();

  /// Returns the limit in counted things (pieces, bytes, nanoseconds), or std::nullopt if there is
  /// no limit.
  std::optional<std::uint64_t> Of(Limit limit) const;
  /// Returns a limit that has a default and is therefore always set.
  std::uint64_t At(Limit limit) const { return Of(limit).value(); }

  /// Sets a limit to a number of units, as in the configuration.
  /// @return a description of the valid values if `units` is not one of them
  std::optional<std::string> Set(Limit limit, double units);

  bool operator==(const Budgets&) const = default;

 private:
  std::array<std::optional<double>, kLimitCount> units_;
};

/// The current use of a limit.
struct LimitUse {
  Limit limit{};
  std::optional<std::uint32_t> uid;   ///< absent: all users together
  std::uint64_t used = 0;             ///< amount in use, in counted things
  std::optional<std::uint64_t> most;  ///< absent: no limit
  bool operator==(const LimitUse&) const = default;
};

/// Returns the error kResourceExhausted for a limit that is used up, such as "calls in flight: 64
/// of 64 are active for uid 1000". The hint names the key of the configuration.
/// @param used  the current use, or the use if the request were granted
Error OverLimit(Limit limit, std::uint64_t used, std::uint64_t most,
                std::optional<std::uint32_t> uid);
/// Returns the error kResourceExhausted for a single object that is too large, such as "bundle: 3
/// MiB exceeds the limit of 2 MiB".
Error TooLarge(Limit limit, std::uint64_t size, std::uint64_t most);

/// Returns the hint for raising a limit: "to allow more, raise `calls_a_user` in [limits] of
/// benchd.toml".
std::string HowToAllowMore(Limit limit);

/// Returns whether a refusal by this limit is likely to disappear by itself within about a second,
/// so that the client may retry.
constexpr bool PassesSoon(Limit limit) {
  return limit == Limit::kCallsASecond || limit == Limit::kCallsAUser || limit == Limit::kHeldAUser;
}

/// The key of a trailer that is sent when PassesSoon() is true for the limit of a refused call. Its
/// value is the number of milliseconds to wait, in decimal.
inline constexpr char kRetryAfterKey[] = "benchd-retry-after-ms";

}  // namespace benchd
