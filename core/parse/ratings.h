#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace benchd {

/// What several raters said of the same subjects.
struct RatingTable {
  std::vector<std::string> raters;
  std::vector<std::string> categories;              ///< in order of appearance
  std::vector<std::vector<std::uint32_t>> ratings;  ///< [rater][subject]: a category's number
  bool operator==(const RatingTable&) const = default;
};

/// Most cells of a table of ratings, and most different categories.
inline constexpr std::size_t kMaxRatings = 1'000'000;
inline constexpr std::size_t kMaxCategories = 100;

/// Reads CSV: a line of names, then a row a subject, a column a rater; each field is the category
/// that the rater put the subject in, any text.
///
/// @param wanted    the columns that rate, in this order. Empty: all but `subjects`.
/// @param subjects  the column that names the subjects; empty: there is none.
/// @errors kInvalidArgument "line 3, column 5: ...": a field without a rating, a row with another
///         number of fields, a name twice or none, more than kMaxRatings or kMaxCategories; those
///         of ReadCsv(). At the end: no subject, fewer than two raters. "column NAME: ..." for one
///         that is asked for and not there, or asked for twice; without `wanted` and `subjects`,
///         for a first one of which no two fields are equal: it may name the subjects or rate.
Result<RatingTable> ParseRatings(std::string_view text, const std::vector<std::string>& wanted,
                                 const std::string& subjects = {});

}  // namespace benchd
