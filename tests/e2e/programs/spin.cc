// A CPU-bound program: `spin N` does N thousand steps of work that no optimizer can leave out.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const std::uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) * 1000 : 0;
  std::uint64_t x = 1;
  // A congruential generator (Knuth's MMIX constants): each step needs the one before it.
  for (std::uint64_t i = 0; i < steps; ++i) x = x * 6364136223846793005ULL + 1442695040888963407ULL;
  std::printf("%016llx\n", static_cast<unsigned long long>(x));
  return 0;
}
