#include "core/model/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace benchd {
namespace {

/// The minimum of a limit that need not be a whole number. In hours it is a few microseconds; a
/// smaller value would be truncated to 0.
constexpr double kLeast = 1e-9;

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
  return row.scale == 1 ? std::string() : " " + std::string(row.unit);
}

Error Refused(const LimitRow& row, std::string why) {
  return Error{ErrorCode::kResourceExhausted, std::string(row.what) + ": " + std::move(why),
               std::string(row.advice) + "; " + HowToAllowMore(row.limit)};
}

}  // namespace

Budgets::Budgets() {
  for (const LimitRow& row : kLimitRows) {
    units_.at(static_cast<std::size_t>(row.limit)) = row.standard;
  }
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
    const auto most = static_cast<std::uint64_t>(row.most);
    if (row.whole) {
      return fmt::format("should be a whole number of {} from 1 to {}", row.unit, most);
    }
    return fmt::format("should be a number of {} above 0 and at most {}", row.unit, most);
  }
  units_.at(static_cast<std::size_t>(limit)) = units;
  return std::nullopt;
}

Error OverLimit(Limit limit, std::uint64_t used, std::uint64_t most,
                std::optional<std::uint32_t> uid) {
  const LimitRow& row = RowOf(limit);
  std::string why =
      fmt::format("{} of {}{} {}", InUnits(row, used), InUnits(row, most), UnitWord(row), row.used);
  if (uid) why += fmt::format(" for uid {}", *uid);
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
