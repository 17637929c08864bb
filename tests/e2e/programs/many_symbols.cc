// A program with 100,000 functions, of which only main is called (test_explain.py).
#include <cstdint>
#include <cstdio>

// \@ is the number of macros that were expanded before.
asm(R"(
  .text
  .macro function_of_many
  .type many_\@, %function
many_\@:
  ret
  .size many_\@, . - many_\@
  .endm
  .rept 100000
  function_of_many
  .endr
)");

int main() {
  std::uint64_t x = 1;
  for (std::uint64_t i = 0; i < 50'000'000; ++i) {
    x = x * 6364136223846793005ULL + i;
    x ^= x >> 29;
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(x));
  return 0;
}
