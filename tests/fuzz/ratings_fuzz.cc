#include <string>
#include <vector>

#include "core/parse/ratings.h"
#include "tests/fuzz/fuzz.h"

namespace benchd::fuzz {

void FuzzRatings(std::string_view input) {
  const auto table = ParseRatings(input, {});
  if (!table) {
    CheckMessage(table.error().message);
    FUZZ_CHECK(!table.error().hint.empty());
    return;
  }
  FUZZ_CHECK(table->raters.size() > 1 && table->ratings.size() == table->raters.size());
  FUZZ_CHECK(!table->categories.empty() && table->categories.size() <= kMaxCategories);
  for (const auto& ratings : table->ratings) {
    FUZZ_CHECK(!ratings.empty() && ratings.size() == table->ratings.front().size());
    for (const std::uint32_t rating : ratings) FUZZ_CHECK(rating < table->categories.size());
  }
  // Naming all of them gives the same result.
  const auto again = ParseRatings(input, table->raters);
  FUZZ_CHECK(again && *again == *table);
}

}  // namespace benchd::fuzz
