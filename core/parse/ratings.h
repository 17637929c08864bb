#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// Ratings of the same subjects by several raters.
struct RatingTable {
  std::vector<std::string> raters;
  std::vector<std::string> categories;              ///< in order of appearance
  std::vector<std::vector<std::uint32_t>> ratings;  ///< [rater][subject]: index of a category
  bool operator==(const RatingTable&) const = default;
};

/// The maximum number of cells and of different categories in a table of ratings.
inline constexpr std::size_t kMaxRatings = 1'000'000;
inline constexpr std::size_t kMaxCategories = 100;

/// Reads CSV: a header, then one row per subject with one column per rater. Each field is the
/// category that the rater assigned to the subject; it may be any text.
///
/// @param wanted    the columns with ratings, in this order; empty = all but `subjects`.
/// @param subjects  the column that names the subjects; empty = no such column.
/// @errors kInvalidArgument "line 3, column 5: ..." for a field without a rating, a row with
///         another number of fields, a duplicate or missing name, more cells than kMaxRatings or
///         more categories than kMaxCategories; and the errors of ReadCsv(). At the end of the
///         text: no subject, fewer than two raters. "column NAME: ..." for a requested column that
///         is missing or requested twice. If both `wanted` and `subjects` are empty, also for a
///         first column whose fields are all different, because it may name the subjects or rate
///         them.
Result<RatingTable> ParseRatings(std::string_view text, const std::vector<std::string>& wanted,
                                 const std::string& subjects = {});

}  // namespace benchd
