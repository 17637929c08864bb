int second_values[4] = {1, 2, 3, 4};

static __attribute__((noinline)) int step(int n) {
  for (int i = 0; i < 4; ++i) n = n * 37 + second_values[i];
  return n;
}

static inline __attribute__((always_inline)) int half(int n) {
  __asm__ volatile(".globl in_half_of_second\nin_half_of_second:\n nop");
  return n / 2 + 1;
}

/* The only function with this name. */
static __attribute__((noinline)) int alone(int n) {
  return n * second_values[n & 3] + second_values[3];
}

int second(int n) { return step(n) + half(n) + alone(n); }
