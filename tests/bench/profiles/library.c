// 30 functions of a shared library, for library.py.
#include "steps.h"

unsigned rounds[FUNCTIONS] = {ROUNDS};
uint64_t steps_table[1024];

__attribute__((constructor)) static void Fill(void) { FillTable(); }

#define STAGE_FUNCTION(N)                                   \
  uint64_t stage_##N(uint64_t x) {                          \
    for (unsigned j = 0; j < rounds[N]; ++j) STEP(N, x, j); \
    return x;                                               \
  }
#define EACH_STAGE(F)                                                                          \
  F(0)                                                                                         \
  F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) \
      F(18) F(19) F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29)

EACH_STAGE(STAGE_FUNCTION)
