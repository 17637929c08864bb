#include <string>
#include <vector>

#include "daemon/parse/ratings.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace benchd;
  const std::string_view text = fuzz::AsText(data, size);
  const auto table = ParseRatings(text, {});
  if (!table) {
    fuzz::CheckMessage(table.error().message);
    FUZZ_CHECK(!table.error().hint.empty());
    return 0;
  }
  FUZZ_CHECK(table->raters.size() > 1 && table->ratings.size() == table->raters.size());
  FUZZ_CHECK(!table->categories.empty() && table->categories.size() <= kMaxCategories);
  for (const auto& ratings : table->ratings) {
    FUZZ_CHECK(!ratings.empty() && ratings.size() == table->ratings.front().size());
    for (const std::uint32_t rating : ratings) FUZZ_CHECK(rating < table->categories.size());
  }
  // Naming all of them says the same.
  const auto again = ParseRatings(text, table->raters);
  FUZZ_CHECK(again && *again == *table);
  return 0;
}
