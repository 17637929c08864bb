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

/// Most cells and most different categories in a table of ratings.
inline constexpr std::size_t kMaxRatings = 1'000'000;
inline constexpr std::size_t kMaxCategories = 100;

/// Reads CSV: a header, then one row per subject with one column per rater. Each field is the
/// category that the rater assigned to the subject, any text.
///
/// @param wanted    the rating columns, in this order. Empty: all but `subjects`.
/// @param subjects  the column that names the subjects; empty: there is none.
/// @errors kInvalidArgument "line 3, column 5: ...": a field without a rating, a row with another
///         number of fields, a duplicate or missing name, more than kMaxRatings or kMaxCategories;
///         and those of ReadCsv(). At the end: no subject, fewer than two raters. "column NAME:
///         ..." for a requested column that is missing or requested twice. Without `wanted` and
///         `subjects`, also for a first column whose fields are all different: it is ambiguous
///         whether it names the subjects or rates.
Result<RatingTable> ParseRatings(std::string_view text, const std::vector<std::string>& wanted,
                                 const std::string& subjects = {});

}  // namespace benchd
