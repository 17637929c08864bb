// usage: threads CALLS
//
// Eight threads, each of which makes an eighth of the calls of 30 functions.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "steps.h"

#define THREADS 8

#define STAGE_FUNCTION(N)                                                           \
  __attribute__((noinline)) static uint64_t stage_##N(uint64_t x, unsigned count) { \
    for (unsigned j = 0; j < count; ++j) STEP(N, x, j);                             \
    return x;                                                                       \
  }
#define CALL_STAGE(N) x = stage_##N(x, rounds[N]);
#define EACH_STAGE(F)                                                                          \
  F(0)                                                                                         \
  F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) \
      F(18) F(19) F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29)

unsigned rounds[FUNCTIONS] = {ROUNDS};
uint64_t steps_table[1024];

static long calls = 1;
static uint64_t results[THREADS];

EACH_STAGE(STAGE_FUNCTION)

static void* Work(void* result) {
  uint64_t x = 1;
  for (long i = 0; i < calls; ++i) {
    EACH_STAGE(CALL_STAGE)
  }
  *(uint64_t*)result = x;
  return NULL;
}

int main(int argc, char** argv) {
  if (argc > 1) calls = (atol(argv[1]) + THREADS - 1) / THREADS;
  FillTable();
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    if (pthread_create(&threads[i], NULL, Work, &results[i]) != 0) return 1;
  }
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  printf("%016" PRIx64 "\n", results[0]);
  return 0;
}
