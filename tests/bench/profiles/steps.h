// The work of the programs that `./dev bench profiles` compares: 30 functions, each with a loop of
// its own. Function N makes rounds[N] steps per call. The numbers come from the build (-DROUNDS):
// the compiler does not know them, so two versions of a program differ in data only, and their code
// has the same layout.
#pragma once

#include <stdint.h>

#define FUNCTIONS 30

// Each program defines it once.
extern uint64_t steps_table[1024];

static inline void FillTable(void) {
  for (int i = 0; i < 1024; ++i) steps_table[i] = (uint64_t)i * 0x9E3779B97F4A7C15u;
}

// One step of function N on x. Each step needs the previous one, so that no compiler can remove or
// vectorize the loop. There are three kinds: arithmetic, a look-up and a branch.
#define STEP(N, x, j)                                                \
  do {                                                               \
    if ((N) % 3 == 0) {                                              \
      (x) = (x) * (6364136223846793005u + 2 * (N)) + (j);            \
      (x) ^= (x) >> 29;                                              \
      (x) += (x) << (3 + (N) % 5);                                   \
    } else if ((N) % 3 == 1) {                                       \
      (x) = ((x) ^ steps_table[((x) >> 17) & 1023]) + 2 * (N) + (j); \
    } else {                                                         \
      if (((j)&7) == 0) (x) += (x) << (2 + (N) % 7);                 \
      (x) = ((x) ^ ((x) >> 13)) * (2862933555777941757u + 2 * (N));  \
      (x) ^= (x) >> 31;                                              \
    }                                                                \
  } while (0)
