// usage: templates CALLS
//
// 30 functions: ten instances of a function template, ten methods of class templates that are
// inlined into their caller, and ten plain functions that the compiler inlines because they have
// one caller.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "steps.h"

unsigned rounds[FUNCTIONS] = {ROUNDS};
std::uint64_t steps_table[1024];

namespace {

template <int N>
[[gnu::noinline]] std::uint64_t Mix(std::uint64_t x, unsigned count) {
  for (unsigned j = 0; j < count; ++j) STEP(N, x, j);
  return x;
}

template <int N>
struct Table {
  [[gnu::always_inline]] static std::uint64_t Walk(std::uint64_t x, unsigned count) {
    for (unsigned j = 0; j < count; ++j) STEP(N, x, j);
    return x;
  }
};

#define PLAIN_FUNCTION(N)                                   \
  std::uint64_t Plain##N(std::uint64_t x, unsigned count) { \
    for (unsigned j = 0; j < count; ++j) STEP(N, x, j);     \
    return x;                                               \
  }
#define EACH_PLAIN_FUNCTION(F) F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29)

EACH_PLAIN_FUNCTION(PLAIN_FUNCTION)

template <int... N>
[[gnu::noinline]] std::uint64_t MixAll(std::uint64_t x, std::integer_sequence<int, N...>) {
  ((x = Mix<N>(x, rounds[N])), ...);
  return x;
}

template <int... N>
[[gnu::noinline]] std::uint64_t WalkAll(std::uint64_t x, std::integer_sequence<int, N...>) {
  ((x = Table<10 + N>::Walk(x, rounds[10 + N])), ...);
  return x;
}

[[gnu::noinline]] std::uint64_t PlainAll(std::uint64_t x) {
#define CALL_PLAIN_FUNCTION(N) x = Plain##N(x, rounds[N]);
  EACH_PLAIN_FUNCTION(CALL_PLAIN_FUNCTION)
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const long calls = argc > 1 ? std::atol(argv[1]) : 1;
  constexpr std::make_integer_sequence<int, 10> kTen;
  std::uint64_t x = 1;
  FillTable();
  for (long i = 0; i < calls; ++i) x = PlainAll(WalkAll(MixAll(x, kTen), kTen));
  std::printf("%016llx\n", static_cast<unsigned long long>(x));
  return 0;
}
