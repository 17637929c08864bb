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

/// What benchd bounds: a row of LimitRows() each, in this order.
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
inline constexpr std::size_t kLimits = static_cast<std::size_t>(Limit::kMachineTurns) + 1;

/// Of what a limit bounds the sum.
enum class LimitScope {
  kUser,     ///< of all that is one user's
  kAll,      ///< of all users
  kRequest,  ///< of one request alone
};

/// A limit: what the configuration calls it, what it may be, and how a refusal speaks of it.
struct LimitRow {
  Limit limit;
  std::string_view key;   ///< below [limits] of benchd.toml
  std::string_view unit;  ///< of the value in the configuration: "sessions", "MiB"
  /// How many of what is counted (pieces, bytes, nanoseconds) one unit is.
  std::uint64_t scale;
  bool whole;                      ///< a whole number of units; else any above 0
  std::optional<double> standard;  ///< the default; nothing: no limit
  double most;                     ///< that it may be set to
  LimitScope scope;
  /// Whether it holds for admins and in user mode as well: what guards the machine and not the
  /// share of a user.
  bool everybody;
  std::string_view what;    ///< begins a refusal: "calls in flight"
  std::string_view used;    ///< and goes on after "64 of 64": "are under way"
  std::string_view advice;  ///< begins its hint: "wait until some have ended"
};

/// The table from which the configuration is read, refusals speak, and uses are told.
std::span<const LimitRow, kLimits> LimitRows();
const LimitRow& RowOf(Limit limit);

/// What each limit is set to; at first the defaults.
class Budgets {
 public:
  Budgets();

  /// In what is counted (pieces, bytes, nanoseconds); nothing: no limit.
  std::optional<std::uint64_t> Of(Limit limit) const;
  /// The same of one that always is set, as it has a default.
  std::uint64_t At(Limit limit) const { return Of(limit).value(); }

  /// `units` as in the configuration.
  /// @return what it should be, in words, when that is none of its values.
  std::optional<std::string> Set(Limit limit, double units);

  bool operator==(const Budgets&) const = default;

 private:
  std::array<std::optional<double>, kLimits> units_;
};

/// How much of a limit is taken.
struct LimitUse {
  Limit limit{};
  std::optional<std::uint32_t> uid;   ///< nobody: of all users together
  std::uint64_t used = 0;             ///< in what is counted
  std::optional<std::uint64_t> most;  ///< nothing: no limit
  bool operator==(const LimitUse&) const = default;
};

/// The refusal of more: "calls in flight: 64 of 64 are under way for uid 1000", with the key in its
/// hint. kResourceExhausted.
/// @param used  what is taken, or would be with what is refused
Error OverLimit(Limit limit, std::uint64_t used, std::uint64_t most,
                std::optional<std::uint32_t> uid);
/// The refusal of one thing that is too large: "bundle: 3 MiB are too many, 2 MiB are the most".
/// kResourceExhausted.
Error TooLarge(Limit limit, std::uint64_t size, std::uint64_t most);

/// Where the refusal of a limit says how to have more: "`calls_a_user` in [limits] of benchd.toml
/// allows more".
std::string HowToAllowMore(Limit limit);

/// Whether a refusal by this limit goes away by itself within a second or so: the same may be asked
/// again.
constexpr bool PassesSoon(Limit limit) {
  return limit == Limit::kCallsASecond || limit == Limit::kCallsAUser || limit == Limit::kHeldAUser;
}

/// The trailer of a refused call for which that holds: the milliseconds to wait, in decimal.
inline constexpr char kRetryAfterKey[] = "benchd-retry-after-ms";

}  // namespace benchd
