#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/stats/similarity/agreement.h"

namespace benchd {

/// What somebody wants to know of a table of ratings.
struct AgreementRequest {
  std::vector<std::string> raters;  ///< columns; empty: all that rate, see ParseRatings()
  std::string subjects;             ///< the column that names them; may be empty
  std::string truth;                ///< the one that the others are held against; may be empty
};

/// Two raters of a report, by their numbers.
struct RaterPair {
  std::size_t first = 0;
  std::size_t second = 0;
  Agreement agreement;
  std::string band;  ///< the word for its kappa
};

/// A rater held against the truth, by its number.
struct RaterConfusion {
  std::size_t rater = 0;
  Confusion confusion;
};

struct AgreementReport {
  std::vector<std::string> raters;
  std::vector<std::string> categories;
  std::size_t subjects = 0;
  Agreement all;     ///< the truth included
  std::string band;  ///< the word for its kappa
  std::vector<RaterPair> pairs;
  std::vector<RaterConfusion> confusions;  ///< of all but the truth; empty without one
};

/// Most raters of a table: all pairs of them are compared.
inline constexpr std::size_t kMaxRaters = 100;

/// Who agrees with whom in a CSV of ratings, and how well each finds the truth.
///
/// @errors kInvalidArgument: those of ParseRatings(); a truth that is no rater; too many raters.
Result<AgreementReport> AnalyzeAgreement(std::string_view csv, const AgreementRequest& request);

}  // namespace benchd
