// Functions whose names other files have, too. The labels mark instructions of inlined functions.
int first_values[4] = {1, 2, 3, 4};

static __attribute__((noinline)) int step(int n) {
  for (int i = 0; i < 4; ++i) n = n * 31 + first_values[i];
  return n;
}

static inline __attribute__((always_inline)) int half(int n) {
  __asm__ volatile(".globl in_half_of_first\nin_half_of_first:\n nop");
  return n / 2;
}

int first(int n) { return step(n) + half(n); }
