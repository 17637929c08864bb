#include "pages.h"

EACH_PAGE_FUNCTION(PAGE_FUNCTION, 0)

uint64_t PagesA(uint64_t x, const unsigned* rounds) {
  EACH_PAGE_FUNCTION(CALL_PAGE_FUNCTION, 0)
  return x;
}
