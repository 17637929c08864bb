// The functions of pages_a.c and pages_b.c. Both files have static functions of the same names.
#pragma once

#include "steps.h"

uint64_t PagesA(uint64_t x, const unsigned* rounds);
uint64_t PagesB(uint64_t x, const unsigned* rounds);

#define PAGE_FUNCTION(name, N)                                                  \
  __attribute__((noinline)) static uint64_t name(uint64_t x, unsigned rounds) { \
    for (unsigned j = 0; j < rounds; ++j) STEP(N, x, j);                        \
    return x;                                                                   \
  }

// F(name, N) for each name, with N from `first` on.
// clang-format off
#define EACH_PAGE_FUNCTION(F, first) \
  F(scan, first + 0)                 \
  F(parse, first + 1)                \
  F(merge, first + 2)                \
  F(split, first + 3)                \
  F(hash, first + 4)                 \
  F(pack, first + 5)                 \
  F(unpack, first + 6)               \
  F(find, first + 7)                 \
  F(insert, first + 8)               \
  F(erase, first + 9)                \
  F(sort, first + 10)                \
  F(copy, first + 11)                \
  F(count, first + 12)               \
  F(check, first + 13)               \
  F(fold, first + 14)
// clang-format on

#define CALL_PAGE_FUNCTION(name, N) x = name(x, rounds[N]);
