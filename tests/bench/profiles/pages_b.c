// usage: pages CALLS
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "pages.h"

unsigned all_rounds[FUNCTIONS] = {ROUNDS};
uint64_t steps_table[1024];

EACH_PAGE_FUNCTION(PAGE_FUNCTION, 15)

uint64_t PagesB(uint64_t x, const unsigned* rounds) {
  EACH_PAGE_FUNCTION(CALL_PAGE_FUNCTION, 15)
  return x;
}

int main(int argc, char** argv) {
  const long calls = argc > 1 ? atol(argv[1]) : 1;
  uint64_t x = 1;
  FillTable();
  for (long i = 0; i < calls; ++i) x = PagesB(PagesA(x, all_rounds), all_rounds);
  printf("%016" PRIx64 "\n", x);
  return 0;
}
