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

/// A limit: its key in the configuration, its possible values, and the words of a refusal.
struct LimitRow {
  Limit limit;
  std::string_view key;   ///< below [limits] of benchd.toml
  std::string_view unit;  ///< unit in the configuration: "sessions", "MiB"
  /// Counted things (pieces, bytes, nanoseconds) per unit.
  std::uint64_t scale;
  bool whole;                      ///< only whole numbers of units; else any value above 0
  std::optional<double> standard;  ///< the default; absent: no limit
  double most;                     ///< largest value that can be configured
  LimitScope scope;
  /// Whether the limit also applies to admins and in user mode, because it protects the machine and
  /// not the share of a user.
  bool everybody;
  std::string_view what;    ///< start of a refusal: "calls in flight"
  std::string_view used;    ///< its continuation after "64 of 64": "are active"
  std::string_view advice;  ///< start of its hint: "wait until some have ended"
};

/// The table behind the configuration, the refusals, and the usage report.
std::span<const LimitRow, kLimits> LimitRows();
const LimitRow& RowOf(Limit limit);

/// The configured limits, initially the defaults.
class Budgets {
 public:
  Budgets();

  /// In counted things (pieces, bytes, nanoseconds); std::nullopt: no limit.
  std::optional<std::uint64_t> Of(Limit limit) const;
  /// The same for a limit that has a default and is therefore always set.
  std::uint64_t At(Limit limit) const { return Of(limit).value(); }

  /// Sets a limit to `units`, as in the configuration.
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
  std::uint64_t used = 0;             ///< in counted things
  std::optional<std::uint64_t> most;  ///< absent: no limit
  bool operator==(const LimitUse&) const = default;
};

/// The error if a limit is used up: "calls in flight: 64 of 64 are active for uid 1000", with the
/// key in its hint. kResourceExhausted.
/// @param used  current use, or the use if the request were granted
Error OverLimit(Limit limit, std::uint64_t used, std::uint64_t most,
                std::optional<std::uint32_t> uid);
/// The error if one thing is too large: "bundle: 3 MiB exceeds the limit of 2 MiB".
/// kResourceExhausted.
Error TooLarge(Limit limit, std::uint64_t size, std::uint64_t most);

/// The hint on raising a limit: "to allow more, raise `calls_a_user` in [limits] of benchd.toml".
std::string HowToAllowMore(Limit limit);

/// Whether a refusal by this limit goes away by itself within a second or so: the same may be asked
/// again.
constexpr bool PassesSoon(Limit limit) {
  return limit == Limit::kCallsASecond || limit == Limit::kCallsAUser || limit == Limit::kHeldAUser;
}

/// The trailer of a refused call for which that holds: the milliseconds to wait, in decimal.
inline constexpr char kRetryAfterKey[] = "benchd-retry-after-ms";

}  // namespace benchd
