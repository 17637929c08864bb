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
inline constexpr std::size_t kLimits = static_cast<std::size_t>(Limit::kMachineTurns) + 1;

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
};

/// Returns the table of limits from which the configuration, the error messages and the usage
/// report are made.
std::span<const LimitRow, kLimits> LimitRows();
const LimitRow& RowOf(Limit limit);

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
  std::array<std::optional<double>, kLimits> units_;
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
