// A CPU-bound program: `spin N` performs N thousand steps that no optimizer can remove;
// `spin N T` performs them in each of T threads.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::uint64_t Spin(std::uint64_t steps) {
  std::uint64_t x = 1;
  // A congruential generator (Knuth's MMIX constants): each step depends on the one before it.
  for (std::uint64_t i = 0; i < steps; ++i) x = x * 6364136223846793005ULL + 1442695040888963407ULL;
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) * 1000 : 0;
  const std::uint64_t threads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  std::vector<std::uint64_t> results(threads);
  std::vector<std::thread> others;
  for (std::uint64_t i = 1; i < threads; ++i) {
    others.emplace_back([&results, i, steps] { results[i] = Spin(steps); });
  }
  results[0] = Spin(steps);
  for (std::thread& thread : others) thread.join();
  std::printf("%016llx\n", static_cast<unsigned long long>(results.back()));
  return 0;
}
